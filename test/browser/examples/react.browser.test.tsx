// docs/examples/react-panel.tsx in a page that has no styles but the package's own.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, createScriptedModel, type BrowserHost } from 'rockpool/browser';
import { AgentPanel } from '../../../docs/examples/react-panel.tsx';
import styles from '../../../src/react/react.css?inline';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let host: BrowserHost;
let mounted: Mounted;

const write = { file_path: 'tide.txt', content: 'low' };
const script = {
  turns: [
    { blocks: [{ type: 'tool_use', id: 'write', name: 'Write', input: write }] },
    { blocks: [{ type: 'text', text: 'Written.' }] },
    { blocks: [{ type: 'text', text: 'And again.' }] },
  ],
} as const;

beforeEach(async () => {
  host = await createBrowserHost({
    workspace: `react-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm },
  });
  const model = createScriptedModel({ script });
  mounted = await mount(
    <div className="frame">
      <style>{`${styles} .frame { width: 320px }`}</style>
      <AgentPanel host={host} model={model} />
    </div>,
  );
  // What the agent does comes when it comes: the test waits for what is seen.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

afterEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  mounted[Symbol.dispose]();
  await host[Symbol.asyncDispose]();
});

const soon = { timeout: 240_000 };
const field = () => page.getByRole('textbox', { name: 'Message to the agent' });
const prompts = () =>
  [...mounted.element.querySelectorAll('.rp-prompt')].map((prompt) => prompt.textContent);

async function send(text: string): Promise<void> {
  await userEvent.fill(field(), text);
  await userEvent.keyboard('{Enter}');
}

describe('docs/examples/react-panel.tsx', () => {
  it('shows each prompt once by itself, asks, and goes on with what was sent meanwhile', async () => {
    await send('Write the tide.');
    await expect.poll(prompts, soon).toEqual(['You: Write the tide.']);
    await expect.poll(() => mounted.element.querySelector('[role=alertdialog]'), soon).toBeTruthy();
    await send('Once more.');
    await expect.element(page.getByRole('button', { name: 'Take back: Once more.' })).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Allow once' }), soon);
    await expect.poll(prompts, soon).toEqual(['You: Write the tide.', 'You: Once more.']);
    await expect.poll(() => mounted.element.textContent, soon).toContain('And again.');
    expect(await host.workspace.fs.readFile('/workspace/tide.txt', 'utf8')).toBe('low');
  });

  it('keeps its width and its face in a page without styles of its own', async () => {
    await send('Write the tide.');
    await expect.poll(() => mounted.element.querySelector('[role=alertdialog]'), soon).toBeTruthy();
    const frame = mounted.element.querySelector('.frame')!.getBoundingClientRect();
    const seen = [...mounted.element.querySelectorAll<HTMLElement>('[class^=rp-]:not(.rp-hidden)')];
    const wide = seen.filter((each) => each.getBoundingClientRect().right > frame.right + 0.5);
    expect(wide.map((each) => each.className)).toEqual([]);
    const texts = seen.filter((each) => each.innerText?.trim());
    const faces = new Set(texts.map((each) => getComputedStyle(each).fontFamily.split(',')[0]));
    expect([...faces].sort()).toEqual(['system-ui', 'ui-monospace']);
  });
});
