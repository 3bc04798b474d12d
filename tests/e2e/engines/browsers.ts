// The browser of one worker, for work that has a tab of its own. It knows no engine, and nothing of what is tried.
import type { Engine, Tab } from './engine';

/// How often something is tried again because the browser, not the page, was gone.
const MORE_TRIES = 1;

export class Browsers {
  private current: Engine | undefined;

  constructor(private readonly start: () => Promise<Engine>) {}

  async engine(): Promise<Engine> {
    this.current ??= await this.start();
    return this.current;
  }

  /// Does this in a tab. A browser whose own process ends says nothing of the page unless it does so again: another one
  /// is started, it is told with the browser's last words, and the work is done once more. A page that crashes ends no
  /// browser, and is a failure at once.
  async inATab(work: (tab: Tab) => Promise<void>): Promise<void> {
    for (let left = MORE_TRIES; ; left--) {
      const engine = await this.engine();
      try {
        const tab = await engine.tab();
        await work(tab);
        await tab.close();
        return;
      } catch (error) {
        // The end of a process is told a moment after that of its pages.
        await new Promise(later => setTimeout(later, 1_000));
        if (left === 0 || !engine.hasEnded()) throw error;
        console.log(`${engine.name} itself ended, and the journey is begun again in another one. Its last words:\n${engine.lastWords()}`);
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
