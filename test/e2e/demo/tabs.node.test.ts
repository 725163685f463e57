// One of the demo's conversations in two tabs. Both show it, either can send and answer, and when
// the tab that runs it goes, the other one goes on. The model is a server that the test plays.
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { it } from '../chromium.ts';
import { call, hang, say } from './answers.ts';
import { chooseServer, said, serveDemo } from './demo-page.ts';

const demo = serveDemo();
let server: MessagesServer;
let context: BrowserContext;

beforeEach(async () => {
  server = await startMessagesServer();
});

afterEach(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
});

async function openContext(browser: Browser): Promise<void> {
  context = await browser.newContext();
  await chooseServer(context, server);
}

async function openTab(url = demo.url): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await field(page).waitFor();
  return page;
}

const field = (page: Page) => page.getByLabel('Message to the agent');
const elsewhere = (page: Page) => page.getByText('Runs in another tab');
const question = (page: Page) => page.getByRole('alertdialog');
const prompts = (page: Page) =>
  page.locator('.rp-prompt').evaluateAll((all) => all.map((each) => each.lastChild?.textContent));
const calls = (page: Page) => page.locator('.rp-call').count();

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const session = await context.newCDPSession(page);
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

describe('a conversation in two tabs', () => {
  it('is shown in both, answered and named in one, and goes on from either', async ({
    browser,
  }) => {
    await openContext(browser);
    const first = await openTab();
    server.answer(
      call('Write', { file_path: 'tide.txt', content: 'low' }),
      say('Written.'),
      say('You are welcome.'),
      say('Bye.'),
    );
    await send(first, 'Write the tide.');
    await question(first).waitFor();

    const second = await openTab(first.url());
    await question(second).waitFor();
    await elsewhere(second).waitFor();
    expect(await question(second).innerText()).toContain('tide.txt');
    await question(second).getByRole('button', { name: 'Allow once' }).click();
    for (const page of [first, second]) {
      await said(page, 'Written.').waitFor();
      await question(page).waitFor({ state: 'detached' });
    }
    await send(second, 'Thanks.');
    for (const page of [first, second]) await said(page, 'You are welcome.').waitFor();
    await second.locator('.rp-turn-end').nth(1).waitFor();
    await send(first, 'Bye?');
    for (const page of [first, second]) await said(page, 'Bye.').waitFor();
    for (const page of [first, second]) {
      expect(await prompts(page)).toEqual(['Write the tide.', 'Thanks.', 'Bye?']);
      expect(await calls(page)).toBe(1);
    }
    expect(await elsewhere(first).count()).toBe(0);
    expect(server.requests).toHaveLength(4);

    // It is named in either, and deleted in either: the other one says so, and begins another by the next prompt.
    await second.getByRole('button', { name: /^Conversations\. This one: / }).click();
    await second.getByRole('button', { name: /^Rename: / }).click();
    await second.keyboard.type('Tides');
    await second.keyboard.press('Enter');
    second.on('dialog', (dialog) => void dialog.accept());
    await second.getByRole('button', { name: 'Delete: Tides', exact: true }).click();
    await second.getByText('Deleted: Tides', { exact: true }).waitFor({ state: 'attached' });
    await first.getByRole('log').getByText('The session was deleted in another tab.').waitFor();
    server.answer(say('Anew.'));
    await send(first, 'Again?');
    await said(first, 'Anew.').waitFor();
    expect(await prompts(first)).toEqual(['Again?']);
  });

  it('goes on in the middle of a turn when the tab that runs it is gone', async ({ browser }) => {
    await openContext(browser);
    const first = await openTab();
    server.answer(call('Glob', { pattern: '*.md' }), hang);
    await send(first, 'What is there?');
    await first.getByText('Well').waitFor();
    const second = await openTab(first.url());
    await elsewhere(second).waitFor();
    await second.getByText('· elsewhere').waitFor();
    // What has streamed by now.
    await second.getByText('Well', { exact: true }).waitFor();

    server.answer(say('A readme.'), say('You are welcome.'));
    await crash(first);
    await said(second, 'A readme.').waitFor();
    await second.locator('.rp-turn-end').waitFor();
    expect(await elsewhere(second).count()).toBe(0);
    expect(await second.getByRole('log').innerText()).toContain(
      'The tab that ran this has let it go. It goes on in this one.',
    );
    await send(second, 'Thanks.');
    await said(second, 'You are welcome.').waitFor();
    expect(await prompts(second)).toEqual(['What is there?', 'Thanks.']);
    expect(await calls(second)).toBe(1);
    expect(await second.getByText('Well', { exact: true }).count()).toBe(0);
    // The call was not made again: it was the one request that hung.
    expect(server.requests).toHaveLength(4);
  });

  // Chromium's headless shell keeps no pages, so its events are played. test/webkit has a page that is really kept.
  it('goes on in another tab when its page is left and kept for the way back', async ({
    browser,
  }) => {
    await openContext(browser);
    const first = await openTab();
    server.answer(hang);
    await send(first, 'What is there?');
    await first.getByText('Well').waitFor();
    const second = await openTab(first.url());
    await elsewhere(second).waitFor();

    server.answer(say('A readme.'));
    await first.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    });
    await said(second, 'A readme.').waitFor();
    await second.locator('.rp-turn-end').waitFor();
    expect(await elsewhere(second).count()).toBe(0);

    await first.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await said(first, 'A readme.').waitFor();
    await elsewhere(first).waitFor();
    expect(server.requests).toHaveLength(2);
  });
});
