// Browsers that lack an API, and what the demo's page says then. An API is taken away where it is
// looked for: on the page, or in the worker whose file is served with a line before it. What a
// policy forbids is in host-policy.node.test.ts.
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { agentPageFile, openAgentTab } from './agent-tab.ts';
import { launchChromium } from './chromium.ts';

let browser: Browser;
let context: BrowserContext;
let served: BuiltPage;
let hash: string;

beforeAll(async () => {
  [browser, served] = await Promise.all([
    launchChromium(),
    serveBuiltPage({ page: agentPageFile }),
  ]);
  context = await browser.newContext();
  const tab = await openAgentTab(context, served.url);
  expect(await tab.open('kept')).toBeNull();
  const writes = { '/workspace/kept.txt': 'kept' };
  hash = (await tab.run({ turns: [{ writes }] })).hashAfter;
  await tab.close();
});

afterAll(async () => {
  await browser.close();
  await served.close();
});

/** Runs `code` before everything else in the worker of that name. */
function inWorker(name: 'fs' | 'tool', code: string) {
  return async (page: Page) => {
    await page.route(`**/${name}.worker*.js`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${code};\n${await response.text()}` });
    });
  };
}

const onPage = (code: string) => (page: Page) => page.addInitScript(code);

const needs = 'which Rockpool needs.';
const keeps = (api: string, reason = '') =>
  `This browser or window can't keep a workspace on disk: ${api} is missing or refused${reason}. ` +
  'Use a current browser, outside private mode, over https or localhost.';

const lacking = [
  {
    api: 'Web Workers',
    prepare: onPage('delete globalThis.Worker'),
    message:
      `This page lacks Web Workers, ${needs} createBrowserHost runs in a page of a current ` +
      'browser; elsewhere use another host.',
  },
  {
    api: 'crypto.randomUUID',
    prepare: onPage('delete Crypto.prototype.randomUUID'),
    message: `This page lacks crypto.randomUUID, ${needs} Use a current browser.`,
  },
  {
    api: 'Web Locks',
    prepare: inWorker('fs', 'delete WorkerNavigator.prototype.locks'),
    message: keeps('navigator.locks (Web Locks)'),
  },
  {
    api: 'the origin private file system',
    prepare: inWorker('fs', 'delete StorageManager.prototype.getDirectory'),
    message: keeps('navigator.storage.getDirectory (the origin private file system)'),
  },
  {
    api: 'a private file system that opens',
    prepare: inWorker(
      'fs',
      `StorageManager.prototype.getDirectory = async () => {
        throw new DOMException('Not in a private window.', 'SecurityError');
      }`,
    ),
    message: keeps('navigator.storage.getDirectory', ' (SecurityError: Not in a private window.)'),
  },
  {
    api: 'sync access handles',
    prepare: inWorker('fs', 'delete FileSystemFileHandle.prototype.createSyncAccessHandle'),
    message: keeps('FileSystemFileHandle.createSyncAccessHandle (only in dedicated workers)'),
  },
  {
    api: 'sync access handles that work',
    prepare: inWorker(
      'fs',
      `FileSystemFileHandle.prototype.createSyncAccessHandle = async () => {
        throw new DOMException('Not here.', 'UnknownError');
      }`,
    ),
    message: keeps('FileSystemFileHandle.createSyncAccessHandle', ' (UnknownError: Not here.)'),
  },
  {
    api: 'WebAssembly',
    prepare: inWorker('tool', 'delete globalThis.WebAssembly'),
    message: 'This browser has no WebAssembly, which the Repl needs. Use a current browser.',
  },
];

describe('createBrowserHost', () => {
  it.each(lacking)('names what is missing: $api', async ({ prepare, message }) => {
    const tab = await openAgentTab(context, served.url, prepare);
    expect(await tab.open('kept')).toMatchObject({ code: 'unsupported-environment', message });
    await tab.page.close();
  });

  it('has left the workspace as it was, and free to be opened', async () => {
    const tab = await openAgentTab(context, served.url);
    expect(await tab.open('kept')).toBeNull();
    expect(await tab.treeHash()).toBe(hash);
    await tab.close();
  });
});

describe('the demo', () => {
  it("shows a person which directive is missing, instead of an IDE that doesn't work", async () => {
    const policy = contentSecurityPolicy.replace(" 'wasm-unsafe-eval'", '');
    const demo = await serveBuiltPage({ page: 'demo/index.html', policy });
    const page = await context.newPage();
    await page.goto(demo.url);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.getByRole('heading').textContent()).toBe('Rockpool can’t run here');
    expect(await alert.locator('p').allTextContents()).toEqual([
      'The Content-Security-Policy forbids WebAssembly in the tool worker. Add ' +
        "'wasm-unsafe-eval' to script-src, also in the header that the worker's file is served with.",
      'unsupported-environment',
    ]);
    await page.close();
    await demo.close();
  });
});
