// Validates a commit's options and root change for the writer. Security: as in
// validate-change-set.ts.
import type { ChangeSet } from '../../core/change-set.ts';
import { normalizePath } from '../../core/path.ts';
import {
  isSessionId,
  isSessionPath,
  sessionOfRoot,
  sessionsDirectory,
} from '../../core/session/session-path.ts';
import type { CommitOrigin, RootChange } from '../state/record.ts';
import { invalid, isCount, toFields, type Fields } from '../state/read-fields.ts';
import { mainRootId } from '../state/state.ts';
import { validateAppend, type ValidStreamRequest } from './validate-stream.ts';
import type { ChangeAuthor, CommitOptions, Durability } from '../workspace.ts';

/** The options, with defaults filled in. */
export interface ValidCommitOptions extends Omit<CommitOptions, 'append'> {
  readonly durability: Durability;
  readonly root: string;
  /** The change of a stream in the same record. */
  readonly stream?: ValidStreamRequest;
}

/** @throws SdkError `invalid-input`. Whether the root exists is checked at the commit's turn. */
export function validateCommitOptions(options: unknown): ValidCommitOptions {
  const fields = toFields(options, 'Options');
  const { author, durability = 'power', root = mainRootId, merge, origin, append } = fields;
  if (merge !== undefined && merge !== 'text') throw invalid("merge is 'text', or left out.");
  if (durability !== 'power' && durability !== 'process') {
    throw invalid('The durability must be power or process.');
  }
  return {
    author: validateAuthor(author),
    durability,
    root: validateId(root, 'The root'),
    ...(merge && { merge }),
    ...(origin !== undefined && { origin: validateOrigin(origin) }),
    ...(append !== undefined && { stream: validateAppend(append) }),
  };
}

// 10 000: each path is looked up in every merge and image. For more, name a directory.
const maxPaths = 10_000;
const maxLabelChars = 1000;

/**
 * Returns a value with known fields only, because it goes into the log. @throws SdkError
 * `invalid-input`
 */
export function validateRootChange(value: unknown): RootChange {
  const fields = toFields(value, 'The change of a root');
  const { type } = fields;
  const id = validateId(fields['id'], 'The id');
  if (id === mainRootId && (type === 'make' || type === 'drop')) {
    throw invalid('main can be neither made nor dropped.');
  }
  switch (type) {
    case 'drop':
      return { type, id };
    case 'make': {
      const { kind } = fields;
      if (kind !== 'checkpoint' && kind !== 'branch')
        throw invalid('The kind must be checkpoint or branch.');
      requireNoSession(id);
      return {
        type,
        id,
        kind,
        ...validateLabel(fields),
        from: validateId(fields['from'], 'The root'),
      };
    }
    case 'make-session': {
      if (sessionOfRoot(id) === undefined) throw invalid(`'${id}' is the root of no session.`);
      return { type, id, createdMs: validateCreatedMs(fields) };
    }
    case 'merge':
      return { type, id, paths: validatePaths(fields['paths']) };
    case 'rewind': {
      const { keep, undo } = fields;
      requireNoSession(undo);
      if (keep !== undefined && keep !== 'user') throw invalid("keep is 'user', or left out.");
      const paths = validatePaths(fields['paths']);
      const rewind = {
        type,
        id,
        undo: validateId(undo, 'The id'),
        paths,
        ...validateLabel(fields),
      };
      return keep ? { ...rewind, keep } : rewind;
    }
    default:
      throw invalid('The type must be make, make-session, drop, merge or rewind.');
  }
}

/** Refuses an id that views would show as a session's files. */
function requireNoSession(id: unknown): void {
  if (typeof id !== 'string' || sessionOfRoot(id) === undefined) return;
  throw invalid(`'${id}' is the id of a session's own root.`);
}

/** @throws SdkError `invalid-input` */
export function validateSessionId(value: unknown): string {
  if (isSessionId(value)) return value;
  throw invalid("A session's id has letters, digits, - and _, at most 128.");
}

/**
 * Refuses to create anything under the path where views show the sessions' files, because it would
 * be hidden. Existing nodes there may be removed. @throws SdkError `invalid-input`
 */
export function requireOutsideSessions({ changes }: ChangeSet, root: string): void {
  if (sessionOfRoot(root) !== undefined) return;
  const change = changes.find(({ type, path }) => type !== 'remove' && isSessionPath(path));
  if (!change) return;
  const where = `${sessionsDirectory} shows the sessions' own files`;
  throw invalid(`${change.path}: ${where}. Commit with root: 'session/<id>', or elsewhere.`);
}

function validateLabel(fields: Fields): { label: string; createdMs: number } {
  const { label } = fields;
  if (typeof label !== 'string') throw invalid('The label must be text.');
  if (label.length > maxLabelChars) {
    throw invalid(`The label has ${label.length} characters; it may have ${maxLabelChars}.`);
  }
  return { label, createdMs: validateCreatedMs(fields) };
}

function validateCreatedMs({ createdMs }: Fields): number {
  if (isCount(createdMs)) return createdMs;
  throw invalid('createdMs must be a number of milliseconds from 0.');
}

function validatePaths(paths: unknown): string[] {
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > maxPaths) {
    throw invalid(`paths is a list of 1 to ${maxPaths} paths; left out, it is everything.`);
  }
  return paths.map((path: unknown) => {
    // Security: a path with `..` or a doubled slash names another file than it seems to.
    if (typeof path === 'string' && path.startsWith('/') && normalizePath(path) === path)
      return path;
    throw invalid(`paths holds ${JSON.stringify(path)}. Each path must be absolute and normal.`);
  });
}

function validateOrigin(value: unknown): CommitOrigin {
  const { client, number } = toFields(value, 'The origin');
  if (!isCount(number)) throw invalid('The number of the commit must be a whole number from 0.');
  return { client: validateId(client, 'The client'), number };
}

/** @throws SdkError `invalid-input` */
export function validateId(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 256) return value;
  throw invalid(`${what} must be an id of 1 to 256 characters.`);
}

/**
 * Returns a value with known fields only, because it goes into the log. @throws SdkError
 * `invalid-input`
 */
function validateAuthor(value: unknown): ChangeAuthor {
  const { kind, callId, name, sessionId } = toFields(value, 'The author');
  if (kind !== 'user' && kind !== 'agent') throw invalid('The author must be user or agent.');
  return {
    kind,
    ...(callId !== undefined && { callId: validateCallId(callId) }),
    ...(sessionId !== undefined && { sessionId: validateSessionId(sessionId) }),
    ...(name !== undefined && { name: validateWord(name, "author's name") }),
  };
}

/** @throws SdkError `invalid-input` */
export function validateCallId(value: unknown): string {
  return validateWord(value, 'callId');
}

function validateWord(value: unknown, what: string): string {
  if (typeof value === 'string' && value.length <= 256) return value;
  throw invalid(`The ${what} must be text of at most 256 characters.`);
}
