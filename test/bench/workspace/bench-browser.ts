// The browser of the workspace bench: a profile that outlives its browser, pages that each begin
// anew, and what their processes hold of memory.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { findBrowser } from '../../../scripts/find-browser.mjs';
import type { PeersWorker } from '../pages/workspace/peers.worker.ts';
import type { WorkspaceBenchPage } from '../pages/workspace/page.ts';

/** Dispose it to delete what was stored in it. */
export interface BenchProfile extends Disposable {
  readonly path: string;
}

export function createProfile(): BenchProfile {
  const path = mkdtempSync(join(tmpdir(), 'rockpool-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  return { path, [Symbol.dispose]: remove };
}

/** A page that does one thing at a time. */
export interface BenchPage {
  /** Calls a method of `window.workspaceBench`. */
  call: CallMethod<WorkspaceBenchPage>;
  /** Calls a method of the worker that `openPeer` has started. */
  callPeer: CallMethod<PeersWorker>;
  close(): Promise<void>;
}

type CallMethod<Target extends Record<keyof Target, (...all: never[]) => unknown>> = <
  Method extends keyof Target & string,
>(
  method: Method,
  ...parameters: Parameters<Target[Method]>
) => Promise<Awaited<ReturnType<Target[Method]>>>;

/** Owns the browser's processes, not the profile. */
export interface BenchBrowser {
  openPage(): Promise<BenchPage>;
  /** In the tab that the browser began with, so that there is no other; with no script in it. */
  openEmptyPage(): Promise<void>;
  /** In that tab too. */
  openOnlyPage(): Promise<BenchPage>;
  /** Resident memory of all renderers of this browser, in bytes; null where there is no /proc. */
  rendererBytes(): number | null;
  close(): Promise<void>;
}

/** Starts a browser on the profile. With `collects`, pages and workers can be made to collect garbage. */
export async function launchBrowser(
  profile: BenchProfile,
  url: string,
  { collects = false } = {},
): Promise<BenchBrowser> {
  const executablePath = findBrowser();
  const context = await chromium.launchPersistentContext(profile.path, {
    ...(executablePath && { executablePath }),
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      // A renderer that waits for a page that never comes would count as one.
      '--disable-features=SpareRendererForSitePerProcess',
      ...(collects ? ['--js-flags=--expose-gc'] : []),
    ],
  });
  const firstTab = async () => context.pages()[0] ?? (await context.newPage());
  return {
    openPage: async () => loadPage(await context.newPage(), url),
    openOnlyPage: async () => loadPage(await firstTab(), url),
    async openEmptyPage() {
      await (await firstTab()).goto(new URL('empty', url).href);
    },
    rendererBytes: () => readRendererBytes(profile.path),
    close: () => context.close(),
  };
}

async function loadPage(tab: Page, url: string): Promise<BenchPage> {
  tab.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await tab.goto(url);
  await tab.waitForFunction(() => window.workspaceBench !== undefined);
  const call = (method: string, ...parameters: readonly unknown[]) =>
    tab.evaluate(
      async ([name, values]) => {
        const methods = window.workspaceBench as unknown as Record<string, Call>;
        return methods[name]?.(...values);
      },
      [method, parameters] as const,
    );
  // The casts: both ends are this bench's own, and the page's types hold for the caller.
  return {
    call: call as CallMethod<WorkspaceBenchPage>,
    callPeer: ((method: string, ...parameters: readonly unknown[]) =>
      call('callPeer', method, parameters)) as CallMethod<PeersWorker>,
    close: () => tab.close(),
  };
}

type Call = (...parameters: readonly unknown[]) => Promise<unknown>;

/** From Linux's /proc: all processes below the browser that was started on this profile. */
function readRendererBytes(profilePath: string): number | null {
  let processes: string[];
  try {
    processes = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  } catch {
    return null;
  }
  const renderers = processes.filter((id) => {
    const command = readProcess(id, 'cmdline');
    return command.includes('--type=renderer') && isBelow(id, profilePath);
  });
  return renderers.reduce((sum, id) => sum + residentBytes(id), 0);
}

/** Is one of the process's ancestors the browser of this profile? A renderer's own line doesn't say. */
function isBelow(id: string, profilePath: string): boolean {
  for (let current = id; current !== '' && current !== '0';) {
    if (readProcess(current, 'cmdline').includes(`--user-data-dir=${profilePath}`)) return true;
    current = /^PPid:\s+(\d+)$/mu.exec(readProcess(current, 'status'))?.[1] ?? '';
  }
  return false;
}

function residentBytes(id: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/mu.exec(readProcess(id, 'status'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Empty for a process that has ended meanwhile. */
function readProcess(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
