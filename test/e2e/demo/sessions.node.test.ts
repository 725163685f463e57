// The demo's conversations, as a person has them who comes back: each goes on after a reload, and the list
// shows, names and deletes them. The model is a server that the test plays.
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { it } from '../chromium.ts';
import { call, hang, say } from './answers.ts';
import { chooseServer, said, serveDemo } from './demo-page.ts';

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

async function open(browser: Browser): Promise<void> {
  context = await browser.newContext();
  page = await context.newPage();
  await chooseServer(page, server);
  await page.goto(demo.url);
  await field().waitFor();
}

const field = () => page.getByLabel('Message to the agent');
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const prompts = () =>
  page.locator('.rp-prompt').evaluateAll((all) => all.map((each) => each.lastChild?.textContent));
const calls = () => page.locator('.rp-call');
const list = () => page.getByRole('dialog', { name: 'Conversations' });
/** Each with what stands below its name. */
const listed = () => list().locator('.session-open').allInnerTexts();

async function send(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Enter');
}

const openList = () => button(/^Conversations\. This one: /).click();

/** Presses, and answers the browser's question. */
async function press(name: string, answer: 'accept' | 'dismiss'): Promise<string> {
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog[answer]();
    return dialog.message();
  });
  await button(name).click();
  return asked;
}

describe('after a reload', () => {
  it('goes on in the middle of a turn, with what was done by then', async ({ browser }) => {
    await open(browser);
    server.answer(call('Glob', { pattern: '*.md' }), hang);
    await send('What is there?');
    await page.getByText('Well').waitFor();
    const address = page.url();

    server.answer(say('A readme.'), say('You are welcome.'));
    await page.reload();
    await said(page, 'A readme.').waitFor();
    await page.locator('.rp-turn-end').waitFor();
    expect(page.url()).toBe(address);
    expect(await prompts()).toEqual(['What is there?']);
    expect(await calls().count()).toBe(1);
    expect(await page.getByRole('log').innerText()).toContain(
      'This turn was cut off in the middle. It goes on from here.',
    );
    // The call was not made again: it was the one request that hung.
    expect(server.requests).toHaveLength(3);
    await send('Thanks.');
    await said(page, 'You are welcome.').waitFor();
    expect(await prompts()).toEqual(['What is there?', 'Thanks.']);
  });

  it('asks an open question again, and does what the answer says', async ({ browser }) => {
    await open(browser);
    server.answer(call('Write', { file_path: 'tide.txt', content: 'low' }), say('Written.'));
    await send('Write the tide.');
    const question = page.getByRole('alertdialog');
    await question.waitFor();

    await page.reload();
    await question.waitFor();
    expect(await question.innerText()).toContain('tide.txt');
    expect(await prompts()).toEqual(['Write the tide.']);
    await question.getByRole('button', { name: 'Allow once' }).click();
    await said(page, 'Written.').waitFor();
    await page.getByRole('treeitem', { name: 'tide.txt', exact: true }).waitFor();
    expect(await calls().count()).toBe(1);
  });
});

describe('after a reload that has lost the key', () => {
  async function chooseModel(): Promise<void> {
    await page.getByLabel('Another address').check();
    await page.getByLabel('Base URL').fill(server.url);
    await page.getByLabel('Key, if it needs one').fill('key-1');
    await button('Use this model').click();
  }

  it.for([
    ['in its first reply', [hang]],
    ['later', [call('Glob', { pattern: '*.md' }), hang]],
  ] as const)(
    'asks for the model %s, and goes on once it has one',
    async ([, answers], { browser }) => {
      context = await browser.newContext();
      page = await context.newPage();
      await page.goto(demo.url);
      await field().waitFor();
      await page.getByTitle('Choose the model').click();
      await chooseModel();
      server.answer(...answers);
      await send('What is there?');
      await page.getByText('Well').waitFor();

      await page.reload();
      await page.getByText('This conversation was held with').waitFor();
      expect(await prompts()).toEqual(['What is there?']);
      expect(server.requests).toHaveLength(answers.length);
      server.answer(say('A readme.'));
      await button('Choose the model…').click();
      await chooseModel();
      await said(page, 'A readme.').waitFor();
      expect(await prompts()).toEqual(['What is there?']);
      expect(await page.getByText('This conversation was held with').count()).toBe(0);
    },
  );
});

describe('the list of conversations', () => {
  it('leads back to another one, while the one that is left goes on working', async ({
    browser,
  }) => {
    await open(browser);
    server.answer(say('First.'));
    await send('one');
    await said(page, 'First.').waitFor();
    await button('New conversation').click();
    await page.getByText('An agent in this tab').waitFor();
    server.answer(hang);
    await send('two');
    await page.getByText('Well').waitFor();

    await openList();
    await list().getByText('one').click();
    await said(page, 'First.').waitFor();
    expect(await prompts()).toEqual(['one']);
    await openList();
    await expect.poll(listed).toEqual(['two\nWorking · now', 'one\nnow']);
    // By the keyboard, as far as back to the other.
    await list().getByRole('button', { name: /^two/ }).press('Enter');
    await page.getByText('Well').waitFor();
    await button('Stop').first().click();
    await page.locator('.rp-turn-end').waitFor();
    expect(server.requests).toHaveLength(2);
  });

  it('keeps what is being written for each, over another one and a reload', async ({ browser }) => {
    await open(browser);
    server.answer(say('First.'));
    const field = page.getByLabel('Message to the agent');
    await send('one');
    await said(page, 'First.').waitFor();
    await field.fill('And then');
    await button('New conversation').click();
    await page.getByText('An agent in this tab').waitFor();
    expect(await field.inputValue()).toBe('');
    await field.fill('Something else');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Something else');
    await openList();
    await list().getByText('one').click();
    await said(page, 'First.').waitFor();
    await expect.poll(() => field.inputValue()).toBe('And then');
    server.answer(say('Second.'));
    await field.press('Enter');
    await said(page, 'Second.').waitFor();
    await page.reload();
    await said(page, 'Second.').waitFor();
    expect(await field.inputValue()).toBe('');
  });

  it('renames one and deletes one after a question, for good', async ({ browser }) => {
    await open(browser);
    server.answer(say('First.'), say('Second.'));
    await send('one');
    await said(page, 'First.').waitFor();
    await button('New conversation').click();
    await page.getByText('An agent in this tab').waitFor();
    await send('two');
    await said(page, 'Second.').waitFor();

    await openList();
    await button('Rename: two').click();
    // What it is called is marked: one writes over it.
    await page.keyboard.type('Tides');
    await page.keyboard.press('Enter');
    await expect.poll(listed).toEqual(['Tides\nnow', 'one\nnow']);
    await button('Rename: one').click();
    await page.keyboard.type('Not so');
    await page.keyboard.press('Escape');
    expect(await listed()).toEqual(['Tides\nnow', 'one\nnow']);

    expect(await press('Delete: one', 'dismiss')).toMatch(/^Delete “one”\?/);
    await press('Delete: one', 'accept');
    await expect.poll(listed).toEqual(['Tides\nnow']);
    // The one that is shown, too.
    await page.reload();
    await said(page, 'Second.').waitFor();
    await openList();
    await expect.poll(listed).toEqual(['Tides\nnow']);
    await press('Delete: Tides', 'accept');
    await page.getByText('An agent in this tab').waitFor();
    await page.reload();
    await page.getByText('An agent in this tab').waitFor();
    await openList();
    await list().getByText('None yet.').waitFor();
  });
});
