// Validates messages of a tool worker to the page and to the FS worker. The worker runs tools, so
// it may be hostile. First the shape is checked, then the parts that decide what is done. Values
// that are only passed on, such as a tool's output, are validated by their receiver. Messages of
// the page and the FS worker are trusted.
import type { SdkError } from '../../../core/errors.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { check, isText, refusal } from '../../check-message.ts';
import type { FromToolWorker, ToFeed } from './protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/** @throws SdkError `invalid-input` if the message isn't in the list of this direction. */
export function readFromToolWorker(message: unknown): FromToolWorker {
  const fields = readFields(message);
  // These messages belong to the worker and not to a call, or their number couldn't be trusted.
  if (!['refused', 'spent', 'kept-texts'].includes(String(fields['type']))) checkId(fields);
  switch (fields['type']) {
    case 'progress':
    case 'effect':
    case 'clock-started':
    case 'download':
    case 'spent':
      return asChecked<FromToolWorker>(fields);
    case 'saved-state':
      check(isBytes(fields['state']), 'a saved state that is no bytes');
      return asChecked<FromToolWorker>(fields);
    case 'nested-call':
      check(Number.isSafeInteger(fields['nestedId']), 'a nested call without a number');
      check(isRecord(fields['call']), 'a nested call of nothing');
      check(isText(fields['call']['toolName']), 'a nested call without a tool');
      return asChecked<FromToolWorker>(fields);
    case 'credentials':
      check(Number.isSafeInteger(fields['askedId']), 'a question for credentials without a number');
      check(isText(fields['host']), 'a question for credentials of no host');
      return asChecked<FromToolWorker>(fields);
    case 'kept-texts':
      check(isKept(fields), 'texts that nobody keeps');
      return asChecked<FromToolWorker>(fields);
    case 'parts':
      check(isListOf(isPart, fields['parts']), 'no list of parts');
      return asChecked<FromToolWorker>(fields);
    case 'reply':
      check(isReply(fields['reply']), 'a reply of no known kind');
      return asChecked<FromToolWorker>(fields);
    case 'refused':
      check(isText(fields['reason']), 'a refusal without a reason');
      return asChecked<FromToolWorker>(fields);
    default:
      throw unknownMessage(fields);
  }
}

/** @throws SdkError `invalid-input` if the message isn't in the list of this direction. */
export function readToFeed(message: unknown): ToFeed {
  const fields = readFields(message);
  const { type, era, index } = fields;
  if (type === 'subscribe') return { type };
  if (type === 'read-stored') {
    checkId(fields);
    checkStoredPart(fields['part']);
    return asChecked<ToFeed>(fields);
  }
  if (type !== 'index') throw unknownMessage(fields);
  check(isText(era) && isRecord(index) && isBytes(index['bytes']), 'half an index');
  check(Number.isSafeInteger(index['contents']), 'an index of nothing');
  return asChecked<ToFeed>(fields);
}

/**
 * Parts on which no decision depends aren't validated, so TypeScript can't verify that the fields
 * match.
 */
function asChecked<Message>(fields: Fields): Message {
  return fields as unknown as Message;
}

function checkStoredPart(value: unknown): void {
  check(isRecord(value) && isText(value['file']), 'a part of no file');
  const { from, to } = value as Fields;
  check(Number.isSafeInteger(from) && Number.isSafeInteger(to), 'a part without its ends');
  check(0 <= Number(from) && Number(from) <= Number(to), 'a part that ends before it begins');
}

function isReply(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['type'] === 'failed') return isSerializedError(value['error']);
  if (value['type'] !== 'done' || !Array.isArray(value['reads'])) return false;
  const packed = value['packedChanges'];
  return isNullOr(isRecord, value['changeSet']) && (packed === undefined || isBytes(packed));
}

function isSerializedError(value: unknown): boolean {
  return isRecord(value) && isText(value['code']) && isText(value['message']);
}

function checkId(fields: Fields): void {
  check(Number.isSafeInteger(fields['id']), 'a message without a number');
}

function readFields(message: unknown): Fields {
  check(isRecord(message), 'a message that is no object');
  return message;
}

function unknownMessage(fields: Fields): SdkError {
  return refusal(`a message of the unknown type "${String(fields['type'])}"`);
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array;
}

function isPart(value: unknown): boolean {
  return isRecord(value) && Number.isSafeInteger(value['seq']);
}

function isKept({ contents, bytes }: Fields): boolean {
  return isListOf(Number.isSafeInteger, contents) && Number.isSafeInteger(bytes);
}

function isListOf(is: (value: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(is);
}

function isNullOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === null || is(value);
}
