// The preview in the demo: what the agent opens is on the screen, and a person runs it again. The model is a server that
// the test plays.
import type { Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { toEvents } from '../../../src/model/to-events.ts';
import { startMessagesServer, type MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, textEvents, toSse } from '../../support/models/model-streams.ts';
import { it } from '../chromium.ts';
import { said, serveDemo } from './demo-page.ts';

const demo = serveDemo();
let server: MessagesServer;

it.beforeAll(async () => {
  server = await startMessagesServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const calling = (id: string, name: string, input: Record<string, unknown>) => {
  const call = { type: 'tool_use', id, name, input } as const;
  const events = toEvents(assistantMessage([call], { stop_reason: 'tool_use' }));
  return { type: 'stream', text: toSse([...events]) } as const;
};

const html = `<!doctype html><title>Tides</title>
<script type="module" src="page.ts"></script><button>Count</button>`;
const code = `let count: number = 0;
const button = document.querySelector('button') as HTMLButtonElement;
button.onclick = () => (button.textContent = 'Counted ' + (count += 1));
console.error('only a test');`;

const inFrame = (page: Page) =>
  page.frameLocator('.preview-frame iframe').frameLocator('iframe').getByRole('button');

describe('the preview in the demo', () => {
  it('shows what the agent opens and clicks, and runs it for a person', async ({ browser }) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const settings = {
        model: { kind: 'server', baseUrl: server.url, apiKey: 'key-1', model: 'any' },
        'permission-mode': 'acceptEdits',
      };
      await page.addInitScript((given) => {
        // Also run in the preview's frames, which have no storage.
        if (self.origin === 'null') return;
        for (const [name, value] of Object.entries(given)) {
          localStorage.setItem(`rockpool-demo:${name}`, JSON.stringify(value));
        }
      }, settings);
      await page.goto(demo.url);
      const field = page.getByLabel('Message to the agent');
      await field.waitFor();
      server.answer(
        calling('one', 'Write', { file_path: '/workspace/index.html', content: html }),
        calling('two', 'Write', { file_path: '/workspace/page.ts', content: code }),
        calling('three', 'WebBrowser', { action: 'open', path: 'index.html' }),
        calling('four', 'WebBrowser', { action: 'click', ref: 'e1' }),
        calling('five', 'WebBrowser', { action: 'resize', width: 390, height: 844 }),
        calling('six', 'WebBrowser', { action: 'screenshot' }),
        { type: 'stream', text: toSse(textEvents('It counts.')) },
      );
      await field.fill('Make a page that counts.');
      await page.keyboard.press('Enter');
      // The page is asked about, and what is done with it isn't.
      const question = page.getByRole('alertdialog');
      await question.getByRole('button', { name: /^Allow once/ }).click();
      await said(page, 'It counts.').waitFor();
      await expect.poll(() => inFrame(page).innerText()).toBe('Counted 1');
      expect(JSON.stringify(server.requests.at(-1))).toContain('"media_type":"image/png"');
      const pane = page.getByRole('region', { name: 'Preview' });
      expect(await pane.innerText()).toContain('1 error');
      // A person sees that the page is as large as a phone, and has it larger again.
      await pane.getByText(/^390 × 844 \(\d+ %\)$/).waitFor();
      await pane.getByRole('button', { name: 'Fill the pane' }).click();
      await pane.getByText('390 × 844').waitFor({ state: 'hidden' });
      await pane.getByRole('button', { name: 'Run again' }).click();
      await expect.poll(() => inFrame(page).innerText()).toBe('Count');
      await pane.getByRole('button', { name: 'Hide' }).click();
      await expect.poll(() => pane.isVisible()).toBe(false);
    } finally {
      await context.close();
    }
  });
});
