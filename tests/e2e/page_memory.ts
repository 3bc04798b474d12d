// What the page itself holds, without its workers and without what the browser needs to draw it: objects, the browser's part
// of them, and the memory of its program.
import type { Page } from '@playwright/test';

/// Bytes, after a collection of what nobody needs.
export async function pageMemory(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  try {
    await client.send('HeapProfiler.collectGarbage');
    // Newer browsers tell more than the types of this version know.
    const heap = await client.send('Runtime.getHeapUsage') as { usedSize: number; embedderHeapUsedSize?: number; backingStorageSize?: number };
    const { result: kind } = await client.send('Runtime.evaluate', { expression: 'WebAssembly.Memory.prototype' });
    if (!kind.objectId) throw new Error('the page has no WebAssembly');
    const { objects } = await client.send('Runtime.queryObjects', { prototypeObjectId: kind.objectId });
    if (!objects.objectId) throw new Error('the browser tells no memories');
    const { result } = await client.send('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: 'function () { return this.reduce((sum, memory) => sum + memory.buffer.byteLength, 0); }',
      returnByValue: true,
    });
    const program = Number(result.value);
    if (!(program > 0)) throw new Error('the page has no program');
    return heap.usedSize + (heap.embedderHeapUsedSize ?? 0) + (heap.backingStorageSize ?? 0) + program;
  } finally {
    await client.detach();
  }
}
