// Memory of the page itself, without its workers and without the browser's drawing: script heap, the browser's share
// of it, and the WebAssembly memory.
import type { Page } from '@playwright/test';

/// Bytes, after a garbage collection.
export async function pageMemory(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  try {
    await client.send('HeapProfiler.collectGarbage');
    // Newer browsers return more fields than the types of this version declare.
    const heap = await client.send('Runtime.getHeapUsage') as { usedSize: number; embedderHeapUsedSize?: number; backingStorageSize?: number };
    // Its script returns the exports of the running program. Chromium's query for memory objects hangs once a program
    // consists of several modules.
    const program = await page.evaluate(async () => {
      const script = document.querySelector<HTMLElement>('script[data-js]')?.dataset.js ?? '';
      const { initSync } = await import(new URL(script, document.baseURI).href);
      return Number(initSync().memory.buffer.byteLength);
    });
    if (!(program > 0)) throw new Error('the page has no program');
    return heap.usedSize + (heap.embedderHeapUsedSize ?? 0) + (heap.backingStorageSize ?? 0) + program;
  } finally {
    await client.detach();
  }
}
