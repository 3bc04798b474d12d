// What the page's process holds of its own: the page, and its workers, which live in the same process.
import fs from 'node:fs';

/// Bytes that only this process holds, of the largest process that draws a page.
export function own(): number {
  const kinds = fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(pid => {
    try {
      const isPage = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
      const sizes = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB/gm);
      return isPage ? [...sizes].reduce((sum, size) => sum + Number(size[1]) * 1024, 0) : 0;
    } catch {
      return 0;
    }
  });
  return Math.max(...kinds);
}
