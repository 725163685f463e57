// The demo's editor as a person uses it: another file doesn't cost one's place, and pictures are shown.
import type { BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, expect } from 'vitest';
import { toEvents } from '../../../src/model/to-events.ts';
import {
  startMessagesServer,
  type Answer,
  type MessagesServer,
} from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { it, watchPage } from '../chromium.ts';
import { chooseServer, serveDemo } from './demo-page.ts';

const demo = serveDemo();
let server: MessagesServer;
let context: BrowserContext;
let page: Page;
let complaints: readonly string[];

beforeEach<{ browser: { newContext(options: object): Promise<BrowserContext> } }>(
  async ({ browser }) => {
    server = await startMessagesServer();
    // Small: the sample's files are longer than it is high.
    context = await browser.newContext({ viewport: { width: 1200, height: 360 } });
    page = await context.newPage();
    complaints = await watchPage(page);
    await chooseServer(page, server, '');
    await page.goto(demo.url);
    await page.getByLabel('Message to the agent').waitFor();
  },
);

afterEach(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
});

const shown = () => page.locator('.editor-slot[data-shown=true]');
const text = () => shown().locator('.cm-content');

async function openFile(name: string): Promise<void> {
  await page.getByRole('treeitem', { name, exact: true }).click();
  await shown()
    .getByRole('heading', { name: new RegExp(name) })
    .waitFor();
  await shown().locator('.editor-state[data-kind=saved]').waitFor();
}

/** The agent calls a tool, and a person allows it. */
async function letAgent(name: string, input: Record<string, unknown>): Promise<void> {
  const done: Answer = { type: 'stream', text: toSse(textEvents('Done.')) };
  const message = assistantMessage([{ type: 'tool_use', id: 'call', name, input }]);
  server.answer({ type: 'stream', text: toSse([...toEvents(message)]) }, done);
  await page.getByLabel('Message to the agent').fill('Draw.');
  await page.getByLabel('Message to the agent').press('Enter');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.rp-turn-end').waitFor();
}

it('has undo, cursor and scroll of a file after a look at another', async () => {
  await openFile('parse.ts');
  await text().click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('// mine');
  await shown().locator('.editor-state[data-kind=saved]').waitFor();
  const before = await shown()
    .locator('.cm-scroller')
    .evaluate((scroller) => scroller.scrollTop);
  expect(before).toBeGreaterThan(0);

  await openFile('compare.ts');
  await openFile('parse.ts');
  expect(
    await shown()
      .locator('.cm-scroller')
      .evaluate((each) => each.scrollTop),
  ).toBe(before);
  await text().focus();
  await page.keyboard.type('!');
  expect(await text().innerText()).toMatch(/\/\/ mine!\s*$/);
  await page.keyboard.press('ControlOrMeta+z');
  await page.keyboard.press('ControlOrMeta+z');
  expect(await text().innerText()).not.toContain('mine');
  expect(complaints).toEqual([]);
});

it('without the network says so, keeps the page, and is loaded and coloured once it is back', async () => {
  await context.setOffline(true);
  await page.getByRole('treeitem', { name: 'README.md', exact: true }).click();
  await shown().getByText('The editor could not be loaded. Go online, then try again.').waitFor();
  await context.setOffline(false);
  await shown().getByRole('button', { name: 'Try again' }).click();
  await shown().locator('.editor-state[data-kind=saved]').waitFor();

  await context.setOffline(true);
  const failed = page.waitForEvent('requestfailed');
  await openFile('package.json');
  await failed;
  expect(await text().innerText()).toContain('"name"');
  await context.setOffline(false);
  await text().locator('.cm-line span').first().waitFor();
  expect(complaints.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
});

const svg = (width: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20"><script>document.title = 'run'</script></svg>`;

it('shows a picture as an image, and one that is text as text too', async () => {
  await letAgent('Write', { file_path: 'tide.svg', content: svg(40) });
  await page.getByRole('treeitem', { name: /tide\.svg/ }).click();
  await shown().getByRole('img', { name: 'tide.svg' }).waitFor();
  await shown().getByText('40 × 20').waitFor();
  expect(await shown().locator('img').getAttribute('src')).toMatch(/^blob:/);
  expect(await page.title()).toBe('Rockpool');

  await shown().getByRole('button', { name: 'Edit as text' }).click();
  await shown().locator('.editor-state[data-kind=saved]').waitFor();
  expect(await text().innerText()).toContain('<svg');
  expect(complaints).toEqual([]);
});

it('shows a picture of bytes, and says of a broken one that it is none', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const code = `fs.writeFileSync('dot.png', Uint8Array.from(atob('${png}'), (c) => c.charCodeAt(0)));
    fs.writeFileSync('bad.png', 'no picture')`;
  await letAgent('Repl', { code });
  await page.getByRole('treeitem', { name: /dot\.png/ }).click();
  await shown().getByText('1 × 1').waitFor();
  await page.getByRole('treeitem', { name: /bad\.png/ }).click();
  await shown().getByText('The browser can’t read this as a picture.').waitFor();
});

it('shows which file is open where the colours are the person’s own', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openFile('parse.ts');
  // Else the browser drops its background, of which the style that is computed says nothing.
  const adjustOf = (name: string) =>
    page
      .getByRole('treeitem', { name, exact: true })
      .evaluate((row) => getComputedStyle(row).forcedColorAdjust);
  expect([await adjustOf('parse.ts'), await adjustOf('compare.ts')]).toEqual(['none', 'auto']);
});
