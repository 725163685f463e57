import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createTextDocument,
  type TextDocument,
  type TextDocumentState,
} from '../../../src/workspace/documents/text-document.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createOpenDocuments } from '../../../src/workspace/documents/open-documents.ts';
import { catchSurfaced } from '../../support/catch-surfaced.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

const path = '/workspace/a.txt';
let workspace: Workspace;

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/workspace');
  await workspace.fs.writeFile(path, 'one');
});

/** A document over a buffer that is nothing but a string. */
function open(file = path) {
  let text = '';
  const states: TextDocumentState[] = [];
  const waiting = new Set<() => void>();
  const replaced: string[] = [];
  const buffer = {
    getText: () => text,
    setText: (next: string) => void (text = next),
    replaceText(next: string) {
      replaced.push(text);
      text = next;
    },
  };
  const document: TextDocument = createTextDocument({
    workspace,
    path: file,
    buffer,
    onState: (state) => {
      states.push(state);
      for (const wake of waiting) wake();
    },
  });
  const reached = async (kind: TextDocumentState['kind']): Promise<TextDocumentState> => {
    for (;;) {
      const last = states.at(-1);
      if (last?.kind === kind) return last;
      await new Promise<void>((wake) => waiting.add(wake));
    }
  };
  const type = (next: string) => {
    text = next;
    document.edited();
  };
  return { document, buffer, reached, type, replaced };
}

it('is saved where its listener throws', async () => {
  const uncaught = catchSurfaced();
  const kinds: string[] = [];
  let text = '';
  const document = createTextDocument({
    workspace,
    path,
    buffer: {
      getText: () => text,
      setText: (next) => void (text = next),
      replaceText: (next) => void (text = next),
    },
    onState({ kind }) {
      kinds.push(kind);
      throw new Error('A mistake of the page.');
    },
  });
  onTestFinished(() => document[Symbol.dispose]());
  await document.flush();
  text = 'two';
  document.edited();
  await document.save();
  expect(await workspace.fs.readFile(path, 'utf8')).toBe('two');
  expect(kinds).toEqual(['saved', 'unsaved', 'saving', 'saved']);
  expect(uncaught).toHaveLength(4);
});

/** A change as a call of the agent makes it. */
async function changeAsAgent(content: string | null): Promise<void> {
  const [baseVersion = 0] = await workspace.versions([path]);
  const change =
    content === null
      ? ({ type: 'remove', path, baseVersion } as const)
      : ({
          type: 'write',
          path,
          baseVersion,
          content: new TextEncoder().encode(content),
          mode: 0o644,
          mtimeMs: 0,
        } as const);
  const author = { kind: 'agent', callId: 'call-1' } as const;
  await workspace.commit({ baseSeq: workspace.seq(), changes: [change] }, { author });
}

const stored = () => workspace.fs.readFile(path, 'utf8');

describe('createTextDocument', () => {
  it('loads a file, and saves what was typed', async () => {
    const { document, buffer, reached, type } = open();
    await reached('saved');
    expect(buffer.getText()).toBe('one');
    type('two');
    await document.save();
    await reached('saved');
    expect(await stored()).toBe('two');
  });

  it('saves what is typed while it saves', async () => {
    const { document, reached, type } = open();
    await reached('saved');
    type('two');
    const saving = document.save();
    type('three');
    await saving;
    await reached('saved');
    expect(await stored()).toBe('three');
  });

  it("shows the agent's change at once where nothing is unsaved", async () => {
    const { document, buffer, reached } = open();
    await reached('saved');
    await changeAsAgent('by the agent');
    await document.save();
    expect(buffer.getText()).toBe('by the agent');
  });

  it('merges what the agent changed on other lines with what is unsaved, and saves both', async () => {
    await workspace.fs.writeFile(path, 'one\ntwo\nthree\n');
    const { document, buffer, reached, type } = open();
    await reached('saved');
    type('mine\ntwo\nthree\n');
    await changeAsAgent('one\ntwo\ntheirs\n');
    await document.save();
    expect([buffer.getText(), await stored()]).toEqual([
      'mine\ntwo\ntheirs\n',
      'mine\ntwo\ntheirs\n',
    ]);
    await reached('saved');
  });

  it('is the person’s version for a host that flushes it before a call', async () => {
    const documents = createOpenDocuments();
    const { document, reached, type } = open();
    const added = documents.add(document);
    await reached('saved');
    type('typed');
    expect(documents.paths()).toEqual([path]);
    await documents.flush();
    expect(await stored()).toBe('typed');
    added[Symbol.dispose]();
    expect(documents.paths()).toEqual([]);
  });

  it('overwrites neither side in a conflict, until a person chooses theirs', async () => {
    const { document, buffer, reached, type, replaced } = open();
    await reached('saved');
    type('mine');
    await changeAsAgent('theirs');
    expect(await reached('conflict')).toEqual({ kind: 'conflict', isDeleted: false });
    await document.save();
    expect([buffer.getText(), await stored()]).toEqual(['mine', 'theirs']);
    await document.takeTheirs();
    await reached('saved');
    expect([buffer.getText(), await stored()]).toEqual(['theirs', 'theirs']);
    // What undo brings back.
    expect(replaced).toEqual(['mine']);
  });

  it('writes over theirs when a person keeps their own', async () => {
    const { document, reached, type, replaced } = open();
    await reached('saved');
    type('mine');
    await changeAsAgent('theirs');
    await reached('conflict');
    await document.keepMine();
    await reached('saved');
    expect(await stored()).toBe('mine');
    expect(replaced).toEqual(['mine', 'theirs']);
  });

  it('keeps edits of a file that was deleted meanwhile, and can write it again', async () => {
    const { document, buffer, reached, type } = open();
    await reached('saved');
    type('mine');
    await changeAsAgent(null);
    expect(await reached('conflict')).toEqual({ kind: 'conflict', isDeleted: true });
    expect(buffer.getText()).toBe('mine');
    await document.keepMine();
    await reached('saved');
    expect(await stored()).toBe('mine');
  });

  it('has the edits of a deleted file also after they were dropped', async () => {
    const { document, reached, type } = open();
    await reached('saved');
    type('mine');
    await changeAsAgent(null);
    await reached('conflict');
    await document.takeTheirs();
    expect(await reached('unreadable')).toEqual({
      kind: 'unreadable',
      message: 'This file was deleted. What you wrote is still here.',
      canRestore: true,
    });
    await document.restore();
    await reached('saved');
    expect(await stored()).toBe('mine');
  });

  it('loads a deleted file that is made anew so that undo brings back what was written', async () => {
    const { document, buffer, reached, type, replaced } = open();
    await reached('saved');
    type('mine');
    await changeAsAgent(null);
    await reached('conflict');
    await document.takeTheirs();
    await reached('unreadable');
    await changeAsAgent('anew');
    await reached('saved');
    expect([buffer.getText(), replaced]).toEqual(['anew', ['mine']]);
    // What was saved isn't lost with the file: there is nothing to be undone.
    await changeAsAgent(null);
    await reached('unreadable');
    await changeAsAgent('again');
    await reached('saved');
    expect([buffer.getText(), replaced]).toEqual(['again', ['mine']]);
  });

  it('says that a file went with the directory that it was in', async () => {
    const { reached } = open();
    await reached('saved');
    await workspace.fs.rm('/workspace', { recursive: true });
    expect(await reached('unreadable')).toEqual({
      kind: 'unreadable',
      message: 'This file was deleted.',
    });
  });

  it("says that a file is not text, and doesn't touch it", async () => {
    await workspace.fs.writeFile(path, new Uint8Array([0xff, 0xfe, 0x00, 0x80]));
    const { buffer, reached } = open();
    expect(await reached('unreadable')).toEqual({
      kind: 'unreadable',
      message: 'This file is not text, so there is nothing to edit.',
    });
    expect(buffer.getText()).toBe('');
  });

  it('opens a file that appears after it was asked for', async () => {
    await workspace.fs.unlink(path);
    const { buffer, reached } = open();
    await reached('unreadable');
    await changeAsAgent('born late');
    await reached('saved');
    expect(buffer.getText()).toBe('born late');
  });

  it('gives back a byte order mark and line ends as they were', async () => {
    await workspace.fs.writeFile(path, '\uFEFFa\r\nb\r\n');
    const { document, buffer, reached, type } = open();
    await reached('saved');
    type(`${buffer.getText()}c\r\n`);
    await document.save();
    await reached('saved');
    expect(await workspace.fs.readFile(path)).toEqual(
      new Uint8Array([0xef, 0xbb, 0xbf, 97, 13, 10, 98, 13, 10, 99, 13, 10]),
    );
  });
});
