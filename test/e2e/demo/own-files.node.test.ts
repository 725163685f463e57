// What a project and the person bring along in the demo: instructions, commands, and what their files would allow. The
// model is a server that the test plays.
import type { BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, expect } from 'vitest';
import { zipSync } from 'fflate';
import { toEvents } from '../../../src/model/to-events.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { it, watchPage } from '../chromium.ts';
import { chooseServer, said, serveDemo } from './demo-page.ts';
import { findBreaches } from './find-breaches.ts';

const demo = serveDemo();
let server: MessagesServer;
let context: BrowserContext;
let page: Page;

beforeEach(async () => {
  server = await startMessagesServer();
});

afterEach(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
});

const field = () => page.getByLabel('Message to the agent');
const trust = () => page.getByRole('dialog', { name: 'Trust these files of the project?' });
const instructions = () => page.getByRole('dialog', { name: 'Your instructions' });

const project = {
  'CLAUDE.md': 'Rules of the project.',
  '.claude/settings.json': JSON.stringify({
    permissions: { allow: ['Write(notes/**)'], additionalDirectories: ['/docs'] },
  }),
  '.claude/commands/note.md': '---\nallowed-tools: Edit(notes/**)\n---\nNote $1.',
};

async function openZip(files: Readonly<Record<string, string>>): Promise<void> {
  const encoder = new TextEncoder();
  const entries = Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]);
  await page.getByTitle('Project').click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Open a zip…' }).click(),
  ]);
  const buffer = Buffer.from(zipSync(Object.fromEntries(entries)));
  await chooser.setFiles({ name: 'other.zip', mimeType: 'application/zip', buffer });
}

async function send(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Escape');
  await field().press('Enter');
}

it('asks once whether a project may loosen, and tells the model whose instructions there are', async ({
  browser,
}) => {
  context = await browser.newContext();
  page = await context.newPage();
  const complaints = await watchPage(page);
  await chooseServer(page, server);
  await page.goto(demo.url);
  await field().waitFor();
  await openZip(project);
  await page.getByRole('treeitem', { name: 'CLAUDE.md', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Your instructions…' }).click();
  await instructions().getByLabel('For every project in this browser').fill('Answer in Latin.');
  // A slip of the finger loses nothing.
  await page.keyboard.press('Escape');
  await instructions().getByText('isn’t saved').waitFor();
  expect(await findBreaches(page, 'dialog[open]')).toEqual([]);
  await instructions().getByRole('button', { name: 'Save' }).click();
  await instructions().waitFor({ state: 'detached' });

  const write = { file_path: 'notes/a.txt', content: 'a' };
  const call = { type: 'tool_use', id: 'call-1', name: 'Write', input: write } as const;
  server.answer(
    { type: 'stream', text: toSse([...toEvents(assistantMessage([call]))]) },
    { type: 'stream', text: toSse(textEvents('Written.')) },
  );
  await send('/note this');
  await trust().waitFor();
  expect(await trust().getByRole('listitem').allInnerTexts()).toEqual([
    'Write(notes/**) in the settings',
    '/docs in the settings: a directory to reach',
    'Edit(notes/**) while .claude/commands/note.md is used',
  ]);
  expect(await findBreaches(page, '.trust-dialog')).toEqual([]);
  await trust().getByRole('button', { name: 'Trust', exact: true }).click();

  await said(page, 'Written.').waitFor();
  const [first] = server.requests;
  const told = JSON.stringify(first?.body);
  const places = ['Answer in Latin.', 'Rules of the project.', 'Note this.'].map((text) =>
    told.indexOf(text),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  await page.getByRole('treeitem', { name: 'notes', exact: true }).waitFor();

  // A reply that isn't recorded yet would be asked for again, and nobody would answer.
  await page.locator('.rp-turn-end').waitFor();
  // Neither is asked, nor forgotten.
  await page.reload();
  await said(page, 'Written.').waitFor();
  server.answer({ type: 'stream', text: toSse(textEvents('Again.')) });
  await send('Go on.');
  await said(page, 'Again.').waitFor();
  expect(await trust().count()).toBe(0);
  await page.getByRole('button', { name: 'Your instructions…' }).click();
  expect(await instructions().getByRole('textbox').inputValue()).toBe('Answer in Latin.');
  await instructions().getByRole('textbox').fill('');
  await instructions().getByRole('button', { name: 'Save' }).click();
  await instructions().waitFor({ state: 'detached' });
  server.answer({ type: 'stream', text: toSse(textEvents('Without.')) });
  await send('And now?');
  await said(page, 'Without.').waitFor();
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('holds no more');
  expect(complaints).toEqual([]);
});

it('asks about each call where the project is not trusted', async ({ browser }) => {
  context = await browser.newContext();
  page = await context.newPage();
  await chooseServer(page, server);
  await page.goto(demo.url);
  await field().waitFor();
  await openZip(project);
  await page.getByRole('treeitem', { name: 'CLAUDE.md', exact: true }).waitFor();
  const write = { file_path: 'notes/a.txt', content: 'a' };
  const call = { type: 'tool_use', id: 'call-1', name: 'Write', input: write } as const;
  server.answer({ type: 'stream', text: toSse([...toEvents(assistantMessage([call]))]) });
  await send('/note this');
  await trust().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').waitFor();
  expect(JSON.stringify(server.requests[0]?.body)).toContain('Note this.');
});
