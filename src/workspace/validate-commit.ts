// The writer's door for all of a commit but its changes. Security: as validate-change-set.ts.
import type { CommitOrigin, RootChange } from './record.ts';
import { invalid, isCount, toFields } from './read-fields.ts';
import { mainRootId } from './state.ts';
import type { ChangeAuthor, CommitOptions, Durability } from './workspace.ts';

/** Options with nothing left to be filled in. */
export interface ValidCommitOptions extends CommitOptions {
  readonly durability: Durability;
  readonly root: string;
}

/** Throws `invalid-input`. Whether the root is there, the writer sees when the commit's turn comes. */
export function validateCommitOptions(options: unknown): ValidCommitOptions {
  const { author, durability = 'power', root = mainRootId, origin } = toFields(options, 'Options');
  if (durability !== 'power' && durability !== 'process') {
    throw invalid('The durability is neither power nor process.');
  }
  return {
    author: validateAuthor(author),
    durability,
    root: validateId(root, 'The root'),
    ...(origin !== undefined && { origin: validateOrigin(origin) }),
  };
}

/** Throws `invalid-input`. */
export function validateRootChange(value: unknown): RootChange {
  const { type, id, kind, label, createdMs, from } = toFields(value, 'The change of a root');
  const named = validateId(id, 'The id');
  if (named === mainRootId) throw invalid('main can be neither made nor dropped.');
  if (type === 'drop') return { type, id: named };
  if (type !== 'make') throw invalid('A root is made or dropped.');
  if (kind !== 'checkpoint' && kind !== 'branch') throw invalid('A root is no such kind.');
  if (typeof label !== 'string' || label.length > 1000) throw invalid('The label is no text.');
  if (!isCount(createdMs)) throw invalid('The time is no number of milliseconds.');
  return { type, id: named, kind, label, createdMs, from: validateId(from, 'The root') };
}

function validateOrigin(value: unknown): CommitOrigin {
  const { client, number } = toFields(value, 'The origin');
  if (!isCount(number)) throw invalid('The number of the commit is none.');
  return { client: validateId(client, 'The client'), number };
}

function validateId(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 256) return value;
  throw invalid(`${what} is no id of 1 to 256 characters.`);
}

/** Throws `invalid-input`. Returns a value with known fields only, as it goes into the log. */
function validateAuthor(value: unknown): ChangeAuthor {
  const { kind, callId } = toFields(value, 'The author');
  if (kind !== 'user' && kind !== 'agent') throw invalid('The author is neither user nor agent.');
  if (callId === undefined) return { kind };
  if (typeof callId !== 'string' || callId.length > 256) throw invalid('The callId is no id.');
  return { kind, callId };
}
