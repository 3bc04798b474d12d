// A static host of the built page with one thing wrong, or none.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createGzip } from 'node:zlib';
import { built } from '../harness';

/// The folder of the built page.
export const BUILT = built('SWITCHYARD_PAGE');

export type Oddity = {
  /// Another folder than that of the built page.
  folder?: string;
  /// Where the page lies; `/` if not said.
  under?: string;
  /// What wasm is sent as.
  wasmType?: string;
  cacheControl?: string;
  /// Everything is sent packed, whatever is asked for.
  packed?: boolean;
  /// Files whose path is like this are asked for, and never come.
  neverAnswers?: RegExp;
  /// Files with this ending are not there.
  lacks?: string;
};

export type Host = {
  url: string;
  /// Another build takes the place of this one: its files have other names, and those of this one are gone.
  redeploy(): void;
  /// From now on the files of this folder are served.
  serve(folder: string): void;
  /// All paths that were asked for until now, below the page's own.
  asked: string[];
  /// From now on nobody answers.
  stop(): Promise<void>;
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json', '.json': 'application/json', '.yaml': 'text/plain; charset=utf-8',
};

export async function startHost(odd: Oddity = {}): Promise<Host> {
  const under = odd.under ?? '/';
  let isRedeployed = false;
  let folder = odd.folder ?? BUILT;
  const asked: string[] = [];
  const server = http.createServer((request, answer) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const below = name.startsWith(under) ? name.slice(under.length) : undefined;
    asked.push(below ?? name);
    if (odd.neverAnswers?.test(name)) return;
    const file = path.join(folder, below === '' ? 'index.html' : below ?? '');
    const ending = path.extname(file);
    // The names of the page's own scripts and wasm change with each build.
    const isGone = (isRedeployed && ['.js', '.wasm'].includes(ending)) || (odd.lacks !== undefined && name.endsWith(odd.lacks));
    if (below === undefined || isGone || !file.startsWith(folder) || !fs.existsSync(file)) {
      answer.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found\n');
      return;
    }
    const type = ending === '.wasm' && odd.wasmType !== undefined ? odd.wasmType : TYPES[ending] ?? 'application/octet-stream';
    const headers = { 'Content-Type': type, 'Cache-Control': odd.cacheControl ?? 'no-cache' };
    answer.writeHead(200, odd.packed ? { ...headers, 'Content-Encoding': 'gzip' } : headers);
    const bytes = fs.createReadStream(file);
    if (odd.packed) bytes.pipe(createGzip({ level: 1 })).pipe(answer);
    else bytes.pipe(answer);
  });
  await new Promise<void>(ready => { server.listen(0, '127.0.0.1', ready); });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${under}`,
    serve: other => { folder = other; },
    asked,
    redeploy: () => { isRedeployed = true; },
    stop: () => new Promise(done => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}
