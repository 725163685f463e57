// Validates a journal that was read from the medium, a mirror or a file. A journal that this
// version can't continue is refused with a message before it is used. Changes no entry.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { journalFormat } from '../../core/session/journal.ts';
import type { JournalEntry, JournalRecord } from '../../core/session/journal.ts';

/**
 * Returns the same entries after checking that they are a complete journal. They must be numbered
 * from 1 without gaps, and entries of known kinds must have the required fields. Entries of unknown
 * kinds are kept.
 *
 * @throws SdkError `unsupported-environment` for a newer format; `invalid-input` if the journal is
 * invalid. `data.n`: the first invalid entry
 */
export function checkJournal(entries: readonly unknown[]): readonly JournalEntry[] {
  return createJournalCheck()(entries);
}

/** The same check in parts: each call takes the entries that follow those of the previous call. */
export function createJournalCheck(): typeof checkJournal {
  const requests = new Set<number>();
  const prompts = new Set<string>();
  let length = 0;
  return (entries) => {
    checkNext(entries, length, { requests, prompts });
    length += entries.length;
    return entries as readonly JournalEntry[];
  };
}

function checkNext(
  entries: readonly unknown[],
  length: number,
  { requests, prompts }: { readonly requests: Set<number>; readonly prompts: Set<string> },
): void {
  for (const [index, entry] of entries.entries()) {
    const n = length + index + 1;
    if (!isRecord(entry) || typeof entry['type'] !== 'string') throw broken(n, 'is no entry');
    if (entry['n'] !== n) throw broken(n, `is missing: number ${show(entry['n'])} is in its place`);
    if (!isTime(entry['time'])) throw broken(n, 'has no time');
    const { type } = entry;
    if (n === 1 && type !== 'session') throw broken(n, `is of type ${show(type)}, not "session"`);
    if (type === 'session') checkFormat(entry['format'], n);
    const wrong = findWrongField(entry);
    if (wrong !== undefined) throw broken(n, `(${type}) has no proper "${wrong}"`);
    if (entry['agent'] !== undefined) {
      if (typeof entry['agent'] !== 'string') throw broken(n, 'has an agent without a name');
      continue;
    }
    const known = entry as unknown as JournalEntry;
    const mistake = findMistake(known, { requests, prompts });
    if (mistake !== undefined) throw broken(n, `(${type}) ${mistake}`);
    if (known.type === 'prompt') prompts.add(known.uuid);
    if (known.type === 'request') requests.add(known.step);
  }
}

function checkFormat(format: unknown, n: number): void {
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1) {
    throw broken(n, `has no format: ${show(format)}`);
  }
  if (format <= journalFormat) return;
  throw new SdkError(
    'unsupported-environment',
    `The session was written in format ${format}, this version of Rockpool reads up to ${journalFormat}; it ` +
      'was left untouched. Update Rockpool, or begin a new session.',
    { data: { format } },
  );
}

/** The state before the entry. */
interface Before {
  readonly requests: ReadonlySet<number>;
  readonly prompts: ReadonlySet<string>;
}

/** Returns why the entry can't follow the earlier ones. */
function findMistake(entry: JournalEntry, { requests, prompts }: Before): string | undefined {
  switch (entry.type) {
    case 'turn':
    case 'joined':
      return prompts.has(entry.prompt) ? undefined : 'takes up a prompt that is not there';
    case 'request':
      return requests.has(entry.step) ? `repeats request ${entry.step}` : undefined;
    case 'block':
    case 'reply':
    case 'results':
      return requests.has(entry.step)
        ? undefined
        : `is of request ${entry.step}, which is not there`;
    case 'rewound':
      return isBefore(entry.to, entry.n) ? undefined : `goes back to entry ${entry.to}`;
    case 'compacted':
      return entry.keepFrom >= 1 && entry.keepFrom <= entry.n
        ? undefined
        : `keeps from entry ${entry.keepFrom}`;
    default:
      return undefined;
  }
}

const isBefore = (to: number, n: number) => to >= 1 && to < n;

type Is = (value: unknown) => boolean;

const text: Is = (value) => typeof value === 'string';
const count: Is = (value) => Number.isInteger(value);
const amount: Is = (value) => typeof value === 'number' && Number.isFinite(value);
const isTime = amount;
const list: Is = Array.isArray;
const flag: Is = (value) => typeof value === 'boolean';
const data: Is = isRecord;
const anything: Is = () => true;
const oneOf =
  (...values: readonly string[]): Is =>
  (value) =>
    values.includes(value as string);

/** A message whose content can be sent: a string, or blocks. */
const messageOf =
  (role: 'user' | 'assistant', isText: Is = text): Is =>
  (value) => {
    if (!isRecord(value) || value['role'] !== role) return false;
    const { content } = value;
    return isText(content) || (Array.isArray(content) && content.every(isBlock));
  };
const isBlock: Is = (value) => isRecord(value) && typeof value['type'] === 'string';
/** A user message in a journal. */
export const isUserMessage: Is = messageOf('user');
/** A priority of a prompt, or undefined. */
export const isPriority: Is = (value) =>
  value === undefined || oneOf('now', 'next', 'later')(value);
const messages: Is = (value) =>
  Array.isArray(value) && value.every((one) => isUserMessage(one) || messageOf('assistant')(one));
const reply: Is = (value) =>
  messageOf('assistant', () => false)(value) && isRecord(value) && isRecord(value['usage']);
const result: Is = (value) =>
  isBlock(value) && text((value as { tool_use_id?: unknown }).tool_use_id);
const reads: Is = (value) =>
  Array.isArray(value) &&
  value.every((one) => Array.isArray(one) && text(one[0]) && amount(one[1]));
const ends = oneOf('output-available', 'output-error', 'output-denied');
const question: Is = (value) =>
  isRecord(value) && typeof value['toolName'] === 'string' && isRecord(value['input']);
const changeOfState: Is = (value) =>
  value === undefined ||
  (isRecord(value) && text(value['tool']) && count(value['size']) && isRecord(value['bytes']));
const fork: Is = (value) => isRecord(value) && text(value['id']) && text(value['seed']);
const head: Is = (value) =>
  isRecord(value) &&
  text(value['system']) &&
  list(value['tools']) &&
  (value['tools'] as readonly unknown[]).every((one) => list(one) && texts(one));
const texts: Is = (value) => Array.isArray(value) && value.every(text);
const maybe =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);

/** By kind, the fields that the fold requires. */
const fields: Readonly<Record<JournalRecord['type'], Readonly<Record<string, Is>>>> = {
  session: { id: text, seed: text, cwd: text },
  opened: { owner: text, why: text, fork: maybe(fork) },
  prompt: { uuid: text, message: isUserMessage, priority: maybe(oneOf('now', 'next')) },
  turn: { prompt: text, command: maybe(text), message: maybe(isUserMessage), cell: maybe(text) },
  joined: { prompt: text, blocked: maybe(text) },
  stopped: {},
  context: { source: text, messages },
  request: { step: count, model: text, head: maybe(head) },
  block: { step: count, index: count, block: isBlock },
  reply: { step: count, uuid: text, end: oneOf('whole', 'cut', 'void'), message: reply },
  question: { requestId: text, callId: text, question },
  answer: { requestId: text, result: (value) => value === null || isRecord(value) },
  call: {
    id: text,
    parent: maybe(text),
    origin: text,
    tool: text,
    repeatable: flag,
    attempt: count,
  },
  settled: {
    id: text,
    parent: maybe(text),
    tool: text,
    state: ends,
    result,
    reads,
    kept: maybe(texts),
    ports: maybe((value) => Array.isArray(value) && value.every(count)),
    newMessages: maybe(messages),
    notes: maybe(texts),
    vm: changeOfState,
  },
  amended: { id: text, state: ends, result, newMessages: maybe(messages), notes: maybe(texts) },
  results: { step: count, message: isUserMessage },
  permissions: { updates: list },
  state: { key: text, value: anything, reminder: maybe(text) },
  usage: { requestId: text, model: text, usage: data, usd: amount },
  compacted: { keepFrom: count, summary: messages },
  cleared: { calls: (value) => Array.isArray(value) && value.every(isCleared) },
  snipped: {
    callId: text,
    parts: (value) => Array.isArray(value) && value.every(isPart),
    message: isUserMessage,
    freedTokens: amount,
  },
  rewound: { to: count },
  moved: { to: text, prompts: texts, mode: text, modeBeforePlan: maybe(text) },
  'move-out': { move: text, place: text, lease: count, to: text, mode: maybe(text) },
  'move-in': {
    move: text,
    place: text,
    lease: count,
    at: text,
    acceptsRules: flag,
    since: count,
    reads,
    writes: texts,
  },
  'move-kept': { move: text, place: text },
  arrived: { move: text, notification: isUserMessage },
  task: { id: text, callId: text, status: text, description: text, outputPath: text },
  agent: {
    id: text,
    callId: text,
    agentType: text,
    description: text,
    model: text,
    depth: count,
    isBackground: flag,
    name: maybe(text),
    root: maybe(text),
    cwd: maybe(text),
    inherits: maybe(amount),
    canBeBackgrounded: maybe(flag),
  },
  mail: { id: text, from: maybe(text), to: maybe(text), message: isUserMessage },
  result: { message: data },
  meta: { title: maybe(text), tags: maybe(texts), isArchived: maybe(flag) },
};

function isCleared(value: unknown): boolean {
  return (
    isRecord(value) && text(value['id']) && text(value['text']) && maybe(count)(value['source'])
  );
}

function isPart(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { entries, text: line, tokens } = value;
  return Array.isArray(entries) && entries.every(count) && text(line) && amount(tokens);
}

function findWrongField(entry: Readonly<Record<string, unknown>>): string | undefined {
  const { type } = entry;
  if (!Object.hasOwn(fields, String(type))) return undefined;
  const needed = fields[type as JournalRecord['type']];
  return Object.keys(needed).find((name) => needed[name]?.(entry[name]) !== true);
}

function broken(n: number, what: string): SdkError {
  return new SdkError(
    'invalid-input',
    `This is no whole journal of a session: entry ${n} ${what}. It was left untouched. Where there is a ` +
      'copy or an export of the session, import that; otherwise begin a new one.',
    { data: { n } },
  );
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
