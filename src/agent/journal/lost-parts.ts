// What a journal's entry says in place of a text or a picture whose bytes are lost for good. A
// session isn't closed to everybody because one of its pictures is gone. Used by journal-codec.ts.
import { type SdkError, hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** Stands for a text that can't be read any more, until {@link describeLost} puts a sentence there. */
export class LostText {
  readonly reason: SdkError;

  constructor(reason: SdkError) {
    this.reason = reason;
  }
}

/** Does asking again bring these bytes? False for a bucket that is down, for example. */
export function areLost(error: unknown): error is SdkError {
  return hasCode(error, 'EIO') && error.data['isLost'] === true;
}

/** What these entries hold is told to people and to the model. What others hold is carried out, such as a rule. */
const toldKinds: ReadonlySet<unknown> = new Set([
  'prompt',
  'turn',
  'joined',
  'context',
  'question',
  'call',
  'settled',
  'amended',
  'results',
  'compacted',
  'snipped',
  'task',
  'mail',
  'move-in',
]);

/**
 * Fields that an entry may lack. The model then reads a file again, or nobody is told what a call
 * has changed.
 */
const lists: ReadonlySet<string> = new Set([
  ...['reads', 'writes', 'changes', 'own', 'kept', 'ports'],
  ...['notes', 'newMessages', 'parts'],
]);

/**
 * The entry with a sentence for each {@link LostText}. An image or a document becomes a text, as a model takes no
 * sentence for its bytes. An output of a tool is left out, as no view shows a part of it. A call whose input was lost
 * doesn't run, and an answer that was lost is asked for again. Of a state with a lost part nothing is left.
 *
 * @throws SdkError `EIO`, the text's reason, for an entry that is more than told.
 */
export function describeLost(entry: unknown, reason: SdkError): unknown {
  if (!isRecord(entry)) throw reason;
  const { type, output, ...told } = entry;
  if (type === 'block') return describeBlockEntry(entry);
  if (type === 'reply') return describeReply(entry);
  if (type === 'answer') return { ...entry, result: null };
  if (type === 'result') return describeResult(entry);
  if (type === 'state') return describeState(entry);
  if (!toldKinds.has(type)) throw reason;
  return describe(withLists(output === undefined || findLost(output) ? { type, ...told } : entry));
}

/** The entry with another list in the place of each lost one. */
function withLists(entry: Readonly<Record<string, unknown>>): unknown {
  const fields = Object.entries(entry).map(([key, value]) => {
    if (!(value instanceof LostText)) return [key, value];
    if (lists.has(key)) return [key, []];
    if (key !== 'messages' && key !== 'summary') return [key, value];
    return [key, [{ role: 'user', content: toSentence('A part of the conversation', value) }]];
  });
  return Object.fromEntries(fields);
}

/**
 * A reply's block is shown and sent. Only the input of a call is carried out, so a call without its
 * whole input doesn't run.
 */
function describeBlockEntry(entry: Readonly<Record<string, unknown>>): unknown {
  const { block } = entry;
  const why = whyNotRun(block);
  const told = { ...entry, block: describeBlock(block) };
  return why === undefined ? told : { ...told, inputError: why };
}

function describeReply({
  message,
  observed,
  ...entry
}: Readonly<Record<string, unknown>>): unknown {
  const content = isRecord(message) && Array.isArray(message['content']) ? message['content'] : [];
  const lostInputs = content.filter(isRecord).flatMap((block) => {
    const why = whyNotRun(block);
    return why === undefined ? [] : [[block['id'], why] as const];
  });
  return {
    ...entry,
    message: { ...(message as object), content: content.map(describeBlock) },
    ...(observed !== undefined && { observed: describe(observed) }),
    ...(lostInputs.length > 0 && { lostInputs: Object.fromEntries(lostInputs) }),
  };
}

/**
 * Leaves out a structured output that has lost a part: a program reads it, and can't take a
 * sentence instead.
 */
function describeResult({ message, ...entry }: Readonly<Record<string, unknown>>): unknown {
  const { structured_output: output, ...told } = isRecord(message) ? message : {};
  return { ...entry, message: describe(findLost(output) ? told : message) };
}

/** Its feature reads it, and takes no sentence for a part of it. */
function describeState({ value, ...entry }: Readonly<Record<string, unknown>>): unknown {
  const lost = findLost(value);
  const told = describe(entry) as object;
  return lost ? { ...told, value: null, lost: lost.reason.message } : { ...told, value };
}

/** Others than these are a server's own, which takes them back as they were or not at all. */
function describeBlock(block: unknown): unknown {
  const lost = findLost(block);
  if (!isRecord(block) || !lost) return block;
  if (block['type'] === 'text' || block['type'] === 'tool_use') return describe(block);
  return { type: 'text', text: toSentence('A part of the reply', lost) };
}

/** A call with a part of its input; undefined for any other block. */
function whyNotRun(block: unknown): string | undefined {
  const lost = isRecord(block) && block['type'] === 'tool_use' ? findLost(block) : undefined;
  return lost && `It was not run, because a part of its input is gone. ${lost.reason.message}`;
}

function describe(value: unknown): unknown {
  if (value instanceof LostText) return toSentence('A text', value);
  if (Array.isArray(value)) return value.map(describe);
  if (!isRecord(value)) return value;
  const { type, source } = value;
  if (isRecord(source) && source['data'] instanceof LostText) {
    const what = type === 'image' ? 'An image' : 'A document';
    return { type: 'text', text: toSentence(what, source['data']) };
  }
  const fields = Object.entries(value).map(([key, item]) => {
    // An input is an object for everybody who reads it.
    const isInput = key === 'input' && item instanceof LostText;
    return [key, isInput ? { missing: describe(item) } : describe(item)] as const;
  });
  return Object.fromEntries(fields);
}

function findLost(value: unknown): LostText | undefined {
  if (value instanceof LostText) return value;
  const items = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  for (const item of items) {
    const lost = findLost(item);
    if (lost) return lost;
  }
  return undefined;
}

function toSentence(what: string, { reason }: LostText): string {
  return `[${what} is missing here. ${reason.message}]`;
}
