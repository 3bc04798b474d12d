// The browser of one worker; each test gets its own tab. Must not know any engine or test.
import type { Engine, Tab } from './engine';

/// How often a test is repeated because the browser, not the page, exited.
const MORE_TRIES = 1;

export class Browsers {
  private current: Engine | undefined;

  constructor(private readonly start: () => Promise<Engine>) {}

  async engine(): Promise<Engine> {
    this.current ??= await this.start();
    return this.current;
  }

  /// Runs `work` in a new tab. If the browser's own process exits, prints its last output, starts another browser and
  /// repeats the work once: only a second exit counts against the page. A page that crashes does not end the browser
  /// and is a failure at once.
  async inATab(work: (tab: Tab) => Promise<void>): Promise<void> {
    for (let left = MORE_TRIES; ; left--) {
      const engine = await this.engine();
      try {
        const tab = await engine.tab();
        await work(tab);
        await tab.close();
        return;
      } catch (error) {
        // The end of a process is reported a moment after the end of its pages.
        await new Promise(later => setTimeout(later, 1_000));
        if (left === 0 || !engine.hasEnded()) throw error;
        console.log(`${engine.name} exited; repeating the journey in a new one. Its last output:\n${engine.lastWords()}`);
        await this.end();
      }
    }
  }

  async end(): Promise<void> {
    const engine = this.current;
    this.current = undefined;
    await engine?.end();
  }
}
