// What the index knows of contents, in tables instead of objects, because memory accesses limit the speed of a search
// over ten thousand files.
import { doubled, PassageTable } from './passage-table.ts';

// The kinds of rows. There are several kinds of texts, because each has its own plan.
export const newRow = 0;
/**
 * The row of an entry that was dropped while a search still used it. It reads as new but isn't
 * counted.
 */
export const goneRow = 1;
export const binaryRow = 2;
export const asciiRow = 3;
export const wideRow = 4;

/** Each content has a row. Read a table again each time: tables are replaced as they grow. */
export class ContentTables {
  size = 0;
  kinds = new Uint8Array(1024);
  /** The number of a text's first passage, and the number of its passages. */
  firstPassages = new Uint32Array(1024);
  passageCounts = new Uint32Array(1024);
  passages = new PassageTable();

  /** Adds a row. Gives its number. */
  addRow(): number {
    if (this.size === this.kinds.length) {
      this.kinds = doubled(this.kinds);
      this.firstPassages = doubled(this.firstPassages);
      this.passageCounts = doubled(this.passageCounts);
    }
    this.size += 1;
    return this.size - 1;
  }
}
