// What a journal's entry says in place of a text or a picture whose bytes are lost for good: a session isn't closed to
// everybody because one of its pictures is gone. Used by journal-codec.ts.
import { SdkError } from '../../core/errors.ts';
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
  return SdkError.isInstance(error) && error.code === 'EIO' && error.data['isLost'] === true;
}

/**
 * What these entries hold is told to people and to the model. What others hold is carried out: the input of a call that
 * may run again, a state, an answer.
 */
const toldKinds: ReadonlySet<unknown> = new Set([
  'prompt',
  'turn',
  'context',
  'call',
  'settled',
  'amended',
  'results',
  'compacted',
  'snipped',
]);

/**
 * The entry with a sentence for each {@link LostText}. An image or a document becomes a text, as a model takes no
 * sentence for its bytes. An output of a tool is left out, as no view shows a part of it.
 *
 * @throws SdkError `EIO`, the text's reason, for an entry that is more than told.
 */
export function describeLost(entry: unknown, reason: SdkError): unknown {
  if (!isRecord(entry) || !toldKinds.has(entry['type'])) throw reason;
  const { output, ...told } = entry;
  return describe(output === undefined || hasLost(output) ? told : entry);
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
  const fields = Object.entries(value).map(([key, item]) => [key, describe(item)] as const);
  return Object.fromEntries(fields);
}

function hasLost(value: unknown): boolean {
  if (value instanceof LostText) return true;
  if (Array.isArray(value)) return value.some(hasLost);
  return isRecord(value) && Object.values(value).some(hasLost);
}

function toSentence(what: string, { reason }: LostText): string {
  return `[${what} is missing here. ${reason.message}]`;
}
