// The index's answer to one search: which contents can't match, and where a match may be in the
// others.
import { asciiRow, binaryRow, wideRow, type ContentTables } from './content-tables.ts';
import type { IndexPlan, IndexPlans } from './index-plan.ts';
import type { Passage } from './passages.ts';
import { PassageFilter, prunePlan } from './plan-filter.ts';

/** A plan for one kind of text. */
interface RowFilter {
  readonly plan: IndexPlan;
  readonly passages: PassageFilter;
}

/** Filters rows for one search. Its answers stay correct while the index changes. */
export class ContentFilter {
  readonly #tables: ContentTables;
  readonly #byLine: boolean;
  readonly #ascii: RowFilter;
  readonly #wide: RowFilter;

  constructor(tables: ContentTables, plans: IndexPlans) {
    this.#tables = tables;
    this.#byLine = plans.byLine;
    this.#ascii = createRowFilter(plans.ascii, tables);
    this.#wide = createRowFilter(plans.wide, tables);
  }

  /**
   * The first place at or behind `from` whose row may match. If none is left, the number of rows.
   */
  next(rows: Int32Array, from: number): number {
    for (let at = from; at < rows.length; at += 1) if (this.mayMatch(rows[at] ?? 0)) return at;
    return rows.length;
  }

  /** False for the row of a content that certainly doesn't match, binary ones among them. */
  mayMatch(row: number): boolean {
    const kind = this.#tables.kinds[row];
    if (kind === asciiRow) return this.#mayTextMatch(row, this.#ascii);
    return kind === wideRow ? this.#mayTextMatch(row, this.#wide) : kind !== binaryRow;
  }

  /** The passages of its text in which a row may match. Undefined for all of the text. */
  passagesOf(row: number): readonly Passage[] | undefined {
    const { kinds, firstPassages, passageCounts, passages } = this.#tables;
    const kind = kinds[row];
    const count = passageCounts[row] ?? 0;
    // Nearly all files are small.
    if (count === 1 || !this.#byLine || (kind !== asciiRow && kind !== wideRow)) return undefined;
    const filter = kind === asciiRow ? this.#ascii : this.#wide;
    const first = firstPassages[row] ?? 0;
    const numbers = Array.from({ length: count }, (_, at) => first + at).filter((number) =>
      filter.passages.mayMatch(passages, number),
    );
    return numbers.length === count
      ? undefined
      : numbers.map((number) => passages.passageAt(number, first));
  }

  #mayTextMatch(row: number, filter: RowFilter): boolean {
    const { firstPassages, passageCounts, passages } = this.#tables;
    const first = firstPassages[row] ?? 0;
    const count = passageCounts[row] ?? 0;
    // A match that spans lines may begin in one passage and end in another.
    if (count > 1 && !this.#byLine) return this.#holdsAll(row, filter.plan);
    for (let at = first; at < first + count; at += 1) {
      if (filter.passages.mayMatch(passages, at)) return true;
    }
    return false;
  }

  /** True if a text has all parts of a plan, in whatever passages. */
  #holdsAll(row: number, plan: IndexPlan): boolean {
    if (plan.isImpossible) return false;
    const { firstPassages, passageCounts, passages } = this.#tables;
    const first = firstPassages[row] ?? 0;
    const end = first + (passageCounts[row] ?? 0);
    for (const hash of plan.hashes) {
      let at = first;
      while (at < end && !passages.mayHold(at, hash)) at += 1;
      if (at === end) return false;
    }
    return plan.groups.every((members) => members.some((member) => this.#holdsAll(row, member)));
  }
}

function createRowFilter(plan: IndexPlan, { passages }: ContentTables): RowFilter {
  const pruned = prunePlan(plan, passages);
  return { plan: pruned, passages: new PassageFilter(pruned) };
}
