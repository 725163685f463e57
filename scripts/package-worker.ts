/**
 * Installs a packed tarball (the one argument) into a copy of demo/edge, as who pressed its deploy
 * button has it, and runs it in workerd. Do its types fit? Does wrangler pack it, without a PDF
 * reader? Does a turn end in a session's object, and is it counted by its owner's? Is the session
 * gone when it is deleted? Called by check-package.ts.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Wire from '../src/wire.ts';
import { findPort, runWrangler, serveWorker } from './wrangler.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const password = 'of a stranger';

/** The demo with the tarball in the place of what the registry has, and the types that its editor has. */
function install(folder: string, tarball: string): void {
  const isOwn = (path: string) => !/[\\/](node_modules|\.wrangler|\.dev\.vars)$/u.test(path);
  cpSync(join(root, 'demo/edge'), folder, { recursive: true, filter: isOwn });
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies: { rockpool: tarball } }));
  // wrangler and the types are the toolchain's: several hundred megabytes that are here already.
  execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const types = 'node_modules/@cloudflare/workers-types';
  mkdirSync(join(folder, 'node_modules/@cloudflare'), { recursive: true });
  cpSync(join(root, types), join(folder, types), { recursive: true });
}

/** In kB, gzipped, as wrangler counts it. */
function measureUpload(folder: string): number {
  const said = runWrangler(folder, 'deploy', '--dry-run', '--outdir', 'packed');
  const [, size] = /gzip: ([\d.]+) KiB/u.exec(said) ?? [];
  if (size === undefined) throw new Error(`wrangler tells no size:\n${said}`);
  if (readFileSync(join(folder, 'packed/worker.js'), 'utf8').includes('PDFDocumentProxy')) {
    throw new Error('the PDF reader is packed in');
  }
  return Math.round(Number(size));
}

/** Resolves with what went wrong, or undefined. */
async function tryTurn(folder: string, url: string): Promise<string | undefined> {
  const ask = (path: string, method = 'GET') =>
    fetch(`${url}/api/sessions${path}`, {
      method,
      headers: { authorization: `Bearer ${password}` },
      // A turn takes a second; a machine that is busy, several.
      signal: AbortSignal.timeout(60_000),
    });
  const stranger = await fetch(`${url}/api/sessions`);
  if (stranger.status !== 401) return `who knows no password got ${stranger.status}`;
  const { id } = (await (await ask('', 'POST')).json()) as { readonly id: string };
  const result = await runTurn(folder, `${url}/api/sessions/${id}/wire`);
  if (result !== '"The sum is 42."') return `the turn ended with ${result}`;
  // It is told by an alarm, a moment later.
  for (let tries = 0; ; tries += 1) {
    const [entry] = (await (await ask('')).json()) as readonly { readonly turns: number }[];
    if (entry?.turns === 1) break;
    if (tries === 50) return `the owner counts ${JSON.stringify(entry)}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await ask(`/${id}`, 'DELETE');
  const left = await (await ask('')).text();
  return left === '[]' ? undefined : `the deleted session is still there: ${left}`;
}

/** By the wire of the installed package, as a page has it. */
async function runTurn(folder: string, url: string): Promise<string> {
  const wire = pathToFileURL(join(folder, 'node_modules/rockpool/dist/wire.js')).href;
  const { connectSession, fetchTicket } = (await import(wire)) as typeof Wire;
  const headers = { authorization: `Bearer ${password}` };
  await using session = await connectSession(url, { ticket: () => fetchTicket(url, headers) });
  await session.send('Add 40 and 2.');
  for await (const message of session.messages()) {
    if (message.type === 'result') return JSON.stringify('result' in message && message.result);
  }
  return 'nothing';
}

const [tarball] = process.argv.slice(2);
if (!tarball) throw new Error('usage: node scripts/package-worker.ts <tarball>');
const folder = mkdtempSync(join(tmpdir(), 'package-worker-'));
try {
  install(folder, tarball);
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc6'), '-p', folder], {
    stdio: 'inherit',
  });
  const size = measureUpload(folder);
  const worker = await serveWorker(folder, await findPort(), { PASSWORD: password });
  const problem = await tryTurn(folder, worker.url).finally(() => worker.close());
  console.log(
    problem === undefined ? `ok   Worker, ${size} kB gzipped` : `FAIL Worker: ${problem}`,
  );
  if (problem !== undefined) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, maxRetries: 5 });
}
