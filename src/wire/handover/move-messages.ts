// The messages of a move: a closed list of requests, each with one answer. The place with an
// address (an object, a server) answers; the other one (a tab) asks, in whichever direction the
// session moves. Only types and checks.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isSessionId } from '../../core/session/session-path.ts';
import type { ListedCheckpoint } from './checkpoints.ts';
import type { FileList } from './file-list.ts';

/** The version of these messages. */
export const moveProtocol = 'rockpool-move-2';

/** Everything that must have arrived before the session may continue in the other place. */
export interface Departure {
  readonly lease: number;
  /** The number of the journal's entries, and a hash over them. */
  readonly entries: number;
  readonly digest: string;
  readonly main: FileList;
  /** The session's own files. */
  readonly own: FileList;
  /** The checkpoints that the other side lacks, the newest first. */
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Paths that the model knows in their current state. */
  readonly reads: readonly string[];
}

/** The parts with contents. */
export type MovedTrees = Pick<Departure, 'main' | 'own' | 'checkpoints'>;

/** What a place knows about its copy of the session. */
export interface Copy {
  /** Undefined: the place has no session. */
  readonly session: string | undefined;
  readonly runsHere: boolean;
  readonly lease: number;
  readonly entries: number;
  readonly digest: string;
}

/**
 * Sent to a place that claims to have everything: it must compute a hash over the nonce, these
 * contents and the journal.
 */
export interface Challenge {
  readonly nonce: string;
  readonly hashes: readonly string[];
}

/** The answer to a {@link Challenge}, which only a place with the bytes can compute. */
export interface Proof {
  readonly files: number;
  readonly entries: number;
  readonly hash: string;
}

/** The request and the answer of each type. Both may have bytes in addition. */
export interface MoveMessages {
  /** Changes nothing. `upTo`: the most entries that the hash covers. */
  look: { ask: { readonly upTo?: number }; answer: Copy };
  /**
   * Offers a session to the answering place, which returns the checkpoints that it has. A newer
   * offer cancels older ones.
   */
  offer: {
    ask: { readonly lease: number };
    answer: Copy & { readonly checkpoints: readonly string[] };
  };
  lacks: {
    ask: { readonly hashes: readonly string[] };
    answer: { readonly lacks: readonly string[] };
  };
  contents: { ask: { readonly hashes: readonly string[] }; answer: { readonly kept: number } };
  journal: {
    ask: { readonly from: number; readonly entries: readonly SentEntry[] };
    answer: { readonly entries: number };
  };
  stage: { ask: { readonly departure: Departure; readonly challenge: Challenge }; answer: Proof };
  /** From now on the session belongs to the answering place. */
  take: { ask: object; answer: { readonly lease: number } };
  /**
   * Moves a session out of the answering place. `leave` stops it there, `release` gives it away
   * permanently. `has`: the checkpoints that needn't be sent.
   */
  leave: {
    ask: { readonly has: readonly string[] };
    answer: { readonly departure: Departure };
  };
  files: { ask: { readonly has: readonly string[] }; answer: MovedTrees };
  'read-contents': {
    ask: { readonly hashes: readonly string[] };
    answer: { readonly hashes: readonly string[] };
  };
  'read-journal': {
    ask: { readonly from: number };
    answer: { readonly from: number; readonly entries: readonly SentEntry[] };
  };
  release: { ask: { readonly lease: number }; answer: { readonly lease: number } };
  /** Settles an open move: if it isn't done by now, it never will be. */
  cancel: { ask: object; answer: { readonly isDone: boolean } };
  /**
   * Sent if the place that has fetched the session is lost: see reclaim-session.ts. The answer has
   * the id of the session that continues there. `isCopy`: it is a copy of one that was given away;
   * an older place leaves it out.
   */
  reclaim: { ask: object; answer: { readonly session: string; readonly isCopy?: boolean } };
}

/** `contents`: how many of the message's blobs belong to the entry. */
export interface SentEntry {
  readonly value: unknown;
  readonly contents: number;
}

export type MoveType = keyof MoveMessages;

/** The common fields of all requests. */
export interface MoveHead {
  readonly protocol: string;
  readonly type: MoveType;
  readonly session: string;
  readonly move: string;
}

const types: ReadonlySet<string> = new Set([
  'look',
  'offer',
  'lacks',
  'contents',
  'journal',
  'stage',
  'take',
  'leave',
  'files',
  'read-contents',
  'read-journal',
  'release',
  'cancel',
  'reclaim',
] satisfies MoveType[]);

/**
 * Security: the value came from outside.
 *
 * @throws SdkError `unsupported-environment` for another version, `invalid-input` if it is
 * malformed
 */
export function readMoveRequest(
  fields: Readonly<Record<string, unknown>>,
): MoveHead & Readonly<Record<string, unknown>> {
  const { protocol, type, session, move } = fields;
  if (protocol !== moveProtocol) {
    const given = String(protocol).slice(0, 60);
    throw new SdkError(
      'unsupported-environment',
      `This place moves sessions by ${moveProtocol}, not by ${given}: the two sides have different versions of Rockpool. Update the older one. Nothing was moved.`,
      { data: { protocol: moveProtocol } },
    );
  }
  const isNamed = isSessionId(session) || (session === '' && type === 'look');
  if (typeof type !== 'string' || !types.has(type) || !isNamed || !isSessionId(move)) {
    throw bad('It has no known type, session or move.');
  }
  if (!isFit(type as MoveType, fields)) throw bad(`Its fields aren't those of "${type}".`);
  return fields as unknown as MoveHead & Readonly<Record<string, unknown>>;
}

function isFit(type: MoveType, fields: Readonly<Record<string, unknown>>): boolean {
  switch (type) {
    case 'lacks':
    case 'contents':
    case 'read-contents':
      return isTexts(fields['hashes']);
    case 'files':
    case 'leave':
      return isTexts(fields['has']);
    case 'journal':
      return isCount(fields['from']) && isSent(fields['entries']);
    case 'look':
      return fields['upTo'] === undefined || isCount(fields['upTo']);
    case 'read-journal':
      return isCount(fields['from']);
    case 'offer':
    case 'release':
      return isCount(fields['lease']);
    case 'stage':
      return isDeparture(fields['departure']) && isChallenge(fields['challenge']);
    default:
      return true;
  }
}

/** Security: the value came from outside. */
export function isDeparture(value: unknown): value is Departure {
  if (!isRecord(value)) return false;
  const { lease, entries, digest, reads } = value;
  const isCounted = isCount(lease) && isCount(entries) && typeof digest === 'string';
  return isCounted && areTrees(value) && isTexts(reads);
}

/** Security: the value came from outside. */
export function areTrees(value: unknown): value is MovedTrees {
  if (!isRecord(value)) return false;
  const { main, own, checkpoints } = value;
  return isFileList(main) && isFileList(own) && isList(checkpoints, isCheckpoint);
}

const isList = (value: unknown, is: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(is);

function isCheckpoint(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, label, changes } = value;
  const isNamed = typeof id === 'string' && typeof label === 'string';
  return isNamed && isList(changes, isChanged);
}

/** A node as in a list of files, or null if it was removed. */
function isChanged(value: unknown): boolean {
  return isListed(value) || isGone(value);
}

function isGone(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [path, node] = value as unknown[];
  return typeof path === 'string' && node === null;
}

function isFileList(value: unknown): value is FileList {
  return isList(value, isListed);
}

function isListed(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [path, node] = value as unknown[];
  if (typeof path !== 'string' || !Array.isArray(node)) return false;
  const [kind, first, ...rest] = node as unknown[];
  const areNumbers = rest.every((one) => typeof one === 'number' && Number.isFinite(one));
  if (kind === 'f') return typeof first === 'string' && rest.length === 3 && areNumbers;
  if (kind === 'l') return typeof first === 'string' && rest.length === 1 && areNumbers;
  return kind === 'd' && typeof first === 'number' && rest.length === 1 && areNumbers;
}

const isChallenge = (value: unknown): boolean =>
  isRecord(value) && typeof value['nonce'] === 'string' && isTexts(value['hashes']);

export function isSent(value: unknown): value is readonly SentEntry[] {
  return Array.isArray(value) && value.every((one) => isRecord(one) && isCount(one['contents']));
}

/** Security: the value came from outside. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Security: the value came from outside. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function bad(why: string): SdkError {
  return new SdkError('invalid-input', `This is no message of a move. ${why} Nothing was changed.`);
}
