// docs/examples/plain-panel.ts: a conversation on a page without React.
import { page } from 'vitest/browser';
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, createScriptedModel } from 'rockpool/browser';
import { expect, it } from 'vitest';
import { openPlainPanel } from '../../../docs/examples/plain-panel.ts';

const write = { file_path: 'tide.txt', content: 'low' };
const script = {
  turns: [
    { blocks: [{ type: 'tool_use', id: 'write', name: 'Write', input: write }] },
    { blocks: [{ type: 'text', text: 'Written.' }] },
  ],
} as const;

it('shows the turns and the open question, and writes after a yes', async () => {
  await using host = await createBrowserHost({
    workspace: `plain-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm },
  });
  const panel = document.createElement('div');
  document.body.append(panel);
  try {
    using session = openPlainPanel(panel, host, createScriptedModel({ script }));
    session.send('Write down the tide.');
    await expect.element(page.getByText('You: Write down the tide.')).toBeVisible();
    await page.getByRole('button', { name: /^Allow Write/ }).click();
    await expect.element(page.getByText('Written.')).toBeVisible();
    await expect.element(page.getByText('Write: output-available')).toBeVisible();
    expect(await host.workspace.fs.readFile(`${host.cwd}/tide.txt`, 'utf8')).toBe('low');
  } finally {
    panel.remove();
  }
});
