/**
 * The headless command's browser host: serves demo/headless.html from memory, drives it in
 * headless Chromium, and passes messages and files on.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import type { SDKSessionInfo } from 'rockpool';
import type { HeadlessPage } from '../demo/headless.ts';
import { startModelRelay } from './model-relay.ts';
import { serveBuiltPage, type BuiltPageOptions } from './serve-built-page.ts';
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
export async function run(
  { workspace, out, profile, ...task }: HeadlessArguments,
  { print, complain, signal }: HeadlessOptions,
): Promise<boolean> {
  const batches = workspace === undefined ? undefined : readFolder(workspace);
  const writer = out === undefined ? undefined : createFolderWriter(out);
  await using opened = await openPage(profile, complain, (path, request, response) => {
    if (path === 'in' && batches) sendNext(batches, response);
    else if (path === 'out' && request.method === 'POST' && writer) {
      void receive(request, response, (pack) => writer.write(unpackEntries(pack)));
    } else return false;
    return true;
  });
  const { tab, crashed, origin } = opened;
  const relay = await relayTo(task.model, origin);
  try {
    await tab.exposeBinding('printMessage', (_source, line: string) => print(line));
    const stop = () => void tab.evaluate(() => window.headless?.stop()).catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const running = tab.evaluate((options) => window.headless?.run(options), {
      ...task,
      takesFiles: batches !== undefined,
      sendsFiles: writer !== undefined,
      isKept: profile !== undefined,
      ...(relay && { relayUrl: relay.url }),
    });
    const outcome = await Promise.race([running, crashed]);
    writer?.finish();
    if (!outcome) throw new Error('The page did not run.');
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.isSuccess;
  } finally {
    await relay?.close();
  }
}

/** The sessions that a profile keeps, the newest first. */
export async function list(
  profile: string,
  { complain }: HeadlessOptions,
): Promise<readonly SDKSessionInfo[]> {
  await using opened = await openPage(profile, complain);
  const { tab, crashed } = opened;
  const outcome = await Promise.race([tab.evaluate(() => window.headless?.list()), crashed]);
  if (!outcome) throw new Error('The page did not run.');
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.sessions;
}

interface OpenedPage extends AsyncDisposable {
  readonly tab: Page;
  /** The page's. */
  readonly origin: string;
  readonly crashed: Promise<never>;
}

/** The headless page in a browser of its own, ready to be called. */
async function openPage(
  profile: string | undefined,
  complain: HeadlessOptions['complain'],
  handle: BuiltPageOptions['handle'] = () => false,
): Promise<OpenedPage> {
  const executablePath = findBrowser();
  if (!executablePath) {
    throw new Error('There is no Chromium. Run `node scripts/setup.mjs --browser` once.');
  }
  const page = await serveBuiltPage({ page: 'demo/headless.html', handle });
  const { host, pathname } = new URL(page.url);
  const options = {
    executablePath,
    // Our own SIGINT lets the turn end and the files be written first.
    handleSIGINT: false,
    args: [
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      // A profile's files belong to an origin, and the port is another one in each run.
      `--host-resolver-rules=MAP ${keptHost}:80 ${host}`,
    ],
  };
  const context =
    profile === undefined
      ? await chromium.launch(options)
      : await chromium.launchPersistentContext(join(profile, 'browser'), options);
  try {
    const tab = await context.newPage();
    tab.on('pageerror', (error) => complain(`page: ${error.message}`));
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(`page: ${message.text()}`);
    });
    const crashed = new Promise<never>((_resolve, reject) => {
      tab.on('crash', () => reject(new Error('The page crashed.')));
    });
    const origin = profile === undefined ? new URL(page.url).origin : `http://${keptHost}`;
    await tab.goto(`${origin}${pathname}`);
    await tab.waitForFunction(() => window.headless !== undefined);
    return {
      tab,
      origin,
      crashed,
      async [Symbol.asyncDispose]() {
        await context.close();
        await page.close();
      },
    };
  } catch (error) {
    await context.close();
    await page.close();
    throw error;
  }
}

/** The browsers' own name for this machine, so its pages count as secure ones. */
const keptHost = 'rockpool.localhost';

/** For a server that was named: it may never have heard of pages. Anthropic's own API has. */
async function relayTo(model: HeadlessArguments['model'], origin: string) {
  if (model.kind === 'scripted' || model.baseURL === undefined) return undefined;
  return startModelRelay({ baseUrl: model.baseURL, origin });
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
