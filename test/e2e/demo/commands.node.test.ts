// Commands in the demo's composer, as a person has them who writes a slash. The person uses
// keyboard and mouse. The tests show what commands do to the conversation. The model is a server
// that the test plays.
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { textEvents, toSse } from '../../support/models/model-streams.ts';
import { it } from '../chromium.ts';
import { hang, say } from './answers.ts';
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

// Workers start, and a turn ends, before there is something to see.
const patient = { timeout: 240_000 };

const field = () => page.getByLabel('Message to the agent');
const list = () => page.getByRole('listbox', { name: 'Commands' });
const names = () =>
  list()
    .getByRole('option')
    .evaluateAll((all) => all.map((each) => each.textContent?.match(/^\/(\w+) /)?.[1]));
const notices = () => page.locator('.rp-notice').allInnerTexts();

describe('a slash in the composer', () => {
  it('lists the commands: arrows choose, Tab completes, Escape shuts, Enter takes', async ({
    browser,
  }) => {
    await open(browser);
    await field().fill('/');
    await list().waitFor();
    expect(await names()).toEqual([
      ...['agents', 'clear', 'compact', 'context', 'cost', 'goal', 'help', 'init'],
      ...['memory', 'plan', 'review', 'rewind', 'tasks'],
    ]);
    const chosen = async () => {
      const id = await field().getAttribute('aria-activedescendant');
      return page.locator(`[id="${id ?? ''}"]`).innerText();
    };
    expect(await chosen()).toContain('/agents');
    await field().press('ArrowUp');
    expect(await chosen()).toContain('/tasks');
    await field().press('ArrowDown');
    await field().press('ArrowDown');
    expect(await chosen()).toContain('/clear');
    await field().press('Escape');
    await expect.poll(() => list().count()).toBe(0);
    await field().fill('/co');
    expect(await names()).toEqual(['compact', 'context', 'cost']);
    await field().press('Tab');
    expect(await field().inputValue()).toBe('/compact ');
    await page.getByText('/compact [what the summary must have]').waitFor();
    await field().fill('/cos');
    await field().press('Enter');
    await expect
      .poll(notices, patient)
      .toEqual(['Nothing was asked of a model yet, so nothing was spent.']);
    expect(await field().inputValue()).toBe('');

    // Whoever sets the mode: the chooser has it, and sets another one.
    const chooser = page.getByLabel('When the agent asks for permission');
    expect(await chooser.inputValue()).toBe('default');
    await field().fill('/plan');
    await field().press('Escape');
    await field().press('Enter');
    await expect.poll(() => chooser.inputValue(), patient).toBe('plan');
    await chooser.selectOption('default');
    await field().fill('/plan');
    await field().press('Escape');
    await field().press('Enter');
    await expect.poll(() => chooser.inputValue(), patient).toBe('plan');
    expect(server.requests).toEqual([]);
  });

  it('goes on in a new conversation by /clear, and keeps the old one in the list', async ({
    browser,
  }) => {
    await open(browser);
    server.answer({ type: 'stream', text: toSse(textEvents('Hello.')) });
    await field().fill('Hi');
    await field().press('Enter');
    await said(page, 'Hello.').waitFor();
    const before = page.url();
    await field().fill('/cle');
    await list().getByRole('option', { name: /clear/ }).click();
    await expect.poll(() => page.url(), patient).not.toBe(before);
    await page.getByRole('heading', { name: 'An agent in this tab' }).waitFor();
    await page.getByRole('button', { name: /^Conversations\. This one: / }).click();
    const sessions = page.getByRole('dialog', { name: 'Conversations' }).locator('.session-open');
    await expect.poll(() => sessions.count(), patient).toBe(2);
    await sessions.filter({ hasText: 'Hi' }).click();
    await said(page, 'Hello.').waitFor();
    expect(page.url()).toBe(before);
  });

  it('shows a goal with what its check has found, and takes it back', async ({ browser }) => {
    await open(browser);
    const goal = () => page.getByRole('region', { name: 'Goal' });
    for (const answer of [say('I begin.'), say('unmet: no test was run.'), hang]) {
      server.answer(answer);
    }
    await field().fill('/goal All tests pass');
    await field().press('Enter');
    await goal().getByText('checked once: no test was run.').waitFor();
    expect(await goal().innerText()).toContain('All tests pass');
    await said(page, 'Well').waitFor();
    await goal().getByRole('button', { name: 'Take back' }).click();
    await goal().waitFor({ state: 'detached' });
    await said(page, 'The goal is taken back: All tests pass').waitFor();
    expect(server.requests).toHaveLength(3);
  });
});

it('runs what a person writes behind ! as a cell, and the model learns of it', async ({
  browser,
}) => {
  await open(browser);
  await field().fill("!const kept = 6 * 7; 'is ' + kept");
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await said(page, "'is 42'").waitFor(patient);
  await page.locator('.rp-turn-end').waitFor();
  await page.reload();
  await field().fill('!kept + 1');
  await field().press('Enter');
  await said(page, '43').waitFor(patient);
  expect(server.requests).toEqual([]);
  server.answer(say('I see.'));
  await field().fill('And now?');
  await field().press('Enter');
  await said(page, 'I see.').waitFor();
  expect(JSON.stringify(server.requests[0]?.body)).toContain("=> 'is 42'");
});
