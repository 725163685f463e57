// MCP servers in the demo, as a person has them. They are added by a form, looked at, switched off
// and on, and logged in to. There is the card of what one of them asks, too.
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { startLoginServer, type LoginServer } from '../../support/mcp/login-server.ts';
import { addLibrary } from '../../support/mcp/mcp-library.ts';
import { startMcpServer, type TestMcpServer } from '../../support/mcp/mcp-server.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { it } from '../chromium.ts';
import { findBreaches } from './find-breaches.ts';
import { said } from './demo-page.ts';

let demo: BuiltPage;
let mcp: TestMcpServer;
let model: MessagesServer;
let staff: LoginServer;

it.beforeAll(async () => {
  demo = await serveBuiltPage({ page: 'demo/index.html' });
  mcp = await startMcpServer(0, (one) => addLibrary(one, () => ''));
  model = await startMessagesServer();
  staff = await startLoginServer();
});

afterAll(async () => {
  await demo.close();
  await mcp[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await staff[Symbol.asyncDispose]();
});

/** Where pictures go, for whoever looks at them. */
const { SHOTS: shots } = process.env;

async function look(page: Page, name: string): Promise<void> {
  expect(await findBreaches(page, 'dialog, [role=alertdialog], [role=listbox]'), name).toEqual([]);
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}

async function open(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  const choice = { kind: 'server', baseUrl: model.url, apiKey: 'key-1', model: 'any' };
  await page.addInitScript((given) => {
    localStorage.setItem('rockpool-demo:model', JSON.stringify(given));
  }, choice);
  await page.goto(demo.url);
  await page.getByLabel('Message to the agent').waitFor();
  return { context, page };
}

describe('MCP servers in the demo', () => {
  it('are added, looked at, switched and logged in to; what one asks is answered in a card', async ({
    browser,
  }) => {
    const { context, page } = await open(browser);
    try {
      await page.getByRole('button', { name: 'MCP servers…' }).click();
      const dialog = page.getByRole('dialog', { name: 'MCP servers' });
      await dialog.getByLabel('Name').fill('books');
      await dialog.getByLabel('Address').fill(mcp.url);
      await dialog.getByLabel('Headers').fill('no header');
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.getByText('is no header').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'MCP servers…' }).click();
      expect(await dialog.getByLabel('Name').inputValue()).toBe('books');
      expect(await dialog.getByLabel('Headers').inputValue()).toBe('no header');
      await dialog.getByLabel('Headers').fill('');
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.getByText('It is connected with the first prompt.').waitFor();
      expect(await dialog.getByLabel('Name').inputValue()).toBe('');
      await dialog.getByRole('button', { name: 'Close' }).click();
      const call = { type: 'tool_use', id: 'call', name: 'mcp__books__order', input: {} } as const;
      const order = assistantMessage([call], { stop_reason: 'tool_use' });
      model.answer(
        { type: 'stream', text: toSse(textEvents('Hello.')) },
        { type: 'stream', text: toSse([...toEvents(order)]) },
        { type: 'stream', text: toSse(textEvents('Ordered.')) },
      );
      await page.getByLabel('Message to the agent').fill('Go.');
      await page.keyboard.press('Enter');
      await said(page, 'Hello.').waitFor();
      await page.getByRole('button', { name: 'MCP servers…' }).click();
      await dialog.getByText('connected', { exact: true }).waitFor();
      await dialog.getByText(/\d+ tools/u).click();
      await dialog.getByText('order', { exact: true }).waitFor();
      await look(page, 'servers-light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await look(page, 'servers-dark');
      await page.setViewportSize({ width: 390, height: 844 });
      await look(page, 'servers-phone');
      await dialog.getByRole('switch', { name: 'books' }).click();
      await dialog.getByText('switched off').waitFor();
      await dialog.getByRole('switch', { name: 'books' }).click();
      await dialog.getByText('connected', { exact: true }).waitFor();
      await dialog.getByLabel('Name').fill('staff');
      await dialog.getByLabel('Address').fill(staff.mcp.url);
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.getByText('wants a login', { exact: true }).waitFor();
      await look(page, 'login-phone');
      await dialog.getByRole('button', { name: 'Log in to staff' }).click();
      await dialog.getByText('connected', { exact: true }).nth(1).waitFor();
      expect(context.pages()).toHaveLength(1);
      staff.revoke();
      await dialog.getByRole('button', { name: 'Reconnect staff' }).click();
      await dialog.getByText('wants a login', { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      const bar = page.getByText('The MCP server staff wants a login.');
      await bar.waitFor();
      if (shots !== undefined) await page.screenshot({ path: `${shots}/login-bar-phone.png` });
      await bar.getByRole('button', { name: 'Log in…' }).click();
      await bar.waitFor({ state: 'detached' });
      await page.getByLabel('Message to the agent').fill('/mcp__books__describe b');
      await page.getByRole('option', { name: 'birch' }).waitFor();
      await look(page, 'values-phone');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Tab');
      expect(await page.getByLabel('Message to the agent').inputValue()).toBe(
        '/mcp__books__describe birch ',
      );
      await page.getByLabel('Message to the agent').fill('Order a tree.');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Allow once' }).click();
      const card = page.getByRole('alertdialog');
      await card.getByText('The MCP server books asks: Which tree?').waitFor();
      await look(page, 'form-phone');
      await page.setViewportSize({ width: 1280, height: 800 });
      await look(page, 'form-dark');
      await page.emulateMedia({ colorScheme: 'light' });
      await look(page, 'form-light');
      await card.getByLabel('kind').selectOption('birch');
      await card.getByLabel('count').fill('2');
      await page.keyboard.press('Enter');
      await said(page, 'Ordered.').waitFor();
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('birch');
    } finally {
      await context.close();
    }
  });
});
