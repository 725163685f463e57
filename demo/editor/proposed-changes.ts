// Shows in the text the change that a question of the agent is about. Lines that would be removed are struck through,
// and new lines are shown below them. The new lines aren't part of the text.
import { StateEffect, StateField } from '@codemirror/state';
import type { Range, Text } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import type { FileChange } from 'rockpool/browser';

type Hunks = FileChange['structuredPatch'];

const propose = StateEffect.define<Hunks>();
const removed = Decoration.line({ class: 'cm-proposed-removed' });

class AddedLines extends WidgetType {
  readonly #lines: readonly string[];

  constructor(lines: readonly string[]) {
    super();
    this.#lines = lines;
  }

  override eq(other: AddedLines): boolean {
    return this.#lines.join('\n') === other.#lines.join('\n');
  }

  toDOM(): HTMLElement {
    const block = document.createElement('div');
    block.className = 'cm-proposed-added';
    block.textContent = this.#lines.join('\n');
    return block;
  }
}

/** The extension that shows the proposal. */
export const proposedChanges = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(propose)) next = toDecorations(transaction.state.doc, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Replaces the proposal before; empty hunks end it. Scrolls to the first change unless the person is typing in the
 * editor.
 */
export function showProposal(view: EditorView, hunks: Hunks): void {
  const { doc } = view.state;
  const [first] = hunks.filter((hunk) => isAbout(doc, hunk));
  const at = first && doc.line(Math.min(Math.max(first.oldStart, 1), doc.lines)).from;
  const scroll =
    at === undefined || view.hasFocus ? [] : [EditorView.scrollIntoView(at, { y: 'center' })];
  view.dispatch({ effects: [propose.of(hunks), ...scroll] });
}

/** True if the text has the lines that the hunk keeps and removes. The text may have been edited since. */
function isAbout(doc: Text, { oldStart, lines }: Hunks[number]): boolean {
  const old = lines.filter((line) => !line.startsWith('+'));
  return old.every((line, at) => {
    const number = oldStart + at;
    return number <= doc.lines && doc.line(number).text === line.slice(1);
  });
}

function toDecorations(doc: Text, hunks: Hunks): DecorationSet {
  const ranges = hunks.filter((hunk) => isAbout(doc, hunk)).flatMap((hunk) => rangesOf(doc, hunk));
  return Decoration.set(ranges, true);
}

function rangesOf(doc: Text, { oldStart, lines }: Hunks[number]): Range<Decoration>[] {
  const ranges: Range<Decoration>[] = [];
  let number = oldStart;
  let added: string[] = [];
  const placeAdded = () => {
    if (added.length === 0) return;
    const widget = new AddedLines(added);
    const above = number - 1;
    // Shown below the line before them, except at the beginning of the text, where there is none.
    ranges.push(
      above >= 1
        ? Decoration.widget({ widget, block: true, side: 1 }).range(doc.line(above).to)
        : Decoration.widget({ widget, block: true, side: -1 }).range(0),
    );
    added = [];
  };
  for (const line of lines) {
    if (line.startsWith('+')) {
      added.push(line.slice(1));
      continue;
    }
    placeAdded();
    if (line.startsWith('-')) ranges.push(removed.range(doc.line(number).from));
    number += 1;
  }
  placeAdded();
  return ranges;
}
