// The times of a zip's entries. The format's own are of no time zone: a writer puts in what its clock shows. An extra
// field, which most programs write, has the same in UTC.

/** The extra field of times: its number, and the flag of the one that is read and written here. */
const timeField = 0x5455;
const hasModified = 1;

/** Where an entry's extra field of that number stands, without its head. */
export function findExtraField(
  view: DataView,
  start: number,
  length: number,
  number: number,
): { readonly start: number; readonly end: number } | undefined {
  const end = start + length;
  for (let at = start; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== number) continue;
    return { start: at + 4, end: Math.min(at + 4 + view.getUint16(at + 2, true), end) };
  }
  return undefined;
}

/** The time in UTC, if the entry's extra fields have it. */
export function readTimeField(view: DataView, start: number, length: number): number | undefined {
  const found = findExtraField(view, start, length, timeField);
  if (!found || found.end - found.start < 5) return undefined;
  const isThere = (view.getUint8(found.start) & hasModified) !== 0;
  return isThere ? view.getInt32(found.start + 1, true) * 1000 : undefined;
}

/** Inverse: {@link readTimeField}. None for a time that it has no room for, from 2038 on. */
export function toTimeField(mtimeMs: number): Record<number, Uint8Array> {
  const seconds = Math.floor(mtimeMs / 1000);
  if (seconds !== (seconds | 0)) return {};
  const field = new DataView(new ArrayBuffer(5));
  field.setUint8(0, hasModified);
  field.setInt32(1, seconds, true);
  return { [timeField]: new Uint8Array(field.buffer) };
}

/** DOS's date and time, in pairs of seconds, of no zone: taken as UTC, so that it is the same everywhere. */
export function toTime(date: number, time: number): number {
  const day = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31] as const;
  return Date.UTC(...day, time >> 11, (time >> 5) & 63, (time & 31) * 2);
}
