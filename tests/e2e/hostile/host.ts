// A static host of the built page with at most one fault.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createGzip } from 'node:zlib';
import { builtPath } from '../harness';

/// The folder of the built page.
export const BUILT = builtPath('SWITCHYARD_PAGE');

export type Oddity = {
  /// Replaces the folder of the built page.
  folder?: string;
  /// The path of the page; `/` by default.
  under?: string;
  /// The content type of wasm files.
  wasmType?: string;
  cacheControl?: string;
  /// Sends everything compressed, even if not requested.
  packed?: boolean;
  /// Requests for matching paths are never answered.
  neverAnswers?: RegExp;
  /// Files with this suffix are missing.
  lacks?: string;
};

export type Host = {
  url: string;
  /// Simulates another build: scripts and wasm files of this one are gone.
  redeploy(): void;
  /// Serves the files of this folder from now on.
  serve(folder: string): void;
  /// The paths requested so far, relative to the page.
  requests: string[];
  /// Stops answering.
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
  const requestedPaths: string[] = [];
  const server = http.createServer((request, answer) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const below = name.startsWith(under) ? name.slice(under.length) : undefined;
    requestedPaths.push(below ?? name);
    if (odd.neverAnswers?.test(name)) return;
    const file = path.join(folder, below === '' ? 'index.html' : below ?? '');
    const ending = path.extname(file);
    // The names of scripts and wasm files change with each build.
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
    requests: requestedPaths,
    redeploy: () => { isRedeployed = true; },
    stop: () => new Promise(done => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}
