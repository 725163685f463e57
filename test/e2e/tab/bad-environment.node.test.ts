// Browsers and policies that lack what the browser host needs, each for real, and what a page is
// told: the missing API or directive. An API is taken away where it is looked for: on the page, or
// in the worker before its own code runs.
import type { BrowserContext, Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { contentSecurityPolicy } from '../../../demo/content-security-policy.ts';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { agentPageFile, openAgentTab, type AgentTab } from './agent-tab.ts';
import { it } from '../chromium.ts';

let context: BrowserContext;
let served: BuiltPage;
/** A tab under the demo's policy that lacks nothing of its own. */
let tab: AgentTab;

it.beforeAll(async ({ browser }) => {
  served = await serveBuiltPage({ page: agentPageFile });
  context = await browser.newContext();
  tab = await openAgentTab(context, served.url);
});

afterAll(async () => {
  await context.close();
  await served.close();
});

type Prepare = (page: Page) => Promise<unknown>;

/** Runs `code` before everything else in the worker of that name. */
function inWorker(name: 'fs' | 'tool', code: string): Prepare {
  const script = {
    contentType: 'text/javascript',
    headers: { 'content-security-policy': contentSecurityPolicy },
  };
  return async (page) => {
    await page.route('**/lacking.js', (route) => route.fulfill({ ...script, body: code }));
    await page.route(`**/${name}.worker*.js`, (route) => {
      const whole = `${route.request().url()}?whole`;
      return route.fulfill({ ...script, body: `import './lacking.js'; import '${whole}';` });
    });
  };
}

const cell = { turns: [{ calls: [{ name: 'Repl', input: { code: '1 + 1' } }] }] };

const needs = 'which Rockpool needs.';
const keeps = (api: string, reason = '') =>
  `This browser or window can't keep a workspace on disk: ${api} is missing or refused${reason}. ` +
  'Use a current browser, outside private mode, over https or localhost, and let this site keep data.';

/** As Chromium does where a person lets the site keep no data, and Chrome for a frame of another site. */
const refusingLocks = inWorker(
  'fs',
  "LockManager.prototype.request = () => Promise.reject(new DOMException('No.', 'SecurityError'))",
);

const lackingOnPage = [
  {
    api: 'Web Workers',
    code: 'delete globalThis.Worker',
    message:
      `This page lacks Web Workers, ${needs} createBrowserHost runs in a page of a current ` +
      'browser; elsewhere use another host.',
  },
  {
    api: 'crypto.randomUUID',
    code: 'delete Crypto.prototype.randomUUID',
    message: `This page lacks crypto.randomUUID, ${needs} Use a current browser.`,
  },
];

const lackingInWorker = [
  {
    api: 'Web Locks',
    prepare: inWorker('fs', 'delete WorkerNavigator.prototype.locks'),
    message: keeps('navigator.locks (Web Locks)'),
  },
  {
    api: 'Web Locks that it may use',
    prepare: refusingLocks,
    message: keeps('navigator.locks (Web Locks)', ' (SecurityError: No.)'),
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

describe('createBrowserHost in a browser that lacks an API', () => {
  let hash: string;

  it.beforeAll(async () => {
    expect(await tab.open('kept')).toBeNull();
    const writes = { '/workspace/kept.txt': 'kept' };
    hash = (await tab.run({ turns: [{ writes }] })).hashAfter;
    await tab.close();
  });

  it.each(lackingOnPage)('names what the page lacks: $api', async ({ code, message }) => {
    const lacking = await openAgentTab(context, served.url, (page) => page.addInitScript(code));
    expect(await lacking.open('kept')).toMatchObject({ code: 'unsupported-environment', message });
    await lacking.page.close();
  });

  it.each(lackingInWorker)('names what a worker lacks: $api', async ({ prepare, message }) => {
    await prepare(tab.page);
    const refusal = await tab.open('kept', 'opfs-log');
    await tab.page.unrouteAll();
    expect(refusal).toMatchObject({ code: 'unsupported-environment', message });
  });

  it('keeps a workspace in IndexedDB where synchronous handles do not work', async () => {
    const [, , , , handles] = lackingInWorker;
    await handles?.prepare(tab.page);
    expect(await tab.open('elsewhere')).toBeNull();
    expect(await tab.driver()).toBe('idb-log');
    const writes = { '/workspace/kept.txt': 'kept' };
    const { hashAfter } = await tab.run({ turns: [{ writes }] });
    await tab.close();
    expect(await tab.open('elsewhere')).toBeNull();
    expect(await tab.treeHash()).toBe(hashAfter);
    await tab.close();
    await tab.page.unrouteAll();
    // Handles that work later, after an update say, must not make it look empty.
    expect(await tab.open('elsewhere')).toBeNull();
    expect([await tab.driver(), await tab.treeHash()]).toEqual(['idb-log', hashAfter]);
    await tab.close();
  });

  it('has left the workspace as it was, and free to be opened by the same page', async () => {
    expect(await tab.open('kept')).toBeNull();
    expect(await tab.treeHash()).toBe(hash);
    await tab.close();
  });
});

describe('createBrowserHost in a page that forbids something', () => {
  /** What opening says on a page under `policy`. */
  async function openUnder(policy: string, hostname = '127.0.0.1') {
    // A page of no origin may load not even its own modules without it.
    const headers = { 'access-control-allow-origin': '*' };
    const page = await serveBuiltPage({ page: agentPageFile, policy, headers });
    const forbidding = await openAgentTab(context, page.url.replace('127.0.0.1', hostname));
    try {
      return await forbidding.open('forbidden');
    } finally {
      await forbidding.page.close();
      await page.close();
    }
  }

  it('runs a cell under the policy that the demo ships with', async () => {
    expect(await tab.open('allowed')).toBeNull();
    expect((await tab.run(cell)).answers).toEqual([{ text: '=> 2', isError: false }]);
    await tab.close();
  });

  it('names worker-src where workers are blocked', async () => {
    const policy = contentSecurityPolicy.replace("worker-src 'self'", "worker-src 'none'");
    expect(await openUnder(policy)).toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringMatching(
        /^The page's Content-Security-Policy blocks the fsWorker .*worker-src 'self'\.$/,
      ),
    });
  });

  it('names the secure context where the page has none', async () => {
    expect(await openUnder(contentSecurityPolicy, 'insecure.test')).toMatchObject({
      code: 'unsupported-environment',
      message: `This page lacks a secure context, ${needs} Serve the page over https, or from localhost.`,
    });
  });

  it('names allow-same-origin where the page is in a sandbox without it', async () => {
    expect(await openUnder(`${contentSecurityPolicy}; sandbox allow-scripts`)).toMatchObject({
      code: 'unsupported-environment',
      message:
        `This page lacks an origin of its own, ${needs} In an iframe with a sandbox attribute, add allow-same-origin to ` +
        'it. A file: page is to be served over http from localhost, or over https.',
    });
  });

  it('says what to do about a frame of another site that may keep nothing', async () => {
    const policy = contentSecurityPolicy.replace("frame-src 'self'", 'frame-src *');
    const around = await serveBuiltPage({ page: agentPageFile, policy });
    const page = await context.newPage();
    await refusingLocks(page);
    await page.goto(around.url.replace('127.0.0.1', 'localhost'));
    await page.evaluate((src) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src }));
    }, served.url);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    await frame?.waitForFunction(() => window.agentPage !== undefined);
    const open = (driver?: 'memory') =>
      frame?.evaluate((given) => window.agentPage!.open('framed', given), driver);
    expect(await open()).toMatchObject({
      code: 'unsupported-environment',
      message:
        `${keeps('navigator.locks (Web Locks)', ' (SecurityError: No.)')} ` +
        'This page is in a frame of another site, for which browsers may refuse storage: open it in a tab of its own, ' +
        "allow this site third-party cookies, or pass driver: 'memory', which keeps nothing.",
    });
    expect(await open('memory')).toBeNull();
    await page.close();
    await around.close();
  });

  it('names connect-src and assets.wasm where the engine cannot be fetched', async () => {
    await tab.page.route('**/*.wasm', (route) => route.abort());
    expect(await tab.open('allowed')).toBeNull();
    const { answers, end } = await tab.run(cell);
    await tab.page.unrouteAll();
    await tab.close();
    expect(answers).toEqual([
      {
        text: expect.stringMatching(/could not be fetched from .*assets\.wasm.*connect-src/),
        isError: true,
      },
    ]);
    expect(end).toEqual({ subtype: 'success', text: 'Done.' });
  });

  it("names 'wasm-unsafe-eval' to a person, instead of a demo that doesn't work", async () => {
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
