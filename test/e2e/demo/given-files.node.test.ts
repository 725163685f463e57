// What a person gives with a prompt in the demo. The model gets a picture, and reads any other
// file, which is the project's from then on.
import type { Browser } from 'playwright';
import { expect } from 'vitest';
import { startMessagesServer } from '../../support/models/messages-server.ts';
import type { MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { it } from '../chromium.ts';
import { chooseServer, said, serveDemo } from './demo-page.ts';
import { findBreaches } from './find-breaches.ts';
import { pasteImage } from './paste-image.ts';

interface MessagesBody {
  readonly messages: readonly { readonly content: string | readonly object[] }[];
}

const demo = serveDemo();

async function open(browser: Browser, server: MessagesServer) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await chooseServer(page, server);
  await page.goto(demo.url);
  const field = page.getByLabel('Message to the agent');
  await field.waitFor();
  return { context, page, field };
}

it('sends a pasted image with the prompt, and shows it after a reload', async ({ browser }) => {
  await using server = await startMessagesServer();
  const { context, page, field } = await open(browser, server);
  await pasteImage(field, 300, 200);
  await page.getByRole('img', { name: 'Image 1', exact: true }).waitFor();
  expect(await findBreaches(page, '.rp-composer')).toEqual([]);
  server.answer({ type: 'stream', text: toSse(textEvents('A black one.')) });
  await field.fill('What is it?');
  await field.press('Enter');
  await said(page, 'A black one.').waitFor();
  const body = server.requests[0]?.body as MessagesBody | undefined;
  const blocks = body?.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content,
  );
  expect(blocks).toContainEqual(
    expect.objectContaining({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: expect.any(String) },
    }),
  );
  await page.reload();
  const kept = page.getByRole('img', { name: 'Your image 1' });
  await kept.waitFor();
  expect(await kept.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
  await context.close();
});

it('keeps any other file in the project, and names it in the prompt', async ({ browser }) => {
  await using server = await startMessagesServer();
  const { context, page, field } = await open(browser, server);
  const choose = async (text: string) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Add files…' }).click();
    const file = { name: 'tides.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await (await chooser).setFiles(file);
  };
  await choose('one');
  await expect.poll(() => field.inputValue()).toBe('@tides.csv ');
  await choose('two');
  await expect.poll(() => field.inputValue()).toBe('@tides.csv @tides-2.csv ');
  const read = { type: 'tool_use', id: 'r', name: 'Read', input: { file_path: 'tides-2.csv' } };
  server.answer(
    { type: 'stream', text: toSse([...toEvents(assistantMessage([read as never]))]) },
    { type: 'stream', text: toSse(textEvents('It says two.')) },
  );
  await field.press('Enter');
  await said(page, 'It says two.').waitFor();
  expect(JSON.stringify(server.requests[1]?.body)).toContain('1\\ttwo');
  await page.getByRole('treeitem', { name: 'tides-2.csv' }).waitFor();
  await context.close();
});
