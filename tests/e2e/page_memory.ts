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
    const { result: kind } = await client.send('Runtime.evaluate', { expression: 'WebAssembly.Memory.prototype' });
    if (!kind.objectId) throw new Error('the page has no WebAssembly');
    const { objects } = await client.send('Runtime.queryObjects', { prototypeObjectId: kind.objectId });
    if (!objects.objectId) throw new Error('the browser returned no memory objects');
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
