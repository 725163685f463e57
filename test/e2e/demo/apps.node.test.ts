// An app of an MCP server in the demo, as a person has it. It is drawn with its call, used, made
// wide, closed, and drawn again after a reload.
import type { Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { startMcpServer, type TestMcpServer } from '../../support/mcp/mcp-server.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { addWeatherApp } from '../../support/mcp/weather-app.ts';
import { it, watchPage } from '../chromium.ts';
import { findBreaches } from './find-breaches.ts';
import { said } from './demo-page.ts';

let demo: BuiltPage;
let mcp: TestMcpServer;
let model: MessagesServer;

it.beforeAll(async () => {
  demo = await serveBuiltPage({ page: 'demo/index.html' });
  mcp = await startMcpServer(0, addWeatherApp);
  model = await startMessagesServer();
});

afterAll(async () => {
  await demo.close();
  await mcp[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Where pictures go, for whoever looks at them. */
const { SHOTS: shots } = process.env;

async function look(page: Page, name: string): Promise<void> {
  expect(await findBreaches(page, '.rp-app'), name).toEqual([]);
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}

describe('an app in the demo', () => {
  it('is drawn, used, closed, and drawn again after a reload', async ({ browser }) => {
    const context = await browser.newContext({ colorScheme: 'light' });
    try {
      const page = await context.newPage();
      const complaints = await watchPage(page);
      const choice = { kind: 'server', baseUrl: model.url, apiKey: 'key-1', model: 'any' };
      await page.addInitScript((given) => {
        // Also run in the app's frames, which have no storage.
        if (self.origin !== 'null') {
          localStorage.setItem('rockpool-demo:model', JSON.stringify(given));
        }
      }, choice);
      await page.goto(demo.url);
      const field = page.getByLabel('Message to the agent');
      await field.waitFor();
      await page.getByRole('button', { name: 'MCP servers…' }).click();
      const dialog = page.getByRole('dialog', { name: 'MCP servers' });
      await dialog.getByLabel('Name').fill('weather');
      await dialog.getByLabel('Address').fill(mcp.url);
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.getByText('It is connected with the first prompt.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();

      const input = { city: 'Oslo' };
      const call = { type: 'tool_use', id: 'call', name: 'mcp__weather__forecast', input } as const;
      model.answer(
        { type: 'stream', text: toSse(textEvents('Hello.')) },
        {
          type: 'stream',
          text: toSse([...toEvents(assistantMessage([call], { stop_reason: 'tool_use' }))]),
        },
        { type: 'stream', text: toSse(textEvents('There it is.')) },
      );
      await field.fill('Go.');
      await page.keyboard.press('Enter');
      await said(page, 'Hello.').waitFor();
      await page.getByRole('button', { name: 'MCP servers…' }).click();
      await dialog.getByText('connected', { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await field.fill('What is the weather in Oslo?');
      // Not by the page's keyboard: a dialog that is closed gives the focus back a moment later.
      await field.press('Enter');
      await page.getByRole('button', { name: 'Allow once' }).click();
      await said(page, 'There it is.').waitFor();

      const app = page.getByRole('region', { name: 'App of weather' });
      const inside = page.frameLocator('iframe[title="App of weather"]').frameLocator('iframe');
      // By its own code: a pointer may miss what moves while the page is laid out anew.
      const press = (name: string) =>
        inside
          .getByRole('button', { name })
          .evaluate((button) => (button as HTMLButtonElement).click());
      await inside.getByRole('heading', { name: 'Oslo' }).waitFor();
      await inside.getByText('12 degrees').waitFor();
      await inside.getByText('light', { exact: true }).waitFor();
      await app.getByText(/it reaches api\.weather\.example · it may not reach/u).waitFor();
      await look(page, 'app-light');

      // A call of its own is asked about, in its server's name.
      await press('Refresh');
      await page.getByText('the server weather asks').waitFor();
      await page.getByRole('button', { name: 'Allow once' }).click();
      await inside.getByText('21 degrees').waitFor();
      await press('Other');
      await inside.getByText('has no tool secret for apps').waitFor();

      await press('Say');
      await inside.getByText('said').waitFor();
      await expect.poll(() => field.inputValue()).toBe('Is it warm?');
      await press('Tell');
      await inside.getByText('told').waitFor();
      await press('Open');
      await app.getByText('The app wants to open').waitFor();
      await app.getByRole('button', { name: 'No' }).click();
      await inside.getByText('not opened').waitFor();

      await page.emulateMedia({ colorScheme: 'dark' });
      await inside.getByText('dark', { exact: true }).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      await look(page, 'app-phone');
      await page.setViewportSize({ width: 1280, height: 800 });
      await press('Wide');
      await inside.getByText('mode inline').waitFor();
      await app.getByRole('button', { name: 'Full width' }).click();
      await press('Wide');
      await inside.getByText('mode fullscreen').waitFor();
      await app.getByRole('button', { name: 'Full width' }).click();
      await app.getByRole('button', { name: 'Close the app of weather' }).click();
      await page.getByRole('button', { name: 'Show it again' }).click();
      await app.scrollIntoViewIfNeeded();
      await inside.getByText('12 degrees').waitFor();

      model.answer({ type: 'stream', text: toSse(textEvents('Not very.')) });
      await field.press('Enter');
      await said(page, 'Not very.').waitFor();
      expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('The user looks at Oslo');

      await page.reload();
      await app.scrollIntoViewIfNeeded();
      await inside.getByText('12 degrees').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
