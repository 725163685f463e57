// Marks the lines that somebody else (the agent) has just changed, for as long as a look takes.
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';

/** In milliseconds: long enough to find it, short enough not to stay in the way. */
const shownFor = 6000;

const mark = StateEffect.define<{ readonly from: number; readonly to: number }>();
const clear = StateEffect.define<null>();
const line = Decoration.line({ class: 'cm-changed-line' });

/** The extension that shows the marks. */
export const agentChanges = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(clear)) next = Decoration.none;
      if (effect.is(mark)) next = linesOf(transaction.state.doc, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function linesOf(doc: EditorView['state']['doc'], range: { from: number; to: number }) {
  const ranges = [];
  const last = doc.lineAt(Math.min(range.to, doc.length)).number;
  for (let number = doc.lineAt(range.from).number; number <= last; number += 1) {
    ranges.push(line.range(doc.line(number).from));
  }
  return Decoration.set(ranges);
}

/** Marks a range, and brings it into sight where the person isn't busy in the editor. */
export function showChange(view: EditorView, from: number, to: number): void {
  const scroll = view.hasFocus ? [] : [EditorView.scrollIntoView(from, { y: 'center' })];
  view.dispatch({ effects: [mark.of({ from, to }), ...scroll] });
  setTimeout(() => {
    if (view.dom.isConnected) view.dispatch({ effects: clear.of(null) });
  }, shownFor);
}
