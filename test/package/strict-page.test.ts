/**
 * vite.config.ts serves and builds pages under the demo's policy: no inline script, no eval, no COOP
 * or COEP. The page here is a small one of its own, in a real Chromium.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { build, createServer, preview, type InlineConfig, type Plugin } from 'vite';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { it } from '../e2e/chromium.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const files = {
  'index.html': `<!doctype html><title>page</title>
    <meta http-equiv="Content-Security-Policy" content="%CONTENT_SECURITY_POLICY%">
    <div id="root"></div><script type="module" src="./main.tsx"></script>`,
  'main.tsx': `import { createRoot } from 'react-dom/client';
    import wasm from 'quickjs-wasi/quickjs.wasm?url';
    const worker = new Worker(new URL('./echo.worker.ts', import.meta.url), { type: 'module' });
    const answer = new Promise((resolve) => worker.addEventListener('message', resolve));
    const engine = await WebAssembly.compileStreaming(fetch(wasm));
    const { data } = await answer;
    createRoot(document.getElementById('root')!).render(<p id="done">{data} {String(engine)}</p>);`,
  'echo.worker.ts': `import { text } from './text.ts'; self.postMessage(text satisfies string);`,
  'text.ts': `export const text = 'from a worker';`,
};

/** To bundle all of the package's, of which the page has none, would take longer than the rest. */
const fewDependencies: Plugin = {
  name: 'few-dependencies',
  config(config) {
    config.optimizeDeps = { include: ['react-dom/client', 'react/jsx-dev-runtime'] };
  },
};

let folder: string;
let config: InlineConfig;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strict-page-'));
  mkdirSync(join(folder, 'page'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, 'page', name), text);
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction');
  config = {
    configFile: join(repository, 'vite.config.ts'),
    root: join(folder, 'page'),
    cacheDir: join(folder, 'cache'),
    logLevel: 'error',
    plugins: [fewDependencies],
    server: { fs: { allow: [folder, repository] } },
  };
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a page and resolves with what it shows, what the policy blocked, and its headers. */
async function visit(browser: Browser, url: string) {
  const page = await browser.newPage();
  const blocked: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) blocked.push(message.text());
  });
  const response = await page.goto(url);
  const text = await page.locator('#done').textContent();
  const headers = response?.headers() ?? {};
  const inPage = await page.locator('meta[http-equiv]').getAttribute('content');
  await page.close();
  return {
    text,
    blocked,
    policies: [inPage, headers['content-security-policy']],
    isolation: Object.keys(headers).filter((name) => name.startsWith('cross-origin')),
  };
}

const works = {
  text: 'from a worker [object WebAssembly.Module]',
  blocked: [],
  policies: [contentSecurityPolicy, contentSecurityPolicy],
  isolation: [],
};

describe('vite.config.ts', () => {
  it('has a policy that allows no eval and no inline script', () => {
    const scripts = contentSecurityPolicy.split(';').find((part) => /^ *script-src /.test(part));
    expect(scripts?.trim()).toBe("script-src 'self' 'wasm-unsafe-eval'");
  });

  it('serves JSX, a worker and wasm under a strict policy in dev', async ({ browser }) => {
    const server = await createServer(config);
    try {
      await server.listen(0);
      expect(await visit(browser, server.resolvedUrls?.local[0] ?? '')).toEqual(works);
    } finally {
      await server.close();
    }
  });

  it('builds a page that works under the same policy', async ({ browser }) => {
    await build(config);
    const server = await preview({ ...config, preview: { port: 0 } });
    try {
      expect(await visit(browser, server.resolvedUrls?.local[0] ?? '')).toEqual(works);
    } finally {
      await server.close();
    }
  });
});
