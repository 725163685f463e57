// Pages that lack what the browser host needs, each served for real: the error names the missing
// directive or API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, type Browser, type Page } from 'playwright';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { serveBuiltPage } from '../../scripts/serve-built-page.ts';
import { findBrowser } from '../../scripts/find-browser.mjs';
import type { HeadlessOutcome } from '../../demo/headless.ts';

let browser: Browser;

beforeAll(async () => {
  const executablePath = findBrowser();
  browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    // A name that isn't localhost makes an http page an insecure context.
    args: ['--disable-gpu', '--host-resolver-rules=MAP insecure.test 127.0.0.1'],
  });
});

afterAll(() => browser.close());

const task = {
  prompt: 'Add.',
  model: {
    kind: 'scripted',
    script: {
      turns: [
        { blocks: [{ type: 'tool_use', name: 'Repl', input: { code: '1 + 1' } }] },
        { blocks: [{ type: 'text', text: 'Done.' }] },
      ],
    },
  },
  permissionMode: 'bypassPermissions',
  allow: [],
  sendsFiles: false,
} as const;

interface RunOptions {
  readonly hostname?: string;
  readonly prepare?: (tab: Page) => Promise<unknown>;
}

/** Runs a turn with a cell in a page under `policy`. */
async function runUnder(policy: string, { hostname = '127.0.0.1', prepare }: RunOptions = {}) {
  const page = await serveBuiltPage({
    page: 'demo/headless.html',
    policy,
    // No files are loaded.
    handle: (path, _request, response) => {
      if (path === 'in') response.writeHead(204).end();
      return path === 'in';
    },
  });
  const tab = await browser.newPage();
  const lines: string[] = [];
  try {
    await tab.exposeBinding('printMessage', (_source, line: string) => void lines.push(line));
    await prepare?.(tab);
    await tab.goto(page.url.replace('127.0.0.1', hostname));
    await tab.waitForFunction(() => window.headless !== undefined);
    const outcome = await tab.evaluate((run) => window.headless?.run(run), task);
    return { outcome: outcome as HeadlessOutcome, lines };
  } finally {
    await tab.close();
    await page.close();
  }
}

describe('createBrowserHost in a page that lacks something', () => {
  it('runs a cell under the policy that the demo ships with', async () => {
    const { outcome, lines } = await runUnder(contentSecurityPolicy);
    expect(outcome).toEqual({ isSuccess: true });
    expect(lines.join('\n')).toContain('=> 2');
  });

  it("names 'wasm-unsafe-eval' where WebAssembly is forbidden", async () => {
    const { outcome } = await runUnder(contentSecurityPolicy.replace(" 'wasm-unsafe-eval'", ''));
    expect(outcome).toEqual({
      error:
        'The Content-Security-Policy forbids WebAssembly in the tool worker. Add ' +
        "'wasm-unsafe-eval' to script-src, also in the header that the worker's file is served with.",
    });
  });

  it('names worker-src where workers are blocked', async () => {
    const policy = contentSecurityPolicy.replace("worker-src 'self'", "worker-src 'none'");
    const { outcome } = await runUnder(policy);
    expect(outcome).toEqual({
      error: expect.stringMatching(
        /^The page's Content-Security-Policy blocks the fsWorker .*worker-src 'self'\.$/,
      ),
    });
  });

  it('names the secure context where the page has none', async () => {
    const { outcome } = await runUnder(contentSecurityPolicy, { hostname: 'insecure.test' });
    expect(outcome).toEqual({
      error:
        'This page lacks a secure context, which Rockpool needs. Serve the page over https, or ' +
        'from localhost.',
    });
  });

  it('names connect-src and assets.wasm where the engine cannot be fetched', async () => {
    const { outcome, lines } = await runUnder(contentSecurityPolicy, {
      prepare: (tab) => tab.route('**/*.wasm', (route) => route.abort()),
    });
    expect(outcome).toEqual({ isSuccess: true });
    expect(lines.join('\n')).toMatch(/could not be fetched from .*assets\.wasm.*connect-src/);
  });
});
