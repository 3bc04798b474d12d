// Runs `switchyard serve DIR` with the page under test.
import { spawn, type ChildProcess } from 'node:child_process';
import { builtPath } from './harness';

export interface Served { url: string; end: () => void }

/// Serves the page under test, with or without a folder.
export async function serve(dir?: string, port = '0'): Promise<Served> {
  const args = ['--quiet', 'serve', ...dir === undefined ? [] : [dir], '--site', builtPath('SWITCHYARD_PAGE'), '--port', port];
  const child: ChildProcess = spawn(builtPath('SWITCHYARD_CLI'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim()));
    child.once('exit', status => reject(new Error(`serve ended with ${status}`)));
  });
  return { url, end: () => { child.kill(); } };
}
