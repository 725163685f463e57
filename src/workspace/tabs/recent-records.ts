// A bounded buffer of the last records, packed as they were sent. A tab that missed some, or a new
// leader, gets these instead of a whole snapshot.
import type { PackedSegment } from '../feed/feed.ts';
import type { TabRecord } from './tab-message.ts';

// 1 000 records and 8 MB: more than is ever in flight, and cheaper than a snapshot.
const maxRecords = 1000;
const maxBytes = 8_388_608;

export class RecentRecords {
  readonly #records: TabRecord[] = [];
  #bytes = 0;
  /** The revision before the first of them. */
  #base = -1;

  /** Adds the record that follows the last one. */
  push(record: TabRecord): void {
    if (record.revision !== this.#base + this.#records.length + 1) {
      this.reset(record.revision - 1);
    }
    this.#records.push(record);
    this.#bytes += bytesOf(record);
    while (this.#records.length > maxRecords || this.#bytes > maxBytes) {
      const oldest = this.#records.shift();
      if (!oldest) return;
      this.#bytes -= bytesOf(oldest);
      this.#base = oldest.revision;
    }
  }

  /** Drops everything. Records up to `revision` are then unknown. */
  reset(revision: number): void {
    this.#records.length = 0;
    this.#bytes = 0;
    this.#base = revision;
  }

  /** Returns all records after `revision`, or undefined if some are missing. */
  since(revision: number): readonly TabRecord[] | undefined {
    const first = revision - this.#base;
    return first >= 0 && first <= this.#records.length ? this.#records.slice(first) : undefined;
  }
}

/** Returns the size of a record's contents. */
export function bytesOf({ segment, streamSegment }: TabRecord): number {
  return sizeOf(segment) + sizeOf(streamSegment);
}

function sizeOf(segment: PackedSegment | undefined): number {
  if (!segment) return 0;
  return segment.data instanceof Uint8Array ? segment.data.length : segment.data.size;
}
