// CodeMirror in a shadow root. There its styles are constructed sheets, which the page's strict policy allows. In the
// document they would be <style> elements, which the policy forbids.
import { autocompletion, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
} from '@codemirror/commands';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, Text, Transaction } from '@codemirror/state';
import type { Annotation, Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { findTextEdits } from 'rockpool/browser';
import type { FileChange, TextEdit } from 'rockpool/browser';
import { agentChanges, showChanges } from './agent-changes.ts';
import { loadLanguage } from './load-language.ts';
import { proposedChanges, showProposal } from './proposed-changes.ts';

export interface CodeEditor extends Disposable {
  getText(): string;
  /**
   * Replaces the text. This isn't an edit of the person, so it isn't reported and can't be undone. Differences from
   * the text before are marked for some seconds.
   */
  setText(text: string): void;
  /** Replaces the text as a step that undo reverts. It isn't reported as an edit, but its undoing is. */
  replaceText(text: string): void;
  setReadOnly(isReadOnly: boolean): void;
  /** Shows the hunks as a proposed change, in place of an earlier one. Empty: nothing is proposed. */
  propose(hunks: FileChange['structuredPatch']): void;
  /** Moves the cursor to a line, counted from 1, and scrolls the line to the middle. */
  reveal(line: number): void;
  focus(): void;
}

export interface CodeEditorOptions {
  readonly path: string;
  readonly onEdit: () => void;
  readonly onSave: () => void;
  readonly onBlur: () => void;
}

export function createCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  const editable = new Compartment();
  const lineEnds = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      extensions: [
        language.of([]),
        lineEnds.of([]),
        editable.of(EditorState.readOnly.of(true)),
        baseSetup(options),
        EditorView.contentAttributes.of({ 'aria-label': `Text of ${options.path}`, tabindex: '0' }),
      ],
    }),
  });
  let isDisposed = false;
  let isFirstText = true;
  const colour = (): void =>
    void loadLanguage(options.path).then(
      (support) => {
        if (!isDisposed && support) view.dispatch({ effects: language.reconfigure(support) });
      },
      () => {
        // Without the network a text can be edited all the same. It gets its colours later.
        if (!isDisposed) addEventListener('online', colour, { once: true });
      },
    );
  colour();

  const replace = (text: string, kind: Annotation<unknown>) => {
    // CodeMirror would save CRLF files with LF. This keeps the file's line ends.
    const separator = text.includes('\r\n') ? [EditorState.lineSeparator.of('\r\n')] : [];
    view.dispatch({ effects: lineEnds.reconfigure(separator) });
    // CodeMirror counts every line end as one character.
    const before = view.state.doc.toString();
    const edits = findTextEdits(before, view.state.toText(text).toString());
    // Inserts an array of lines, because a string would be split at the file's own line ends.
    const changes = edits.map((edit) => ({ ...edit, insert: Text.of(edit.insert.split('\n')) }));
    view.dispatch({ changes, annotations: [kind, Transaction.remote.of(true)] });
    return edits;
  };
  const show = (edits: readonly TextEdit[]) => {
    let moved = 0;
    const ranges = edits.map(({ from, to, insert }) => {
      const start = from + moved;
      moved += insert.length - (to - from);
      return { from: start, to: start + insert.length };
    });
    showChanges(view, ranges);
  };

  return {
    getText: () => view.state.sliceDoc(),
    setText(text) {
      const edits = replace(text, Transaction.addToHistory.of(false));
      if (!isFirstText) show(edits);
      isFirstText = false;
    },
    replaceText(text) {
      show(replace(text, isolateHistory.of('full')));
    },
    setReadOnly(isReadOnly) {
      view.dispatch({ effects: editable.reconfigure(EditorState.readOnly.of(isReadOnly)) });
    },
    propose: (hunks) => showProposal(view, hunks),
    reveal(line) {
      const { doc } = view.state;
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
      view.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: 'center' }),
      });
    },
    focus: () => view.focus(),
    [Symbol.dispose]() {
      isDisposed = true;
      removeEventListener('online', colour);
      view.destroy();
    },
  };
}

function baseSetup({ onEdit, onSave, onBlur }: CodeEditorOptions): Extension {
  const save = () => {
    onSave();
    return true;
  };
  return [
    lineNumbers(),
    foldGutter(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    agentChanges,
    proposedChanges,
    search({ top: true }),
    syntaxHighlighting(highlightStyle),
    // Tab indents; Escape, then Tab, leaves the editor.
    keymap.of([
      { key: 'Mod-s', run: save, preventDefault: true },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      indentWithTab,
    ]),
    theme,
    EditorView.updateListener.of((update) => {
      const isEdit = update.transactions.some(
        (transaction) =>
          transaction.docChanged && transaction.annotation(Transaction.remote) !== true,
      );
      if (isEdit) onEdit();
    }),
    EditorView.domEventHandlers({ blur: onBlur }),
  ];
}

/**
 * The colours are the page's custom properties, which also apply in shadow roots. So one theme is enough for light
 * and dark.
 */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--rp-text)', backgroundColor: 'var(--rp-surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--rp-mono)', fontSize: '13px', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--rp-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--rp-text)' },
  '.cm-gutters': {
    color: 'var(--rp-muted)',
    backgroundColor: 'var(--rp-surface)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--rp-sunken)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--rp-accent-soft)' },
  '.cm-changed-line': { backgroundColor: 'var(--rp-added-soft)' },
  '.cm-proposed-added': {
    padding: '0 2px 0 3px',
    borderLeft: '3px solid var(--rp-success)',
    backgroundColor: 'var(--rp-added-soft)',
    whiteSpace: 'pre',
  },
  '.cm-lineWrapping .cm-proposed-added': { whiteSpace: 'break-spaces' },
  '.cm-proposed-removed': {
    backgroundColor: 'var(--rp-removed-soft)',
    textDecoration: 'line-through color-mix(in srgb, var(--rp-danger) 50%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--rp-accent-soft)',
    outline: '1px solid var(--rp-accent)',
  },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'var(--rp-mark)' },
  '.cm-foldPlaceholder': { color: 'var(--rp-muted)', background: 'none', border: 'none' },
  '.cm-panels': { color: 'var(--rp-text)', backgroundColor: 'var(--rp-background)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--rp-border)' },
  '.cm-textfield, .cm-button': {
    color: 'var(--rp-text)',
    background: 'var(--rp-surface)',
    border: '1px solid var(--rp-border-strong)',
    borderRadius: '4px',
  },
  '.cm-tooltip': {
    color: 'var(--rp-text)',
    backgroundColor: 'var(--rp-raised)',
    border: '1px solid var(--rp-border-strong)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--rp-on-accent)',
    backgroundColor: 'var(--rp-accent)',
  },
});

const highlightStyle = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--rp-token-comment)', fontStyle: 'italic' },
  { tag: [tags.string, tags.regexp], color: 'var(--rp-token-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--rp-token-number)' },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--rp-token-keyword)' },
  { tag: [tags.typeName, tags.className, tags.tagName], color: 'var(--rp-accent)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, color: 'var(--rp-accent)', textDecoration: 'underline' },
]);
