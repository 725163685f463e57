// A picture that a person pastes into the demo: the model gets it, and the conversation has it after a reload.
import { expect } from 'vitest';
import { startMessagesServer } from '../support/messages-server.ts';
import { textEvents, toSse } from '../support/model-streams.ts';
import { it } from './chromium.ts';
import { chooseServer, serveDemo } from './demo-page.ts';
import { findBreaches } from './find-breaches.ts';
import { pasteImage } from './paste-image.ts';

interface MessagesBody {
  readonly messages: readonly { readonly content: string | readonly object[] }[];
}

const demo = serveDemo();

it('sends a pasted image with the prompt, and shows it after a reload', async ({ browser }) => {
  await using server = await startMessagesServer();
  const context = await browser.newContext();
  const page = await context.newPage();
  await chooseServer(page, server);
  await page.goto(demo.url);
  const field = page.getByLabel('Message to the agent');
  await field.waitFor();
  await pasteImage(field, 300, 200);
  await page.getByRole('img', { name: 'Image 1', exact: true }).waitFor();
  expect(await findBreaches(page, '.rp-composer')).toEqual([]);
  server.answer({ type: 'stream', text: toSse(textEvents('A black one.')) });
  await field.fill('What is it?');
  await field.press('Enter');
  await page.getByText('A black one.').waitFor();
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
