// The script of the scripted model: JSON that a person can write by hand. Its type, and a check
// that names the place of every mistake.
import { SdkError, messageOf } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import { checkPlaceholders } from './script-placeholder.ts';

/**
 * A block of a turn: a text, a thought or a call. A scripted thought has no signature of a
 * server's.
 */
export type ScriptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | {
      readonly type: 'tool_use';
      /** Left out: made from the turn's and the block's number. Name it to refer to its result. */
      readonly id?: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/**
 * One answer of the model. Strings in `blocks` may hold `{{<tool use id or last>:/regex/flags}}`: the
 * first capture group (or the whole match) in the text of that call's result.
 */
export interface ScriptTurn {
  readonly blocks: readonly ScriptBlock[];
  /** @defaultValue `tool_use` when there is such a block, else `end_turn` */
  readonly stop_reason?: string;
  /** The turn is played only if the last prompt matches. Otherwise the next one is looked at. */
  readonly when?: { readonly user?: string };
  /** The request fails with this instead, once. `blocks` must then be empty. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** The model's side of a sub-agent's conversation. */
export interface ScriptTask {
  /** The first prompt of the conversation, or its end behind an empty line. */
  readonly prompt: string;
  readonly turns: readonly ScriptTurn[];
}

/** The model's side of a conversation, written down. `name` is shown behind `scripted:`. */
export interface Script {
  readonly name?: string;
  readonly turns: readonly ScriptTurn[];
  /**
   * A conversation with the prompt of one of these plays its turns. Any other one plays `turns`.
   */
  readonly tasks?: readonly ScriptTask[];
}

/** The errors that a model can fail with: what {@link ScriptTurn.error} may name. */
const errorCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'model-authentication',
  'model-bad-request',
  'model-context-window',
  'model-network',
  'model-overloaded',
  'model-protocol',
  'model-rate-limited',
  'model-server',
  'model-stream-cut',
]);

/** Checks `value`, which may be a file's parsed JSON. Throws `bad-usage` with the path of the mistake. */
export function parseScript(value: unknown): Script {
  const { name, turns, tasks } = readObject(value, 'script', ['name', 'turns', 'tasks']);
  const script: Script = {
    ...(name !== undefined && { name: readString(name, 'name') }),
    turns: parseTurns(turns, 'turns'),
    ...(tasks !== undefined && {
      tasks: readArray(tasks, 'tasks').map((task, index) => parseTask(task, `tasks[${index}]`)),
    }),
  };
  const seen = new Set<string>();
  checkIds(script.turns, 'turns', seen);
  for (const [index, task] of (script.tasks ?? []).entries()) {
    checkIds(task.turns, `tasks[${index}].turns`, seen);
  }
  return script;
}

function parseTurns(value: unknown, path: string): ScriptTurn[] {
  return readArray(value, path).map((turn, index) => parseTurn(turn, `${path}[${index}]`));
}

function parseTask(value: unknown, path: string): ScriptTask {
  const { prompt, turns } = readObject(value, path, ['prompt', 'turns']);
  const text = readString(prompt, `${path}.prompt`);
  if (text === '') throw mistake(`${path}.prompt`, 'must not be empty');
  return { prompt: text, turns: parseTurns(turns, `${path}.turns`) };
}

function parseTurn(value: unknown, path: string): ScriptTurn {
  const turn = readObject(value, path, ['blocks', 'stop_reason', 'when', 'error']);
  const { stop_reason, when, error } = turn;
  const blocks = readArray(
    turn['blocks'] ?? (error === undefined ? undefined : []),
    `${path}.blocks`,
  );
  if (error !== undefined && blocks.length > 0) {
    throw mistake(`${path}.blocks`, 'must be empty in a turn that fails: write two turns');
  }
  // An empty answer leaves no message, so the script could never tell that it was given.
  if (error === undefined && blocks.length === 0) {
    throw mistake(`${path}.blocks`, 'must hold at least one block');
  }
  return {
    blocks: blocks.map((block, index) => parseBlock(block, `${path}.blocks[${index}]`)),
    ...(stop_reason !== undefined && {
      stop_reason: readString(stop_reason, `${path}.stop_reason`),
    }),
    ...(when !== undefined && { when: parseWhen(when, `${path}.when`) }),
    ...(error !== undefined && { error: parseError(error, `${path}.error`) }),
  };
}

function parseBlock(value: unknown, path: string): ScriptBlock {
  const { type } = readObject(value, path);
  switch (type) {
    case 'text': {
      const block = readObject(value, path, ['type', 'text']);
      return { type, text: readTemplate(block['text'], `${path}.text`) };
    }
    case 'thinking': {
      const block = readObject(value, path, ['type', 'thinking']);
      return { type, thinking: readTemplate(block['thinking'], `${path}.thinking`) };
    }
    case 'tool_use': {
      const { id, name, input } = readObject(value, path, ['type', 'id', 'name', 'input']);
      checkTemplates(readObject(input, `${path}.input`), `${path}.input`);
      return {
        type,
        ...(id !== undefined && { id: readString(id, `${path}.id`) }),
        name: readString(name, `${path}.name`),
        input: input as Readonly<Record<string, unknown>>,
      };
    }
    default:
      throw mistake(`${path}.type`, 'must be text, thinking or tool_use');
  }
}

function parseWhen(value: unknown, path: string): { readonly user?: string } {
  const { user } = readObject(value, path, ['user']);
  if (user === undefined) return {};
  const pattern = readString(user, `${path}.user`);
  try {
    new RegExp(pattern);
  } catch (error) {
    throw mistake(`${path}.user`, `is no regular expression (${String(error)})`);
  }
  return { user: pattern };
}

function parseError(value: unknown, path: string): NonNullable<ScriptTurn['error']> {
  const { code, message } = readObject(value, path, ['code', 'message']);
  if (typeof code !== 'string' || !errorCodes.has(code)) {
    throw mistake(`${path}.code`, `must be one of ${[...errorCodes].join(', ')}`);
  }
  return { code: code as ErrorCode, message: readString(message, `${path}.message`) };
}

/** Two calls with one id could not be told apart by their results. */
function checkIds(turns: readonly ScriptTurn[], path: string, seen: Set<string>): void {
  for (const [turnIndex, turn] of turns.entries()) {
    for (const [index, block] of turn.blocks.entries()) {
      if (block.type !== 'tool_use' || block.id === undefined) continue;
      if (seen.has(block.id)) {
        throw mistake(`${path}[${turnIndex}].blocks[${index}].id`, `${block.id} is taken already`);
      }
      seen.add(block.id);
    }
  }
}

function checkTemplates(value: unknown, path: string): void {
  if (typeof value === 'string') readTemplate(value, path);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkTemplates(item, `${path}.${key}`);
  }
}

function readTemplate(value: unknown, path: string): string {
  const text = readString(value, path);
  try {
    checkPlaceholders(text);
  } catch (error) {
    throw mistake(path, messageOf(error));
  }
  return text;
}

function readObject(
  value: unknown,
  path: string,
  known?: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mistake(path, 'must be an object');
  }
  const stray = known && Object.keys(value).find((key) => !known.includes(key));
  if (stray !== undefined) {
    throw mistake(`${path}.${stray}`, `is unknown; known are ${known?.join(', ')}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function readArray(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw mistake(path, 'must be an array');
  return value;
}

function readString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw mistake(path, 'must be a string');
  return value;
}

function mistake(path: string, reason: string): SdkError {
  return new SdkError('bad-usage', `The model's script is wrong: ${path} ${reason}.`, {
    data: { path },
  });
}
