// Commits, trees and tags as data and as git's bytes. Pure; reading and writing them is the store's.
import { SdkError } from '../../core/errors.ts';
import { compareNames } from '../tree/path-order.ts';
import type { GitCommit, GitSignature, GitTreeEntry, Oid } from './git.ts';
import { fromOid, toOid } from './objects/oid.ts';

/** One name in a tree. */
export interface TreeEntry extends GitTreeEntry {
  readonly name: string;
}

/** The kinds of entries that git has. */
export const treeModes = {
  directory: 0o040000,
  file: 0o100644,
  executable: 0o100755,
  symlink: 0o120000,
  submodule: 0o160000,
} as const;

/** Is the entry a file, and not a link, a directory or a submodule? */
export function isFile({ mode }: GitTreeEntry): boolean {
  return mode === treeModes.file || mode === treeModes.executable;
}

/** A tag object. */
export interface TagObject {
  readonly target: Oid;
  readonly type: string;
  readonly name: string;
  readonly tagger?: GitSignature;
  readonly message: string;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The entries in the order that they stand in. @throws SdkError `EIO` for bytes that are no tree. */
export function parseTree(bytes: Uint8Array): TreeEntry[] {
  const entries: TreeEntry[] = [];
  // Security: a link and a directory of one name would have a file written through the link.
  const names = new Set<string>();
  for (let at = 0; at < bytes.length;) {
    let mode = 0;
    for (; bytes[at] !== 0x20; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 7) throw damaged('tree');
      mode = mode * 8 + digit;
    }
    const end = bytes.indexOf(0, at);
    if (end === -1 || end + 21 > bytes.length) throw damaged('tree');
    const name = decoder.decode(bytes.subarray(at + 1, end));
    // What isn't UTF-8 reads the same, and is written nowhere.
    if (names.has(name) && !name.includes('\ufffd')) throw twice(name);
    names.add(name);
    entries.push({
      // Old git wrote 100664, too, which means an ordinary file.
      mode: mode === 0o100664 ? treeModes.file : mode,
      name,
      oid: toOid(bytes, end + 1),
    });
    at = end + 21;
  }
  return entries;
}

function twice(name: string): SdkError {
  return new SdkError(
    'EIO',
    `EIO: a tree of the repository has the name ${JSON.stringify(name)} twice, so nobody can say what it holds. ` +
      'Have it mended where it comes from (git fsck names it).',
  );
}

/** Inverse of {@link parseTree}. The entries may be in any order. */
export function serializeTree(entries: readonly TreeEntry[]): Uint8Array {
  const sorted = entries.toSorted((left, right) => compareNames(sortKey(left), sortKey(right)));
  const parts = sorted.map(({ mode, name, oid }) => ({
    head: encoder.encode(`${mode.toString(8)} ${name}\0`),
    oid,
  }));
  const bytes = new Uint8Array(parts.reduce((sum, { head }) => sum + head.length + 20, 0));
  let at = 0;
  for (const { head, oid } of parts) {
    bytes.set(head, at);
    bytes.set(fromOid(oid), at + head.length);
    at += head.length + 20;
  }
  return bytes;
}

/** Git orders a directory as if its name ended in a slash. */
function sortKey({ mode, name }: TreeEntry): string {
  return mode === treeModes.directory ? `${name}/` : name;
}

/** @throws SdkError `EIO` for bytes that are no commit. */
export function parseCommit(oid: Oid, bytes: Uint8Array): GitCommit {
  const { headers, message } = parseHeaders(bytes);
  const tree = headers.find(([key]) => key === 'tree')?.[1];
  const author = headers.find(([key]) => key === 'author')?.[1];
  const committer = headers.find(([key]) => key === 'committer')?.[1];
  if (tree === undefined || author === undefined || committer === undefined) {
    throw damaged('commit');
  }
  return {
    oid,
    tree,
    parents: headers.filter(([key]) => key === 'parent').map(([, parent]) => parent),
    author: parseSignature(author),
    committer: parseSignature(committer),
    message,
  };
}

/** Inverse of {@link parseCommit}, without what that leaves out (a signature, an encoding). */
export function serializeCommit(commit: Omit<GitCommit, 'oid'>): Uint8Array {
  const { tree, parents, author, committer, message } = commit;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(author)}`,
    `committer ${formatSignature(committer)}`,
  ];
  return encoder.encode(`${lines.join('\n')}\n\n${message}`);
}

/** @throws SdkError `EIO` for bytes that are no tag. */
export function parseTag(bytes: Uint8Array): TagObject {
  const { headers, message } = parseHeaders(bytes);
  const named = new Map(headers);
  const [target, type, name] = [named.get('object'), named.get('type'), named.get('tag')];
  if (target === undefined || type === undefined || name === undefined) throw damaged('tag');
  const tagger = named.get('tagger');
  return {
    target,
    type,
    name,
    ...(tagger !== undefined && { tagger: parseSignature(tagger) }),
    message,
  };
}

/** Inverse of {@link parseTag}. */
export function serializeTag({ target, type, name, tagger, message }: TagObject): Uint8Array {
  const lines = [`object ${target}`, `type ${type}`, `tag ${name}`];
  if (tagger) lines.push(`tagger ${formatSignature(tagger)}`);
  return encoder.encode(`${lines.join('\n')}\n\n${message}`);
}

/** `A B <a@b> 1700000000 +0100`: as it stands in commits and in logs of refs. */
export function formatSignature({ name, email, ...time }: GitSignature): string {
  // What ends a name or a line can't stand in one: git leaves it out, too.
  const plain = (text: string) => text.replaceAll(/[\n\0<>]/gu, '').trim();
  return `${plain(name)} <${plain(email)}> ${formatTime(time)}`;
}

/** `1700000000 +0100`. */
export function formatTime({
  timestamp,
  timezoneOffset,
}: Pick<GitSignature, 'timestamp' | 'timezoneOffset'>): string {
  const minutes = Math.abs(timezoneOffset);
  const sign = timezoneOffset > 0 ? '-' : '+';
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${timestamp} ${sign}${pad(Math.floor(minutes / 60))}${pad(minutes % 60)}`;
}

function parseSignature(text: string): GitSignature {
  const match = /^([^<]*?) ?<([^>]*)> ?(-?\d+)? ?([+-]\d{4})?/u.exec(text);
  const [, name = '', email = '', timestamp = '0', zone = '+0000'] = match ?? [];
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return {
    name,
    email,
    timestamp: Number(timestamp),
    timezoneOffset: zone.startsWith('-') || minutes === 0 ? minutes : -minutes,
  };
}

interface Headers {
  readonly headers: readonly (readonly [key: string, value: string])[];
  readonly message: string;
}

function parseHeaders(bytes: Uint8Array): Headers {
  const text = decoder.decode(bytes);
  const end = text.indexOf('\n\n');
  const lines = (end === -1 ? text.trimEnd() : text.slice(0, end)).split('\n');
  const headers = lines
    // A line that begins with a blank goes on with the one before, such as a signature's.
    .filter((line) => !line.startsWith(' '))
    .map((line) => {
      const at = line.indexOf(' ');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
  const encoding = headers.find(([key]) => key === 'encoding')?.[1];
  const whole = encoding === undefined ? text : decodeAs(encoding, bytes);
  const from = whole.indexOf('\n\n');
  return { headers, message: from === -1 ? '' : whole.slice(from + 2) };
}

/** Older commits may be in an encoding that this platform doesn't know: they are shown as UTF-8. */
function decodeAs(encoding: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return decoder.decode(bytes);
    throw error;
  }
}

function damaged(type: string): SdkError {
  return new SdkError(
    'EIO',
    `An object of the repository is damaged: it is no ${type}. Clone it anew, or run git fsck on a copy.`,
    { data: { type } },
  );
}
