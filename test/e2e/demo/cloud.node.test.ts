// The demo beside a cloud, as `npm start -- --edge` serves it. Conversations run in demo/edge's
// objects, and one moves there with a question open, and comes back. Both places ask a model that
// the test plays.
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { cloudHead, createCloudProxy } from '../../../scripts/cloud-proxy.ts';
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import type { BuiltPage } from '../../../scripts/serve-built-page.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { bundleEdgePage, startEdgeDemo } from '../../support/edge/edge-demo.ts';
import type { EdgeDemo } from '../../support/edge/edge-demo.ts';
import { startMessagesServer } from '../../support/models/messages-server.ts';
import type { MessagesServer } from '../../support/models/messages-server.ts';
import { it } from '../chromium.ts';
import { call, say } from './answers.ts';
import { chooseServer, said } from './demo-page.ts';
import { pasteImage } from './paste-image.ts';

let server: MessagesServer;
let worker: EdgeDemo;
let demo: BuiltPage;
let context: BrowserContext;

it.beforeAll(async () => {
  worker = await startEdgeDemo({ modelUrl: () => server.url });
  const proxy = createCloudProxy(worker);
  demo = await serveBuiltPage({ page: 'demo/index.html', head: cloudHead, ...proxy });
});

afterAll(async () => {
  await demo?.close();
  await worker?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  server = await startMessagesServer();
});

afterEach(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
});

async function open(url = demo.url): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await field(page).waitFor();
  return page;
}

const field = (page: Page) => page.getByLabel('Message to the agent');
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });
const mark = (page: Page) => page.getByText('In the cloud', { exact: true });
const question = (page: Page) => page.getByRole('alertdialog');
const file = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

/** What its page says of a move, until that is over. */
async function move(page: Page, name: string): Promise<void> {
  await button(page, name).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('the demo beside a cloud', () => {
  it('runs a conversation in its object, whose files the tree shows, also after the page was closed', async ({
    browser,
  }) => {
    context = await browser.newContext();
    const page = await open();
    await page.getByText('An agent in the cloud').waitFor();
    server.answer(call('Write', { file_path: 'tide.txt', content: 'low' }), say('Written.'));
    await pasteImage(field(page), 300, 200);
    await page.getByRole('img', { name: 'Image 1', exact: true }).waitFor();
    await send(page, 'Write the tide.');
    await question(page).waitFor();
    // Wherever else the page is opened, one finds that it waits.
    const listed = () => page.evaluate(async () => (await fetch('api/sessions')).text());
    await expect.poll(listed).toContain('"isAsking":true');
    const other = await open();
    await button(other, /Another one waits for your answer\./u).click();
    await other.getByText('Asks you').waitFor();
    await other.close();
    await question(page).getByRole('button', { name: 'Allow once' }).click();
    await said(page, 'Written.').waitFor();
    expect(JSON.stringify(server.requests[0]?.body)).toContain('"media_type":"image/png"');
    await file(page, 'tide.txt').waitFor();
    // The project in this browser hasn't got it, and isn't shown.
    expect(await file(page, 'README.md').count()).toBe(0);

    const address = page.url();
    await page.close();
    const again = await open(address);
    await said(again, 'Written.').waitFor();
    await again.getByRole('img', { name: 'Your image 1' }).waitFor();
    await file(again, 'tide.txt').click();
    await again.locator('.cm-line', { hasText: 'low' }).waitFor();
    await button(again, /^Conversations\. This one: /u).click();
    await again.getByText('In the cloud · now').waitFor();
  });

  it('moves a conversation there with its question, and brings back what came of it', async ({
    browser,
  }) => {
    context = await browser.newContext();
    await chooseServer(context, server);
    const page = await open();
    await page.getByLabel('In this tab').check();
    await page.getByText('An agent in this tab').waitFor();
    const options = ['low', 'high'].map((label) => ({ label, description: `The ${label} one.` }));
    const asked = { question: 'Which tide?', header: 'Tide', options, multiSelect: false };
    server.answer(call('AskUserQuestion', { questions: [asked] }));
    await send(page, 'Write the tide.');
    await question(page).waitFor();
    const second = await open(page.url());
    await second.getByText('Runs in another tab').waitFor();

    await move(page, 'Go on in the cloud');
    // The other tab is led there, too.
    for (const each of [page, second]) await mark(each).waitFor();
    await file(page, 'README.md').waitFor();
    server.answer(call('Write', { file_path: 'tide.txt', content: 'low' }), say('Written there.'));
    await question(page).getByRole('radio', { name: /^low/u }).check();
    await question(page).getByRole('button', { name: 'Answer', exact: true }).click();
    // The tab's mode came along: the cloud's own would accept edits.
    await question(page).getByRole('button', { name: 'Allow once' }).click();
    await said(page, 'Written there.').waitFor();
    await said(second, 'Written there.').waitFor();
    await file(page, 'tide.txt').waitFor();

    await move(page, 'Bring back');
    for (const each of [page, second]) {
      await mark(each).waitFor({ state: 'detached' });
      await file(each, 'tide.txt').waitFor();
    }
    server.answer(say('Here again.'));
    await send(page, 'Where are you?');
    await said(page, 'Here again.').waitFor();
    // The key of the page's own model: it is this tab that asks again.
    expect(server.requests.at(-1)?.headers['x-api-key']).toBe('key-1');
  });

  it('goes on in the cloud with the task list that it began in a tab', async ({ browser }) => {
    context = await browser.newContext();
    await chooseServer(context, server);
    const page = await open();
    await page.getByLabel('In this tab').check();
    server.answer(
      call('ToolSearch', { query: 'select:TaskCreate,TaskUpdate' }),
      call('TaskCreate', { subject: 'Count the tides', description: 'All of them.' }),
      say('Planned.'),
    );
    await send(page, 'Plan it.');
    await said(page, 'Planned.').waitFor();
    await move(page, 'Go on in the cloud');
    await mark(page).waitFor();
    server.answer(call('TaskUpdate', { taskId: '1', status: 'completed' }), say('Counted.'));
    await send(page, 'Count them.');
    await said(page, 'Counted.').waitFor();
    const body = JSON.stringify(server.requests.at(-1)?.body);
    expect(body).toContain('Task 1 is changed: status (now completed)');
  });

  it('asks no object that nobody has registered, and ends one that was deleted', async ({
    browser,
  }) => {
    context = await browser.newContext();
    const id = crypto.randomUUID();
    const address = new URL(`/api/sessions/${id}`, worker.url).href;
    const headers = { authorization: `Bearer ${worker.password}` };
    const ask = async (method: string, path = '') =>
      (await fetch(address + path, { method, headers })).status;
    expect([await ask('GET', '/wire'), await ask('POST', '/wire/move')]).toEqual([404, 404]);
    expect(await ask('PUT')).toBe(200);
    const ticket = () => fetchTicket(`${address}/wire`, headers);
    const session = await connectSession(`${address}/wire`, { ticket });
    // Its address alone, which every page that follows it knows, deletes nothing.
    for (const path of ['/wire', '/wire/move', '']) {
      const { status } = await fetch(address + path, { method: 'DELETE' });
      expect([path, status]).toEqual([path, path === '' ? 401 : 405]);
    }
    expect(session.connection()).toBe('open');
    expect(await ask('DELETE')).toBe(204);
    // Its sockets were closed, and nobody gets a ticket any more.
    await expect.poll(() => session.connection()).not.toBe('open');
    expect(await ask('POST', '/wire/ticket')).toBe(404);
    await session.close();
    // The same id is another session then, with tables of its own.
    expect(await ask('PUT')).toBe(200);
    const again = await connectSession(`${address}/wire`, { ticket });
    expect(again.connection()).toBe('open');
    await again.close();
  });

  it('has a page of its own, which puts questions, says why a turn failed, and stops', async ({
    browser,
  }) => {
    context = await browser.newContext();
    const page = await context.newPage();
    // What the platform serves beside the Worker.
    for (const [name, body] of Object.entries(await bundleEdgePage())) {
      const contentType = name === '' ? 'text/html' : 'text/javascript';
      await page.route(new URL(name, worker.url).href, (route) =>
        route.fulfill({ body, contentType }),
      );
    }
    await page.goto(worker.url);
    const prompt = page.getByLabel('Prompt');
    const ask = async (words: string) => {
      await prompt.fill(words);
      await button(page, 'Send').click();
    };
    await page.getByLabel('Password').fill('a wrong one');
    await ask('Keep the tides.');
    await page.getByRole('alert').filter({ hasText: /./u }).waitFor();
    expect(await prompt.inputValue()).toBe('Keep the tides.');

    await page.getByLabel('Password').fill(worker.password);
    server.answer(call('Write', { file_path: '.vscode/tasks.json', content: '{}' }), say('Kept.'));
    await ask('Keep the tides.');
    const asked = page.getByRole('region', { name: 'Questions' });
    await asked.getByRole('button', { name: 'Allow' }).click();
    await said(page, 'Kept.').waitFor();
    await asked.getByRole('group').waitFor({ state: 'detached' });
    expect(await prompt.inputValue()).toBe('');

    server.answer({ type: 'json', status: 400, body: { error: { message: 'No such model.' } } });
    await ask('Again.');
    await page.getByText(/⚠ .*No such model/u).waitFor();

    server.answer({ type: 'silent' });
    await ask('And now?');
    await button(page, 'Stop').click();
    await page.getByText('⚠ Stopped before the task was finished.').waitFor();
    await button(page, 'Stop').waitFor({ state: 'hidden' });
  });
});
