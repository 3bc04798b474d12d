// The browser of one worker; each test gets its own tab. Must not know any engine or test.
import type { Engine, Tab } from './engine';

export class Browsers {
  private current: Engine | undefined;

  constructor(private readonly start: () => Promise<Engine>) {}

  async engine(): Promise<Engine> {
    this.current ??= await this.start();
    return this.current;
  }

  /// Runs `work` in a new tab. If the browser's own process exits, also prints its last output.
  async inATab(work: (tab: Tab) => Promise<void>): Promise<void> {
    const engine = await this.engine();
    try {
      const tab = await engine.tab();
      await work(tab);
      await tab.close();
    } catch (error) {
      // The end of a process is reported a moment after the end of its pages.
      await new Promise(later => setTimeout(later, 1_000));
      if (engine.hasEnded()) console.log(`${engine.name} exited. Its last output:\n${engine.lastWords()}`);
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.current?.end();
  }
}
