// The interface of a browser engine for journeys. Must not know any engine or its driver.

/// How files are given to the page.
export type InputMethod = 'files' | 'folder' | 'drop' | 'drop of a folder';

export interface Engine {
  readonly name: string;
  /// The ways that the engine does not support, each with the reason.
  readonly unsupported: Partial<Record<InputMethod, string>>;
  /// Opens a tab with its own storage and workers.
  tab(): Promise<Tab>;
  /// Whether the browser's own process has exited.
  hasEnded(): boolean;
  /// The last output of the browser's process, to find out why it exited.
  lastWords(): string;
  /// Ends the browser, even if its tabs hang.
  end(): Promise<void>;
}

export interface Tab {
  /// Navigates, and returns when the document exists; its resources may still be loading.
  open(url: string): Promise<void>;
  /// Gives files to the page's file input or a folder to its folder input, or drops either in the middle of the page.
  give(method: InputMethod, paths: string[]): Promise<void>;
  /// The texts of all elements in the accessibility tree with this role and, if given, exactly this name.
  texts(role: string, name?: string): Promise<string[]>;
  /// Clicks the first element with this role whose name starts with `name`.
  press(role: string, name: string): Promise<void>;
  /// All visible text of the page.
  allText(): Promise<string>;
  /// Whether the page's program runs; its start page appears earlier.
  hasProgram(): Promise<boolean>;
  /// Whether the workers' program is loaded too: from then on the page does not need its host.
  hasWholeProgram(): Promise<boolean>;
  /// The width in CSS pixels of the widest element of the page, including scrolled parts, except the content of text
  /// fields.
  widest(): Promise<number>;
  close(): Promise<void>;
}

/// Evaluated in the page.
export const isProgramLoaded = (): boolean => document.body !== null && document.querySelector('#boot') === null;

/// Evaluated in the page.
export const isWholeProgramLoaded = (): boolean => performance.getEntriesByName('loaded').length > 0;

/// Evaluated in the page.
export const widestElement = (): number =>
  [...document.querySelectorAll(':not(input, textarea)')].reduce((widest, element) => Math.max(widest, element.scrollWidth), 0);

/// Longer than any call to a responsive page takes.
const STUCK_MS = 30_000;

/// The answer, or a failure that names the call: a page that hangs answers nothing, and the test should report that
/// instead of timing out elsewhere.
export async function withTimeout<T>(what: string, answer: Promise<T>, within = STUCK_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${what}: no answer within ${within / 1000} s, the page is stuck`)), within);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
    // The losing promise may still reject when the browser is closed.
    answer.catch(() => {});
  }
}
