// Validates stream requests for the writer. Security: as in validate-change-set.ts. Entries are
// encoded as text here, so they can't be changed later.
import { maxFileBytes } from '../files/file-limits.ts';
import { invalid, isCount, toFields } from '../state/read-fields.ts';
import type { AppendOptions, ForkOptions, NewStreamEntry } from '../streams.ts';

/** A stream request, as it is sent to the writer. */
export type StreamRequest =
  | {
      readonly type: 'append';
      readonly stream: string;
      readonly at: AppendOptions['at'];
      readonly entries: readonly NewStreamEntry[];
    }
  | {
      readonly type: 'fork';
      /** The id of the new stream. */
      readonly stream: string;
      readonly from: string;
      readonly length?: ForkOptions['length'];
    }
  | { readonly type: 'drop'; readonly stream: string };

/** An entry that is known to be valid JSON. The bytes belong to the caller. */
export interface ValidEntry {
  readonly json: string;
  readonly contents: readonly Uint8Array[];
}

/** A request with known fields only. */
export type ValidStreamRequest =
  | {
      readonly type: 'append';
      readonly stream: string;
      readonly at: number;
      readonly entries: readonly ValidEntry[];
    }
  | Exclude<StreamRequest, { readonly type: 'append' }>;

// 1 MiB: four times a model's longest reply. Larger data belongs in contents, which aren't kept in
// memory.
const maxEntryChars = 1_048_576;
const maxContents = 1000;
// 1 000 000: an import of a long session has 45 000.
const maxEntries = 1_000_000;
// 1 GiB: a record is encoded in one buffer, and browsers refuse buffers of 2 GiB and more.
const maxAppendBytes = 1_073_741_824;
// 1 000: parsers and encoders of JSON recurse. Real data is never nested so deeply.
const maxDepth = 1000;

/** @throws SdkError `invalid-input` that says what is wrong */
export function validateStreamRequest(value: unknown): ValidStreamRequest {
  const fields = toFields(value, 'The request');
  const { type } = fields;
  const stream = validateStreamId(fields['stream'], 'The stream');
  switch (type) {
    case 'append':
      return { type, stream, ...validateEntries(fields['at'], fields['entries']) };
    case 'fork': {
      const from = validateStreamId(fields['from'], 'The stream to be forked');
      const { length } = fields;
      if (length === undefined) return { type, stream, from };
      if (isCount(length) && length > 0) return { type, stream, from, length };
      throw invalid('The length of a fork is a whole number from 1, or left out.');
    }
    case 'drop':
      return { type, stream };
    default:
      throw invalid('The type must be append, fork or drop.');
  }
}

/** Validates `CommitOptions.append`. @throws SdkError `invalid-input` */
export function validateAppend(value: unknown): ValidStreamRequest {
  return validateStreamRequest({ ...toFields(value, 'The append'), type: 'append' });
}

/** @throws SdkError `invalid-input` */
export function validateStreamId(value: unknown, what: string): string {
  const isId =
    typeof value === 'string' && value.length <= 128 && /^[\w-]+(\/[\w-]+)*$/.test(value);
  if (isId) return value;
  throw invalid(
    `${what} must be an id of 1 to 128 letters, digits, "-" and "_", with single "/" between them.`,
  );
}

function validateEntries(at: unknown, entries: unknown) {
  if (!isCount(at)) throw invalid('at must be the length that the stream has, from 0.');
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > maxEntries) {
    throw invalid(`entries must be a list of 1 to ${maxEntries} entries.`);
  }
  let bytes = 0;
  const validated = (entries as unknown[]).map((entry, index) => {
    const valid = validateEntry(entry, index);
    bytes += valid.json.length + valid.contents.reduce((sum, { length }) => sum + length, 0);
    if (bytes > maxAppendBytes) {
      throw invalid(`An append may hold ${maxAppendBytes} bytes; append it in parts.`);
    }
    return valid;
  });
  return { at, entries: validated };
}

function validateEntry(entry: unknown, index: number): ValidEntry {
  const { value, contents = [] } = toFields(entry, `Entry ${index}`);
  requireJson(value, { index, path: [], above: new Set() });
  const json = JSON.stringify(value);
  if (json.length > maxEntryChars) {
    throw invalid(
      `The value of entry ${index} has ${json.length} characters as JSON; it may have ` +
        `${maxEntryChars}. Put large data into contents.`,
    );
  }
  if (!Array.isArray(contents) || contents.length > maxContents) {
    throw invalid(`The contents of entry ${index} must be a list of at most ${maxContents}.`);
  }
  for (const content of contents as unknown[]) {
    if (!(content instanceof Uint8Array)) {
      throw invalid(`The contents of entry ${index} must be Uint8Arrays.`);
    }
    if (content.length > maxFileBytes) {
      throw invalid(`A content of entry ${index} is longer than ${maxFileBytes} bytes.`);
    }
  }
  return { json, contents: contents as Uint8Array[] };
}

/** The place of a value within an entry. */
interface Place {
  readonly index: number;
  /** The keys that lead to the value. */
  readonly path: (string | number)[];
  /** The objects around the value, to detect cycles. */
  readonly above: Set<object>;
}

function requireJson(value: unknown, where: Place): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value !== 'object') throw noJson(where, `${typeof value} ${String(value)}`);
  const { above, path } = where;
  if (above.has(value)) throw noJson(where, 'an object that holds itself');
  if (path.length === maxDepth) throw noJson(where, `data nested deeper than ${maxDepth}`);
  above.add(value);
  const requireInside = (name: string | number, member: unknown) => {
    path.push(name);
    requireJson(member, where);
    path.pop();
  };
  if (Array.isArray(value)) {
    // Iterates by index, so that a hole counts as undefined and is refused.
    for (let at = 0; at < value.length; at += 1) requireInside(at, value[at]);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Accepts plain objects of another realm: the prototype of their prototype is null.
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    if (!isPlain) throw noJson(where, 'an object of a class');
    for (const [name, member] of Object.entries(value)) {
      if (member !== undefined) requireInside(name, member);
    }
  }
  above.delete(value);
}

function noJson({ index, path }: Place, what: string) {
  // 8 names are enough to find the value.
  const names = path.slice(0, 8).map((name) => `[${JSON.stringify(name)}]`);
  const place = `value${names.join('')}`;
  return invalid(`Entry ${index} is no JSON: ${place} is ${what}.`);
}
