// What a journey may ask of any browser engine. It knows no engine, and nothing of how one is driven.

/// How files come into the page.
export type Way = 'files' | 'folder' | 'drop' | 'drop of a folder';

export interface Engine {
  readonly name: string;
  /// Ways that the engine cannot be given anything by, each with the reason.
  readonly cannot: Partial<Record<Way, string>>;
  /// A tab of its own: nothing that another tab stored, and none of its workers.
  tab(): Promise<Tab>;
  /// Whether the browser's own process is gone.
  hasEnded(): boolean;
  /// What the browser's process wrote last, for whoever looks into why it ended.
  lastWords(): string;
  /// Ends the browser, however stuck its tabs are.
  end(): Promise<void>;
}

export interface Tab {
  /// Goes to an address, and comes back when the document is there; what it loads may still be on its way.
  open(url: string): Promise<void>;
  /// Gives files to the page's input of files, a folder to its input of folders, or drops either in the middle.
  give(way: Way, paths: string[]): Promise<void>;
  /// The texts of everything with this role, and this whole name if one is said, that is in the accessibility tree now.
  texts(role: string, name?: string): Promise<string[]>;
  /// Clicks the first thing with this role whose name begins so.
  press(role: string, name: string): Promise<void>;
  /// All text that the page shows.
  allText(): Promise<string>;
  /// Whether the program of the page is there: its start page is there before.
  hasProgram(): Promise<boolean>;
  /// Whether the program of the workers is there too: from then on the page needs its host for nothing.
  hasWholeProgram(): Promise<boolean>;
  /// The width in CSS pixels of the widest thing in the page, scrolled parts included, but for what a text field holds.
  widest(): Promise<number>;
  close(): Promise<void>;
}

/// Asked in the page.
export const programThere = (): boolean => document.body !== null && document.querySelector('#boot') === null;

/// Asked in the page.
export const wholeProgramThere = (): boolean => performance.getEntriesByName('workers').length > 0;

/// Asked in the page.
export const widestThere = (): number =>
  [...document.querySelectorAll(':not(input, textarea)')].reduce((widest, element) => Math.max(widest, element.scrollWidth), 0);

/// What is longer than a call to a page may take that still answers.
const STUCK_MS = 30_000;

/// The answer, or a failure that says what was waited for: a page that is busy for good answers nothing, and a test should
/// say so instead of running out of time somewhere else.
export async function soon<T>(what: string, answer: Promise<T>, within = STUCK_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${what}: no answer within ${within / 1000} s, the page is stuck`)), within);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    // Who lost the race may fail later, when the browser is ended.
    answer.catch(() => {});
  }
}
