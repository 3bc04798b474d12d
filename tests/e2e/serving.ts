// `switchyard serve DIR`, with the page that is tested.
import { spawn, type ChildProcess } from 'node:child_process';
import { built } from './harness';

export interface Served { url: string; end: () => void }

/// Serves the page that is tested, with a folder or without.
export async function serve(dir?: string, port = '0'): Promise<Served> {
  const words = ['--quiet', 'serve', ...dir === undefined ? [] : [dir], '--site', built('SWITCHYARD_PAGE'), '--port', port];
  const child: ChildProcess = spawn(built('SWITCHYARD_CLI'), words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', status => reject(new Error(`serve ended with ${status}`)));
  });
  return { url, end: () => { child.kill(); } };
}
