// Apps of MCP servers, and pages of a preview, that want out of their frame. Each way is seen to
// reach the listener from a bare frame. From behind the wall it is seen not to, whatever policy the
// page around it has.
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { contentSecurityPolicy } from '../../demo/content-security-policy.ts';
import { isAppFrame } from '../../scripts/app-frame.ts';
import { buildPage } from '../../scripts/build-page.ts';
import { it } from '../e2e/chromium.ts';
import type { AttackPage } from './app-frame/attack-page.ts';
import { toApps, toPeerApp, toTopApp, wayNames } from './app-frame/attacks.ts';
import { startListener } from './app-frame/listener.ts';
import type { Listener } from './app-frame/listener.ts';

let context: BrowserContext;
let server: Server;
let listener: Listener;
let origin: string;

it.beforeAll(async ({ browser }) => {
  listener = await startListener();
  const files = await buildPage('test/security/app-frame/attack-page.html');
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
    const file = files.get(pathname.slice(1));
    if (searchParams.has('strict') && !isAppFrame(pathname)) {
      response.setHeader('content-security-policy', contentSecurityPolicy);
    }
    response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.writeHead(file ? 200 : 404).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context = await browser.newContext();
});

afterAll(async () => {
  await context.close();
  await new Promise((resolve) => server.close(resolve));
  await listener[Symbol.asyncDispose]();
});

async function open(policy: 'strict' | 'bare'): Promise<Page> {
  const page = await context.newPage();
  const query = policy === 'strict' ? '?strict' : '';
  await page.goto(`${origin}/attack-page.html${query}`);
  await page.waitForFunction(() => 'attackPage' in globalThis);
  return page;
}

const draw = (page: Page, apps: readonly string[]) =>
  page.evaluate((given) => (globalThis as never as Owner).attackPage.draw(given), apps);
const preview = (page: Page, pages: readonly string[]) =>
  page.evaluate((given) => (globalThis as never as Owner).attackPage.preview(given), pages);
const drawBare = (page: Page, apps: readonly string[]) =>
  page.evaluate((given) => (globalThis as never as Owner).attackPage.drawBare(given), apps);

interface Owner {
  readonly attackPage: AttackPage;
}

describe('the frames of an app and of a preview', () => {
  it('let nothing out, in a page with a policy and in one without', async () => {
    const walled = [];
    for (const policy of ['strict', 'bare'] as const) {
      const page = await open(policy);
      await draw(page, [...toApps(listener.url, policy), toTopApp(listener.url, policy)]);
      walled.push({ page, address: page.url() });
    }
    const previewing = await open('bare');
    await preview(previewing, [...toApps(listener.url, 'bare'), toTopApp(listener.url, 'bare')]);
    walled.push({ page: previewing, address: previewing.url() });
    // Begun later, so what the others could reach has been reached when all of these have.
    const naked = await open('bare');
    await drawBare(naked, toApps(listener.url, 'naked'));
    await drawBare(await open('bare'), [toTopApp(listener.url, 'naked')]);
    await listener.whenHeard(wayNames.map((way) => `naked ${way}`));
    expect([...listener.hits].filter((hit) => /^(?:strict|bare) /u.test(hit))).toEqual([]);
    for (const { page, address } of walled) expect(page.url()).toBe(address);
  });

  // docs/mcp.md says so: Chromium knows no policy for it.
  it('keep no datagram of WebRTC back', async () => {
    await draw(await open('strict'), [toPeerApp(listener.udpPort)]);
    await listener.whenDatagram();
  });
});
