// What crosses when a session is moved: a closed list of requests, each with one answer. The place that can be reached
// (an object, a server) answers; the other (a tab) asks, whichever way the session goes. Types and checks, no behaviour.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isSessionId } from '../../core/session/session-path.ts';
import type { ListedCheckpoint } from './checkpoints.ts';
import type { FileList } from './file-list.ts';

/** The version of these messages. */
export const moveProtocol = 'rockpool-move-2';

/** All that must have arrived before the session may go on elsewhere. */
export interface Departure {
  readonly lease: number;
  /** The journal: how many entries, and a hash over them. */
  readonly entries: number;
  readonly digest: string;
  readonly main: FileList;
  /** The session's own files. */
  readonly own: FileList;
  /** The checkpoints that the other side lacks, the newest first. */
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Paths that the model knows as they stand. */
  readonly reads: readonly string[];
}

/** What of it has contents. */
export type MovedTrees = Pick<Departure, 'main' | 'own' | 'checkpoints'>;

/** An answer with what a place knows of its copy of the session. */
export interface Copy {
  /** Undefined: there is no session here. */
  readonly session: string | undefined;
  readonly runsHere: boolean;
  readonly lease: number;
  readonly entries: number;
  readonly digest: string;
}

/**
 * Asked of a place that claims to have everything: a hash that begins with the nonce, over these
 * contents and the journal.
 */
export interface Challenge {
  readonly nonce: string;
  readonly hashes: readonly string[];
}

/** The answer to a {@link Challenge}, which only a place with the bytes can give. */
export interface Proof {
  readonly files: number;
  readonly entries: number;
  readonly hash: string;
}

/** The messages of each request type and its answer. Bytes go beside both. */
export interface MoveMessages {
  /** Changes nothing. `upTo`: how many entries the hash is over, at most. */
  look: { ask: { readonly upTo?: number }; answer: Copy };
  /**
   * Offers a session to the answering place, which says which checkpoints it has. A newer offer
   * makes older ones void.
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
  /** From this on the session is the answering place's. */
  take: { ask: object; answer: { readonly lease: number } };
  /**
   * Out of the answering place. `leave` stops it there, `release` gives it away for good. `has`: the checkpoints that
   * needn't go along.
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
  /** Settles an open move: if it isn't done by now, it never is. */
  cancel: { ask: object; answer: { readonly isDone: boolean } };
  /**
   * Sent when whoever has fetched the session is lost: see reclaim-session.ts. Answers with the id
   * of the session that goes on there. `isCopy`: it was made of one that was given away. An older
   * place doesn't say.
   */
  reclaim: { ask: object; answer: { readonly session: string; readonly isCopy?: boolean } };
}

/** `contents` is how many of the message's blobs are the entry's. */
export interface SentEntry {
  readonly value: unknown;
  readonly contents: number;
}

export type MoveType = keyof MoveMessages;

/** What each request says beside its own fields. */
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

/** Security: it came from outside. @throws SdkError `unsupported-environment` for another version, `invalid-input`. */
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

/** Security: it came from outside. */
export function isDeparture(value: unknown): value is Departure {
  if (!isRecord(value)) return false;
  const { lease, entries, digest, reads } = value;
  const isCounted = isCount(lease) && isCount(entries) && typeof digest === 'string';
  return isCounted && areTrees(value) && isTexts(reads);
}

/** Security: it came from outside. */
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

/** As in a list of files, or gone. */
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

/** Security: it came from outside. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Security: it came from outside. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function bad(why: string): SdkError {
  return new SdkError('invalid-input', `This is no message of a move. ${why} Nothing was changed.`);
}
