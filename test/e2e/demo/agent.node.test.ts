// The demo's page around its agent, as a person uses it. The tests show what waits, what stops,
// what is asked before something is lost, and the way on from an error. The model is a server that
// the test plays.
import type { BrowserContext, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import {
  refusal,
  startMessagesServer,
  type MessagesServer,
} from '../../support/models/messages-server.ts';
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

/** The demo, with the test's server for its model. */
async function open(browser: { newContext(): Promise<BrowserContext> }): Promise<void> {
  context = await browser.newContext();
  page = await context.newPage();
  await chooseServer(page, server);
  await page.goto(demo.url);
  await field().waitFor();
}

const field = () => page.getByLabel('Message to the agent');
const prompts = () =>
  page.locator('.rp-prompt').evaluateAll((all) => all.map((each) => each.lastChild?.textContent));
const button = (name: string) => page.getByRole('button', { name, exact: true });
const turnEnd = () => page.locator('.rp-turn-end');

async function send(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Enter');
}

describe('while the agent works', () => {
  it('lets a prompt wait, gives it back, and sends what still waits', async ({ browser }) => {
    await open(browser);
    server.answer(call('Write', { file_path: 'a.txt', content: 'a' }), say('Late.'));
    await send('one');
    await page.getByRole('alertdialog').waitFor();
    await send('two');
    await send('three');
    expect(await prompts()).toEqual(['one']);

    await button('Take back: two').click();
    expect(await field().inputValue()).toBe('two');
    expect(await button('Take back: three').count()).toBe(1);

    server.answer(say('Third.'));
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deny', exact: true }).click();
    await said(page, 'Third.').waitFor();
    expect(await prompts()).toEqual(['one', 'three']);
    expect(await field().inputValue()).toBe('two');
  });

  it('takes a prompt into the turn that runs by Ctrl+Enter', async ({ browser }) => {
    await open(browser);
    server.answer(call('Write', { file_path: 'a.txt', content: 'a' }), say('With that.'));
    await send('one');
    await page.getByRole('alertdialog').waitFor();
    await field().fill('and two');
    await field().press('Control+Enter');
    await page.getByText('The agent gets it next').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Allow once' }).click();
    await said(page, 'With that.').waitFor();
    expect(await prompts()).toEqual(['one', 'and two']);
    expect([await page.locator('.rp-turn').count(), server.requests.length]).toEqual([1, 2]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('and two');
    expect(await page.locator('.rp-waiting').count()).toBe(0);
  });

  it('stops by Escape, and sends nothing that waits until it is told to', async ({ browser }) => {
    await open(browser);
    server.answer(hang);
    await send('one');
    await page.getByText('Well').waitFor();
    await send('two');
    await field().press('Escape');
    await turnEnd().waitFor();
    expect(await server.requests[0]?.leftEarly).toBe(true);
    expect([await prompts(), server.requests.length]).toEqual([['one'], 1]);

    server.answer(say('Second.'));
    await button('Send now: two').click();
    await said(page, 'Second.').waitFor();
    expect(await prompts()).toEqual(['one', 'two']);
  });
});

it('leaves the focus in the field when a task is stopped', async ({ browser }) => {
  await open(browser);
  const cell = {
    // A promise that nothing can settle would end at once, as an error.
    code: 'await new Promise((resolve) => setTimeout(resolve, 600_000))',
    description: 'Wait',
    run_in_background: true,
  };
  server.answer(call('Repl', cell), say('It runs.'), say('It was stopped.'));
  await send('one');
  await said(page, 'It runs.').waitFor();
  await page.locator('.rp-tasks').getByRole('button').press('Enter');
  await page.locator('.rp-tasks').waitFor({ state: 'detached' });
  expect(await field().evaluate((one) => one === document.activeElement)).toBe(true);
});

it('shows what it says first on a page that is zoomed', async ({ browser }) => {
  await open(browser);
  await page.setViewportSize({ width: 640, height: 400 });
  const welcome = page.getByRole('region', { name: 'Welcome' });
  expect(await welcome.evaluate((one) => one.clientHeight)).toBeGreaterThan(100);
  await welcome.focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => (document.activeElement?.scrollTop ?? 0) > 0);
});

it('keeps what waits over a reload', async ({ browser }) => {
  await open(browser);
  server.answer(hang);
  await send('one');
  await page.getByText('Well').waitFor();
  await send('two');
  await button('Take back: two').waitFor();
  // The turn goes on, and what waits is sent when it has ended.
  server.answer(say('First.'), say('Second.'));
  await page.reload();
  await said(page, 'Second.').waitFor();
  expect(await prompts()).toEqual(['one', 'two']);
  expect(await button('Take back: two').count()).toBe(0);
});

describe('before work is stopped', () => {
  /** Presses, and answers the browser's question. */
  async function press(name: string | RegExp, answer: 'accept' | 'dismiss'): Promise<string> {
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog[answer]();
      return dialog.message();
    });
    await page.getByRole('button', { name }).click();
    return asked;
  }

  it('asks where the project is reset, and not where a new conversation is begun', async ({
    browser,
  }) => {
    await open(browser);
    server.answer(hang);
    await send('one');
    await page.getByText('Well').waitFor();
    await button('New conversation').click();
    await page.getByText('An agent in this tab').waitFor();
    await page.getByTitle('Project').click();
    expect(await press(/^Reset the sample/, 'dismiss')).toMatch(/^The agent is working/);
    await page.goBack();
    await page.getByText('Well').waitFor();
    await page.getByTitle('Project').click();
    await press(/^Reset the sample/, 'accept');
    expect(await server.requests[0]?.leftEarly).toBe(true);
    await page.getByText('An agent in this tab').waitFor();
  });

  it('begins a new conversation for another model, and leaves an open question open', async ({
    browser,
  }) => {
    await open(browser);
    server.answer(call('Write', { file_path: 'a.txt', content: 'a' }));
    await send('one');
    await page.getByRole('alertdialog').waitFor();
    await page.getByTitle('Choose the model').click();
    await page.getByLabel('Scripted demo (no AI)').check();
    await button('Use this model').click();
    await page.getByText('An agent in this tab').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await page.goBack();
    await page.getByRole('alertdialog').waitFor();
  });
});

it('asks the model for the effort that was chosen, in the same conversation', async ({
  browser,
}) => {
  await open(browser);
  server.answer(say('First.'), say('Second.'));
  await send('one');
  await said(page, 'First.').waitFor();
  await page.getByTitle('Choose the model').click();
  await page.getByLabel('Effort').selectOption('High');
  await button('Use this model').click();
  await send('two');
  await said(page, 'Second.').waitFor();
  expect(await prompts()).toEqual(['one', 'two']);
  const bodies = server.requests.map(({ body }) => body as { output_config?: unknown });
  expect(bodies.map(({ output_config }) => output_config)).toEqual([undefined, { effort: 'high' }]);
});

describe('after an error', () => {
  it('leads to the field of a key that was refused, and tries again with the other', async ({
    browser,
  }) => {
    await open(browser);
    server.answer(refusal(401, 'authentication_error', 'invalid x-api-key'), say('Welcome.'));
    await send('one');
    await button('Change the key…').click();
    expect(await page.locator('input[type=password]:focus').inputValue()).toBe('key-1');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('key-2');
    await page.keyboard.press('Enter');
    await button('Try again').click();
    await said(page, 'Welcome.').waitFor();
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2']);
    expect(await prompts()).toEqual(['one', 'one']);
    expect(await button('Try again').count()).toBe(0);
  });

  it('goes on in a conversation that was ended by a full storage', async ({ browser }) => {
    await open(browser);
    server.answer(say('First.'), call('Read', { file_path: 'x'.repeat(400_000) }));
    await send('one');
    await said(page, 'First.').waitFor();
    const devtools = await context.newCDPSession(page);
    const { origin } = new URL(demo.url);
    const used = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: used + 100_000 });
    await send('two');
    await page.locator('.rp-notice').getByText('The medium is full').waitFor();

    await devtools.send('Storage.overrideQuotaForOrigin', { origin });
    server.answer(say('Second.'), say('Third.'));
    await send('three');
    await said(page, 'Third.').waitFor();
    expect(await prompts()).toEqual(['one', 'two', 'three']);
  });

  it('shows of a refused call who refused it, not what the model is told', async ({ browser }) => {
    await open(browser);
    server.answer(call('Write', { file_path: 'a.txt', content: 'a' }), say('Then not.'));
    await send('one');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deny', exact: true }).click();
    await turnEnd().waitFor();
    const shown = await page.locator('.rp-call').innerText();
    expect(shown).toContain('Write was refused because a person decided so.');
    expect(shown).not.toContain('Do not try it again');
  });
});

describe('the timeline', () => {
  it('is made only while its fold is open, and leaves the end of the conversation in view', async ({
    browser,
  }) => {
    await open(browser);
    server.answer(say('Line.\n\n'.repeat(60)));
    await send('one');
    await turnEnd().waitFor();
    expect(await page.locator('.rp-timeline').count()).toBe(0);
    const fold = button('Timeline');
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    await fold.click();
    await page.getByRole('grid', { name: 'Timeline of the turn' }).waitFor();
    await page.waitForFunction(() => {
      const log = document.querySelector('.rp-transcript-scroller');
      return log && log.scrollHeight - log.scrollTop - log.clientHeight < 1;
    });
    await fold.click();
    expect(await page.locator('.rp-timeline').count()).toBe(0);
  });
});
