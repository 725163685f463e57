import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { createCodeEditor } from '../../demo/editor/code-editor.ts';
import type { CodeEditor } from '../../demo/editor/code-editor.ts';

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
