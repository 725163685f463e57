import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createCodeEditor } from '../../../demo/editor/code-editor.ts';
import type { CodeEditor } from '../../../demo/editor/code-editor.ts';

let host: HTMLElement;
let editor: CodeEditor;
let heard: string[];

beforeEach(() => {
  host = document.createElement('div');
  document.body.append(host);
  heard = [];
  editor = createCodeEditor(host, {
    path: '/workspace/a.ts',
    onEdit: () => heard.push('edit'),
    onSave: () => heard.push('save'),
    onBlur: () => heard.push('blur'),
  });
  editor.setText('let a = 1;\r\nlet b = 2;\r\n');
  editor.setReadOnly(false);
});

afterEach(() => {
  editor[Symbol.dispose]();
  host.remove();
});

describe('createCodeEditor', () => {
  it('reports what a person types, and nothing that is set', async () => {
    editor.setText('let a = 1;\r\nlet b = 3;\r\n');
    expect(heard).toEqual([]);
    editor.reveal(2);
    editor.focus();
    await userEvent.keyboard('x');
    expect(heard).toEqual(['edit']);
    expect(editor.getText()).toBe('let a = 1;\r\nxlet b = 3;\r\n');
  });

  it('saves on Control+S, and takes no input while it is read-only', async () => {
    editor.focus();
    await userEvent.keyboard('{Control>}s{/Control}');
    editor.setReadOnly(true);
    await userEvent.keyboard('x');
    expect(heard).toEqual(['save']);
    expect(editor.getText()).toBe('let a = 1;\r\nlet b = 2;\r\n');
  });

  it("keeps the person's undo history when another text comes from outside", async () => {
    editor.focus();
    await userEvent.keyboard('x');
    editor.setText('xlet a = 1;\r\nlet b = 2;\r\nlet c = 3;\r\n');
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(editor.getText()).toBe('let a = 1;\r\nlet b = 2;\r\nlet c = 3;\r\n');
  });

  it('takes back by undo, one by one, what was put in the place of the text', async () => {
    editor.focus();
    await userEvent.keyboard('x');
    editor.replaceText('theirs\r\n');
    expect([editor.getText(), heard]).toEqual(['theirs\r\n', ['edit']]);
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(editor.getText()).toBe('xlet a = 1;\r\nlet b = 2;\r\n');
    expect(heard).toEqual(['edit', 'edit']);
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(editor.getText()).toBe('let a = 1;\r\nlet b = 2;\r\n');
  });

  it('adds no style element, which a strict policy would forbid', () => {
    expect(host.shadowRoot?.querySelectorAll('style')).toHaveLength(0);
    expect(host.shadowRoot?.adoptedStyleSheets).toHaveLength(1);
  });
});

describe('a proposal', () => {
  const hunk = (oldStart: number, newStart: number, ...lines: string[]) => ({
    oldStart,
    oldLines: lines.filter((line) => !line.startsWith('+')).length,
    newStart,
    newLines: lines.filter((line) => !line.startsWith('-')).length,
    lines,
  });
  const content = () => host.shadowRoot?.querySelector<HTMLElement>('.cm-content');
  /** The lines as they are seen: `-` would go, `+` would come. */
  const seen = () =>
    [...(content()?.children ?? [])].map((line) => {
      const sign = line.matches('.cm-proposed-added')
        ? '+'
        : line.matches('.cm-proposed-removed')
          ? '-'
          : ' ';
      return `${sign}${line.textContent}`;
    });

  beforeEach(() => editor.setText('one\r\ntwo\r\nthree\r\n'));

  it('stands in its place, is no part of the text, and goes', () => {
    editor.propose([hunk(1, 1, '+zero', ' one', '-two', '+2', '+II', ' three')]);
    expect(seen()).toEqual(['+zero', ' one', '-two', '+2\nII', ' three', ' ']);
    expect([editor.getText(), heard]).toEqual(['one\r\ntwo\r\nthree\r\n', []]);
    editor.propose([]);
    expect(seen()).toEqual([' one', ' two', ' three', ' ']);
  });

  it('is left out for lines that read otherwise by now, or are gone', () => {
    editor.propose([hunk(1, 1, '-one', '+1'), hunk(2, 2, '-deux', '+2'), hunk(9, 9, '-x')]);
    expect(seen()).toEqual(['-one', '+1', ' two', ' three', ' ']);
  });

  it('stays with its lines while a person types above it', async () => {
    editor.propose([hunk(3, 3, '-three', '+3')]);
    editor.reveal(1);
    editor.focus();
    await userEvent.keyboard('new;{Enter}');
    expect(seen()).toEqual([' new;', ' one', ' two', '-three', '+3', ' ']);
  });

  it('fits an empty text', () => {
    editor.setText('');
    editor.propose([hunk(1, 1, '+first')]);
    expect(seen()).toEqual(['+first', ' ']);
  });
});
