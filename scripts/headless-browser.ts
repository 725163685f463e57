/**
 * The headless command's browser host: serves demo/headless.html from memory, drives it in
 * headless Chromium, and passes messages and files on.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { chromium } from 'playwright';
import type { HeadlessPage } from '../demo/headless.ts';
import { startModelRelay } from './model-relay.ts';
import { serveBuiltPage } from './serve-built-page.ts';
import { packEntries, unpackEntries } from './file-pack.ts';
import { findBrowser } from './find-browser.mjs';
import { createFolderWriter, readFolder } from './folder-entries.ts';
import type { HeadlessArguments } from './headless-arguments.ts';

declare global {
  interface Window {
    /** Set by demo/headless.ts. */
    headless?: HeadlessPage;
  }
}

export interface HeadlessOptions {
  /** One line of stdout. */
  readonly print: (line: string) => void;
  /** One line of stderr. */
  readonly complain: (line: string) => void;
  readonly signal: AbortSignal;
}

/** True if the turn ended with success. Rejects when it could not be run at all. */
export async function runInBrowser(
  { workspace, out, ...task }: HeadlessArguments,
  { print, complain, signal }: HeadlessOptions,
): Promise<boolean> {
  const executablePath = findBrowser();
  if (!executablePath) {
    throw new Error('There is no Chromium. Run `node scripts/setup.mjs --browser` once.');
  }
  const batches = readFolder(workspace);
  const writer = out === undefined ? undefined : createFolderWriter(out);
  const page = await serveBuiltPage({
    page: 'demo/headless.html',
    handle: (path, request, response) => {
      if (path === 'in') sendNext(batches, response);
      else if (path === 'out' && request.method === 'POST' && writer) {
        void receive(request, response, (pack) => writer.write(unpackEntries(pack)));
      } else return false;
      return true;
    },
  });
  const relay = await relayTo(task.model, page.url);
  const browser = await chromium.launch({
    executablePath,
    // Our own SIGINT lets the turn end and the files be written first.
    handleSIGINT: false,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  });
  try {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => complain(`page: ${error.message}`));
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(`page: ${message.text()}`);
    });
    const crashed = new Promise<never>((_resolve, reject) => {
      tab.on('crash', () => reject(new Error('The page crashed.')));
    });
    await tab.exposeBinding('printMessage', (_source, line: string) => print(line));
    await tab.goto(page.url);
    await tab.waitForFunction(() => window.headless !== undefined);
    const stop = () => void tab.evaluate(() => window.headless?.stop()).catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const run = tab.evaluate((options) => window.headless?.run(options), {
      ...task,
      sendsFiles: writer !== undefined,
      ...(relay && { relayUrl: relay.url }),
    });
    const outcome = await Promise.race([run, crashed]);
    writer?.finish();
    if (!outcome) throw new Error('The page did not run.');
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.isSuccess;
  } finally {
    await browser.close();
    await relay?.close();
    await page.close();
  }
}

/** For a server that was named: it may never have heard of pages. Anthropic's own API has. */
async function relayTo(model: HeadlessArguments['model'], pageUrl: string) {
  if (model.kind === 'scripted' || model.baseURL === undefined) return undefined;
  return startModelRelay({ baseUrl: model.baseURL, origin: new URL(pageUrl).origin });
}

type Batches = ReturnType<typeof readFolder>;

function sendNext(batches: Batches, response: ServerResponse): void {
  try {
    const { value, done } = batches.next();
    if (done) response.writeHead(204).end();
    else response.end(packEntries(value));
  } catch (error) {
    refuse(response, error);
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  take: (body: Uint8Array) => void,
): Promise<void> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    take(Buffer.concat(chunks));
    response.writeHead(204).end();
  } catch (error) {
    refuse(response, error);
  }
}

/** The page makes its own error of it, which ends the run. */
function refuse(response: ServerResponse, error: unknown): void {
  response.writeHead(500).end(error instanceof Error ? error.message : String(error));
}
