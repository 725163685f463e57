// The page of `npm run headless`: no interface, only a browser host and one turn. The command
// (scripts/headless-browser.ts) calls it, sends it the folder's files and receives its output.
import { listSessions, type SDKSessionInfo } from 'rockpool';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { messageOf } from './message-of.ts';
import { packEntries, unpackEntries } from '../scripts/file-pack.ts';
import { readWorkspace, runTask, type HeadlessTask } from '../scripts/headless-session.ts';

export interface HeadlessRun extends HeadlessTask {
  /** Whether the command has files for the workspace. */
  readonly takesFiles: boolean;
  /** Whether the workspace is kept for the next run. */
  readonly isKept: boolean;
  /** Whether the command wants the files back. */
  readonly sendsFiles: boolean;
  /** Replaces the origin of the model's server. Left out: requests go to the server directly. */
  readonly relayUrl?: string;
}

export type HeadlessOutcome = { readonly isSuccess: boolean } | { readonly error: string };

export type HeadlessList =
  { readonly sessions: readonly SDKSessionInfo[] } | { readonly error: string };

/** The object that the command uses as `window.headless`. */
export interface HeadlessPage {
  run(run: HeadlessRun): Promise<HeadlessOutcome>;
  /** The stored sessions of the workspace, newest first. */
  list(): Promise<HeadlessList>;
  /** Stops the turn; `run` then ends by itself. */
  stop(): void;
}

declare global {
  interface Window {
    /** Provided by the command: resolves when the line is printed. */
    printMessage(line: string): Promise<void>;
  }
}

const controller = new AbortController();
const page: HeadlessPage = {
  stop: () => controller.abort(new Error('Interrupted.')),
  async run({ takesFiles, sendsFiles, isKept, relayUrl, ...task }) {
    try {
      const host = await openHost();
      try {
        if (takesFiles) await receiveFiles(host);
        const isSuccess = await runTask(task, {
          host,
          emit: (message) => window.printMessage(JSON.stringify(message)),
          signal: controller.signal,
          ...(relayUrl !== undefined && { fetch: fetchThrough(relayUrl) }),
        });
        if (sendsFiles) await sendFiles(host);
        return { isSuccess };
      } finally {
        await (isKept ? host[Symbol.asyncDispose]() : host.destroy());
      }
    } catch (error) {
      return toOutcome(error);
    }
  },
  async list() {
    try {
      await using host = await openHost();
      return { sessions: await listSessions({ host, includeArchived: true }) };
    } catch (error) {
      return toOutcome(error);
    }
  },
};
Object.assign(window, { headless: page });

function openHost(): Promise<BrowserHost> {
  return createBrowserHost({
    workspace: 'headless',
    driver: 'opfs-log',
    assets: { wasm: wasmUrl },
  });
}

function toOutcome(error: unknown): { readonly error: string } {
  return { error: messageOf(error) };
}

function fetchThrough(relayUrl: string): typeof fetch {
  return (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const url = `${relayUrl}${pathname}${search}`;
    return fetch(input instanceof Request ? new Request(url, input) : url, init);
  };
}

async function receiveFiles(host: BrowserHost): Promise<void> {
  for (;;) {
    const response = await fetch('in');
    if (response.status === 204) return;
    if (!response.ok) throw new Error(`The folder could not be read: ${await response.text()}`);
    await host.importFiles(unpackEntries(new Uint8Array(await response.arrayBuffer())));
  }
}

async function sendFiles(host: BrowserHost): Promise<void> {
  for await (const entries of readWorkspace(host)) {
    const response = await fetch('out', { method: 'POST', body: packEntries(entries) });
    if (!response.ok) throw new Error(`--out could not be written: ${await response.text()}`);
  }
}
