// Private memory of the renderer process: the page and its workers, which share a process.
import fs from 'node:fs';

/// Private bytes of the largest renderer process.
export function privateBytes(): number {
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
