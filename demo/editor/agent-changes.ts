// Marks lines that the agent or somebody else has just changed, for some seconds.
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';

/** In milliseconds: long enough to find the change, short enough not to disturb. */
const shownFor = 6000;

/** The ranges in the order of the text. */
type Ranges = readonly { readonly from: number; readonly to: number }[];

const mark = StateEffect.define<Ranges>();
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

function linesOf(doc: EditorView['state']['doc'], ranges: Ranges) {
  const starts = new Set<number>();
  for (const { from, to } of ranges) {
    const last = doc.lineAt(Math.min(to, doc.length)).number;
    for (let number = doc.lineAt(from).number; number <= last; number += 1) {
      starts.add(doc.line(number).from);
    }
  }
  return Decoration.set([...starts].map((start) => line.range(start)));
}

/** Marks ranges, and scrolls to the first unless the person is typing in the editor. */
export function showChanges(view: EditorView, ranges: Ranges): void {
  const [first] = ranges;
  if (!first) return;
  const scroll = view.hasFocus ? [] : [EditorView.scrollIntoView(first.from, { y: 'center' })];
  view.dispatch({ effects: [mark.of(ranges), ...scroll] });
  setTimeout(() => {
    if (view.dom.isConnected) view.dispatch({ effects: clear.of(null) });
  }, shownFor);
}
