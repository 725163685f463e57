// A session as one file, `.jsonl.gz`. It has a head, a line an entry with its contents, and a last
// line that tells what must stand before it. A cut or changed file is refused as a whole.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { journalFormat } from '../../core/session/journal.ts';
import { decodeBase64, encodeBase64 } from '../../core/bytes/base64.ts';
import { toHex } from '../../core/bytes/hex.ts';
import { joinBytes } from '../../core/bytes/join-bytes.ts';
import { readBytes } from '../../core/bytes/read-bytes.ts';
import { unpackLarge } from './journal-codec.ts';
import type { EncodedRecord } from './journal-codec.ts';
import { fromBaseJson, toBaseJson } from './session-base.ts';
import type { SessionBase } from './session-base.ts';

// 512 MB unpacked: ten times the longest session that was measured. More is a bomb, or a mistake.
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * The file. `entries` in order, each as {@link EncodedRecord} with its contents' bytes. `base`: the files that
 * the session began with, for a replay that runs its calls again.
 *
 * @returns the gzipped file; the caller's
 */
export async function writeJournalFile(
  sessionId: string,
  entries: AsyncIterable<EncodedRecord> | Iterable<EncodedRecord>,
  base?: SessionBase,
): Promise<Uint8Array<ArrayBuffer>> {
  // In the head: readers that know nothing of it pass it over.
  const files = base && { base: toBaseJson(base, encodeBase64) };
  const lines: string[] = [
    JSON.stringify({ type: 'rockpool-session', format: journalFormat, sessionId, ...files }),
  ];
  for await (const entry of entries) {
    const { value, contents } = unpackLarge(entry);
    const bytes = contents.length > 0 && { contents: contents.map(encodeBase64) };
    lines.push(JSON.stringify({ entry: value, ...bytes }));
  }
  const body = new TextEncoder().encode(`${lines.join('\n')}\n`);
  const end = JSON.stringify({ type: 'end', entries: lines.length - 1, sha256: await hash(body) });
  return gzip(joinBytes([body, new TextEncoder().encode(`${end}\n`)]));
}

/** What a file holds, checked as a whole, and believed in nothing else. */
export interface JournalFile {
  /** The id that the session had where it was written. */
  readonly sessionId: string;
  readonly entries: readonly EncodedRecord[];
  /** The files that the session began with, where it was exported with them. */
  readonly base?: SessionBase;
}

/**
 * Reads a file that {@link writeJournalFile} has made.
 *
 * @throws SdkError `invalid-input` for one that was cut, changed or is none.
 * `unsupported-environment` for one of a newer format. `limit-exceeded` for one of more than 512 MB
 * unpacked.
 */
export async function readJournalFile(file: Uint8Array<ArrayBuffer>): Promise<JournalFile> {
  const bytes = await gunzip(file);
  const text = new TextDecoder().decode(bytes);
  const lines = text.split('\n');
  if (lines.pop() !== '') throw broken('its last line is cut');
  const end = parseLine(lines.pop() ?? '');
  if (end.type !== 'end' || typeof end.entries !== 'number') throw broken('its end is missing');
  // Taken from the bytes: a text that isn't UTF-8 must not be hashed as what it was mended to.
  const body = bytes.subarray(0, bytes.lastIndexOf(newline, bytes.length - 2) + 1);
  if (end.sha256 !== (await hash(body))) throw broken('it was changed after it was written');
  const [head = {}, ...entries] = lines.map(parseLine);
  if (head.type !== 'rockpool-session' || typeof head.sessionId !== 'string') {
    throw broken('it has no head');
  }
  if (typeof head.format !== 'number') throw broken('its format is none');
  if (head.format > journalFormat) throw newer(head.format);
  if (entries.length !== end.entries) throw broken('entries are missing');
  const base = fromBaseJson(head.base, decodeBase64);
  if (head.base !== undefined && !base) throw broken('its files are none');
  return { sessionId: head.sessionId, entries: entries.map(toEncoded), ...(base && { base }) };
}

/** A newer version wrote it. */
function newer(format: number): SdkError {
  return new SdkError(
    'unsupported-environment',
    `The session has format ${format}, and this version reads up to ${journalFormat}. Update Rockpool; the session wasn't touched.`,
    { data: { format, reads: journalFormat } },
  );
}

const newline = 10;

function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value)) return value;
  } catch {
    // Said below, for either.
  }
  throw broken('a line of it is no JSON object');
}

function toEncoded({ entry, contents = [] }: Readonly<Record<string, unknown>>): EncodedRecord {
  const isList = Array.isArray(contents) && contents.every((one) => typeof one === 'string');
  if (!isRecord(entry) || !isList) throw broken('a line of it is no entry');
  return { value: entry, contents: (contents as readonly string[]).map(toBytes) };
}

function toBytes(text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (error) {
    throw broken(`a content of it is no base64 (${describeThrown(error)})`);
  }
}

function broken(why: string): SdkError {
  const message = `This is no whole session file: ${why}. Export the session again.`;
  return new SdkError('invalid-input', message);
}

async function hash(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function gunzip(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([file]).stream().pipeThrough(new DecompressionStream('gzip'));
  const whole = await readBytes(stream, MAX_BYTES).catch((error: unknown) => {
    throw broken(`it can't be unpacked (${describeThrown(error)})`);
  });
  if (!whole) throw tooLarge();
  return whole;
}

function tooLarge(): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The session file is more than ${MAX_BYTES / 1024 / 1024} MB unpacked, which no session is.`,
    { data: { limit: MAX_BYTES } },
  );
}
