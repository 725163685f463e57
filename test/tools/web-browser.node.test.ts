// WebBrowser over a preview of the test's own: what it takes, who is asked, which files a page may load.
import { describe, expect, it } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import type { Host } from '../../src/agent/host.ts';
import { SdkError } from '../../src/core/errors.ts';
import type { Preview, PreviewFiles, PreviewPage } from '../../src/core/host-ports/preview.ts';
import type { CallContext } from '../../src/core/tool/context.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import type { WebBrowserInput } from '../../src/tools/web-browser/schema.ts';
import { webBrowserTool } from '../../src/tools/web-browser/tool.ts';
import {
  callTool,
  runHooked,
  say,
  toResults,
  type HookedOptions,
} from '../support/turns/run-hooked.ts';

const shown: PreviewPage = {
  path: '/workspace/index.html',
  title: 'Tides',
  tree: '- button "Add" [ref=e1]',
  view: { width: 390, height: 844, above: 0, below: 20, left: 0, right: 0 },
  unread: { errors: 1, others: 2 },
};

/** Notes what it is asked. */
function createFakePreview() {
  const asked: unknown[] = [];
  const given: PreviewFiles[] = [];
  const preview: Preview = {
    async open(path, { files, filter }) {
      asked.push({ open: path, ...(filter && { filter }) });
      given.push(files);
      return { ...shown, path };
    },
    async act(action, { filter } = {}) {
      asked.push(filter ? { ...action, filter } : action);
      if (action.type === 'click') throw new SdkError('invalid-input', 'There is no element e9.');
      return shown;
    },
    async screenshot({ fullPage } = {}) {
      asked.push({ screenshot: { fullPage } });
      const size = { width: 600, height: 1568, rest: { above: 5, below: 32, left: 0, right: 7 } };
      const missing = { videos: 2, frames: 1, canvases: 3 };
      return { path: shown.path, png: Uint8Array.of(1, 2, 3), ...size, missing };
    },
    async readConsole() {
      asked.push('console');
      const messages = [{ level: 'error', text: 'Uncaught TypeError: x' } as const];
      return { path: shown.path, messages, dropped: 3 };
    },
  };
  return { preview, asked, given };
}

async function run(inputs: readonly WebBrowserInput[], options: HookedOptions = {}) {
  const inline = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const fake = createFakePreview();
  const host: Host = { ...inline, preview: fake.preview };
  await inline.workspace.fs.writeFile('/workspace/index.html', '<p>one</p>');
  await inline.workspace.fs.writeFile('/workspace/secret.txt', 'secret');
  await inline.workspace.fs.writeFile('/workspace/film.mp4', new Uint8Array(9 * 1024 * 1024));
  const turns = inputs.map((input, at) => callTool('WebBrowser', input, `call-${at}`));
  const { messages, requests } = await runHooked(host, [...turns, say('Done.')], options);
  return { ...fake, results: toResults(messages), requests, host };
}

describe('WebBrowser', () => {
  it('opens a page and acts on it, and tells what is to be seen', async () => {
    const { asked, results } = await run(
      [
        { action: 'open', path: 'index.html' },
        { action: 'type', ref: 'e1', text: 'x' },
        { action: 'press', key: 'Enter' },
        { action: 'click', ref: 'e9' },
        { action: 'console' },
        { action: 'scroll', ref: 'e1' },
        { action: 'scroll', scroll_direction: 'up', scroll_amount: 1.5 },
        { action: 'resize', width: 390, height: 844 },
        { action: 'resize' },
      ],
      { allowedTools: ['WebBrowser'] },
    );
    expect(asked).toEqual([
      { open: '/workspace/index.html' },
      { type: 'type', ref: 'e1', text: 'x' },
      { type: 'press', key: 'Enter' },
      { type: 'click', ref: 'e9' },
      'console',
      { type: 'scroll', ref: 'e1' },
      { type: 'scroll', direction: 'up', amount: 150 },
      { type: 'resize', size: { width: 390, height: 844 } },
      { type: 'resize' },
    ]);
    const page =
      '/workspace/index.html ("Tides")\n\n- button "Add" [ref=e1]\n\nThe screen shows 390 × 844 pixels. More pixels of the page: 20 below it.\nNew in the console: 3 (1 of them errors or refused requests).';
    expect(results).toEqual([
      page,
      page,
      page,
      expect.stringContaining('There is no element e9.'),
      "(3 older messages weren't kept.)\n[error] Uncaught TypeError: x",
      ...Array.from({ length: 4 }, () => page),
    ]);
  });

  it('asks the preview for each action as the input says', async () => {
    const { asked, results } = await run(
      [
        { action: 'find', text: 'Tides' },
        {
          action: 'click',
          coordinate: [5, 6],
          button: 'right',
          double_click: true,
          modifiers: ['Alt'],
        },
        { action: 'hover', ref: 'e2' },
        { action: 'drag', start_coordinate: [1, 2], ref: 'e3' },
        { action: 'press', key: 'ArrowUp', time: 2 },
        { action: 'wait', text: 'Here', text_gone: 'Gone', time: 3 },
        { action: 'dialog', accept: false },
        { action: 'upload', ref: 'e4', paths: ['index.html'] },
        { action: 'upload', ref: 'e4', paths: ['secret.txt'] },
      ],
      { allowedTools: ['WebBrowser'], disallowedTools: ['Read(secret.txt)'] },
    );
    const bytes = new TextEncoder().encode('<p>one</p>');
    expect(asked).toEqual([
      { type: 'find', text: 'Tides' },
      {
        ...{ type: 'click', coordinate: [5, 6], button: 'right', doubleClick: true },
        modifiers: ['Alt'],
      },
      { type: 'hover', ref: 'e2' },
      { type: 'drag', from: { coordinate: [1, 2] }, to: { ref: 'e3' } },
      { type: 'press', key: 'ArrowUp', time: 2 },
      { type: 'wait', text: 'Here', textGone: 'Gone', time: 3 },
      { type: 'dialog', accept: false },
      { type: 'upload', ref: 'e4', files: [{ name: 'index.html', bytes }] },
    ]);
    expect(results.at(-1)).toContain('ENOENT');
  });

  it('gives a page no more than a page may load', async () => {
    const { asked, results } = await run([
      { action: 'upload', ref: 'e4', paths: ['film.mp4', 'film.mp4'] },
    ]);
    expect(asked).toEqual([]);
    expect(results.at(-1)).toContain('An upload has at most 16777216');
  });

  it('shows the model a picture of the page, and says what is not in it', async () => {
    const { asked, requests } = await run([{ action: 'screenshot', full_page: true }]);
    expect(asked).toEqual([{ screenshot: { fullPage: true } }]);
    const contents = (requests.at(-1) ?? []).map(({ content }): unknown => content);
    expect(contents.flat()).toContainEqual({
      type: 'tool_result',
      tool_use_id: 'call-0',
      content: [
        {
          type: 'text',
          text: "/workspace/index.html: a picture of 600 × 1568 pixels. More pixels of the page: 5 above it, 32 below it, 7 to its right. Videos that it doesn't show: 2. Frames that it doesn't show: 1. Canvases that are empty in it: 3. Nothing is drawn on them, or WebGL hasn't kept its drawing.",
        },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
      ],
    });
  });

  it('says what is to be listed', async () => {
    const { asked } = await run(
      [
        { action: 'open', path: 'index.html', filter: 'interactive' },
        { action: 'read', ref: 'e1' },
        { action: 'press', key: 'Enter', filter: 'changed' },
        { action: 'emulate', color_scheme: 'dark' },
        { action: 'emulate' },
      ],
      { allowedTools: ['WebBrowser'] },
    );
    expect(asked).toEqual([
      { open: '/workspace/index.html', filter: 'interactive' },
      { type: 'read', ref: 'e1' },
      { type: 'press', key: 'Enter', filter: 'changed' },
      { type: 'emulate', colorScheme: 'dark' },
      { type: 'emulate' },
    ]);
  });

  it('says that a preview draws no pictures', async () => {
    const { screenshot: _left, ...preview } = createFakePreview().preview;
    const abortController = new AbortController();
    const context = { abortController, cwd: '/workspace', preview } as unknown as CallContext;
    await expect(webBrowserTool.call({ action: 'screenshot' }, context)).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: "This host's preview draws no pictures. Look at the page by read instead.",
    });
  });

  it('asks a person about the page, and not about what is done with it', async () => {
    const questions: unknown[] = [];
    await run(
      [{ action: 'open', path: 'index.html' }, { action: 'click', ref: 'e1' }, { action: 'read' }],
      {
        canUseTool: async (_name, input) => {
          questions.push(input);
          return { behavior: 'allow', updatedInput: input };
        },
      },
    );
    expect(questions).toEqual([{ action: 'open', path: 'index.html' }]);
  });

  it.each(['Read', 'Read(/workspace/**)'])('is not allowed by the rule %s', async (rule) => {
    const { asked, results } = await run([{ action: 'open', path: 'index.html' }], {
      allowedTools: [rule],
    });
    expect(asked).toEqual([]);
    expect(results).toEqual([expect.stringContaining('nothing allows WebBrowser')]);
  });

  it('is refused a page once text from outside was read, where nothing may go out', async () => {
    const { asked, results } = await run(
      [
        { action: 'open', path: 'index.html' },
        { action: 'type', ref: 'e1', text: 'secret' },
        { action: 'read' },
        { action: 'scroll', scroll_direction: 'down' },
        { action: 'find', text: 'secret' },
      ],
      { allowedTools: ['WebBrowser'], egress: 'deny' },
    );
    const scrolled = { type: 'scroll', direction: 'down' };
    expect(asked).toEqual([{ open: '/workspace/index.html' }, { type: 'read' }, scrolled]);
    expect(results[1]).toContain('WebBrowser was refused');
    expect(results[4]).toContain('WebBrowser was refused');
  });

  it('hands a page the files that the call may read, denied ones not among them', async () => {
    const { given, host } = await run([{ action: 'open', path: 'index.html' }], {
      allowedTools: ['WebBrowser'],
      disallowedTools: ['Read(secret.txt)'],
    });
    const [files] = given;
    await expect(files?.readFile('/workspace/secret.txt')).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(files?.stat('/workspace/secret.txt')).rejects.toMatchObject({ code: 'ENOENT' });
    // Later, too: what is written now is what a page loads next.
    await host.workspace.fs.writeFile('/workspace/index.html', '<p>two</p>');
    const bytes = await files?.readFile('/workspace/index.html');
    expect(new TextDecoder().decode(bytes)).toBe('<p>two</p>');
  });

  it("is called by a cell's code", async () => {
    const inline = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const { preview, asked } = createFakePreview();
    const code = "(await tools.WebBrowser({ action: 'open', path: 'index.html' })).tree";
    const { messages } = await runHooked(
      { ...inline, preview },
      [callTool('Repl', { code }), say('Done.')],
      {
        permissionMode: 'bypassPermissions',
      },
    );
    expect(toResults(messages)[0]).toContain('button "Add" [ref=e1]');
    expect(asked).toEqual([{ open: '/workspace/index.html' }]);
  });

  it('is not there where the host has no preview', async () => {
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const { messages } = await runHooked(
      host,
      [callTool('WebBrowser', { action: 'read' }), say('Done.')],
      {},
    );
    expect(toResults(messages)[0]).toContain('WebBrowser');
    const abortController = new AbortController();
    const context = { abortController, cwd: '/workspace' } as unknown as CallContext;
    await expect(webBrowserTool.call({ action: 'read' }, context)).rejects.toMatchObject({
      code: 'unsupported-environment',
    });
  });
});
