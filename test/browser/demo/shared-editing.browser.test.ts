// A person types in the demo's editor while the agent edits the same file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createCodeEditor, type CodeEditor } from '../../../demo/editor/code-editor.ts';
import { query } from '../../../src/agent/query.ts';
import { createInlineHost, type InlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import {
  createTextDocument,
  type TextDocument,
  type TextDocumentState,
} from '../../../src/workspace/documents/text-document.ts';
import type { PathState } from '../../../src/workspace/workspace.ts';

const path = '/workspace/a.txt';
let host: InlineHost;
let element: HTMLElement;
let editor: CodeEditor;
let opened: TextDocument;
let state: TextDocumentState;
let woken: () => void;

beforeEach(async () => {
  host = await createInlineHost();
  await host.workspace.fs.writeFile(path, 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
  element = document.createElement('div');
  document.body.append(element);
  editor = createCodeEditor(element, {
    path,
    onEdit: () => opened.edited(),
    onSave: () => void opened.save(),
    onBlur: () => {},
  });
  woken = () => {};
  state = { kind: 'loading' };
  opened = createTextDocument({
    workspace: host.workspace,
    path,
    buffer: editor,
    onState(next) {
      state = next;
      woken();
    },
  });
  host.documents.add(opened);
  await reached('saved');
  editor.setReadOnly(false);
});

afterEach(async () => {
  opened[Symbol.dispose]();
  editor[Symbol.dispose]();
  element.remove();
  await host[Symbol.asyncDispose]();
});

async function reached(kind: TextDocumentState['kind']): Promise<void> {
  while (state.kind !== kind) await new Promise<void>((resolve) => (woken = resolve));
}

const stored = () => host.workspace.fs.readFile(path, 'utf8');

/** The agent reads the file, then puts one text in another's place. What it has read. */
async function askAgent(old_string: string, new_string: string): Promise<string> {
  const blocks = [
    { type: 'tool_use', name: 'Read', input: { file_path: path } },
    { type: 'tool_use', name: 'Edit', input: { file_path: path, old_string, new_string } },
    { type: 'text', text: 'Done.' },
  ] as const;
  const script = { turns: blocks.map((block) => ({ blocks: [block] })) };
  const options = {
    host,
    model: createScriptedModel({ script }),
    permissionMode: 'acceptEdits',
  } as const;
  const results: string[] = [];
  for await (const message of query({ prompt: 'Edit it.', options })) {
    if (message.type === 'user') results.push(JSON.stringify(message.message.content));
  }
  return results[0] ?? '';
}

/** A change as a call's commit makes it: of the file as the call has seen it. */
async function changeAsAgent(old: string, fresh: string): Promise<void> {
  // What a call sees is of one version, as a save may be on its way.
  let seen: PathState | null | undefined;
  let text = '';
  do {
    [seen] = await host.workspace.lookUp([path]);
    text = await stored();
  } while ((await host.workspace.versions([path]))[0] !== seen?.version);
  if (seen?.kind !== 'file') throw new Error('The file is there.');
  const { contentId, version: baseVersion } = seen;
  const content = new TextEncoder().encode(text.replace(old, fresh));
  const base = { contentId, mode: 0o644 };
  const change = {
    type: 'write',
    path,
    baseVersion,
    content,
    base,
    mode: 0o644,
    mtimeMs: 0,
  } as const;
  // The call takes as long as a key.
  await userEvent.keyboard('.');
  const author = { kind: 'agent', callId: 'call' } as const;
  const changeSet = { baseSeq: host.workspace.seq(), changes: [change] };
  await host.workspace.commit(changeSet, { author, merge: 'text' });
}

describe('the demo’s editor, while the agent edits the same file', () => {
  it('gives a call what is typed and not saved', async () => {
    editor.focus();
    await userEvent.keyboard('typed ');
    expect(await askAgent('five', 'FIVE')).toContain('typed one');
    expect(editor.getText()).toBe('typed one\ntwo\nthree\nfour\nFIVE\nsix\nseven\n');
  });

  it('loses nobody’s text, and keeps cursor and undo', async () => {
    editor.reveal(4);
    editor.focus();
    for (const [old, fresh] of [
      ['six', 'SIX\nand a half'],
      ['one', 'zero\none'],
      ['seven', 'SEVEN'],
    ] as const) {
      await userEvent.keyboard('ab');
      const saving = opened.save();
      await changeAsAgent(old, fresh);
      await saving;
    }
    await opened.save();
    await opened.save();
    const rest = 'zero\none\ntwo\nthree\n|four\nfive\nSIX\nand a half\nSEVEN\n';
    const both = rest.replace('|', 'ab.ab.ab.');
    expect([editor.getText(), await stored()]).toEqual([both, both]);
    // The cursor stayed behind what was typed, and undo takes that back alone.
    await userEvent.keyboard('!');
    expect(editor.getText()).toBe(rest.replace('|', 'ab.ab.ab.!'));
    for (let step = 0; step < 10; step += 1) await userEvent.keyboard('{Control>}z{/Control}');
    expect(editor.getText()).toBe(rest.replace('|', ''));
  });

  it('keeps both texts where both changed the same line, until the person decides', async () => {
    editor.reveal(3);
    editor.focus();
    await userEvent.keyboard('mine ');
    // Past the flush: as from another tab.
    const text = 'one\ntwo\ntheirs\nfour\nfive\nsix\nseven\n';
    await host.workspace.fs.writeFile(path, text);
    await reached('conflict');
    expect([editor.getText(), await stored()]).toEqual([
      'one\ntwo\nmine three\nfour\nfive\nsix\nseven\n',
      text,
    ]);
    await opened.takeTheirs();
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(editor.getText()).toBe('one\ntwo\nmine three\nfour\nfive\nsix\nseven\n');
  });
});
