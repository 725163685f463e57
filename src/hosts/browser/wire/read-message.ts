// What arrives on a port is a stranger's until it is checked here: shape first, then the parts that
// decide what is done. Values that are only passed on (a tool's input and output) are checked by
// whom they reach.
import type { SdkError } from '../../../core/errors.ts';
import { isRecord } from '../../../core/is-record.ts';
import { check, isText, refusal } from '../../check-message.ts';
import {
  fileSystemOperations,
  rootsOperations,
  type FromFeed,
  type FromFsWorker,
  type FromToolWorker,
  type FsRequest,
  type ToFeed,
  type ToFsWorker,
  type ToToolWorker,
} from './protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readToToolWorker(message: unknown): ToToolWorker {
  const fields = readFields(message);
  // These are about a state, a worker, or all calls, not about one.
  if (!['discard', 'kept-elsewhere'].includes(String(fields['type']))) checkId(fields);
  switch (fields['type']) {
    case 'start':
      checkRequest(fields['request']);
      check(isNullOr(isBytes, fields['savedState']), 'a saved state that is no bytes');
      return asChecked<ToToolWorker>(fields);
    case 'interrupt':
      check(isText(fields['reason']), 'an interrupt without a reason');
      return asChecked<ToToolWorker>(fields);
    case 'nested-reply':
      check(Number.isSafeInteger(fields['nestedId']), 'a nested reply without a number');
      check(isNestedReply(fields['reply']), 'a nested reply of no known kind');
      return asChecked<ToToolWorker>(fields);
    case 'parts-taken':
      check(Number.isSafeInteger(fields['from']), 'taken parts without a number');
      return asChecked<ToToolWorker>(fields);
    case 'part-reply':
      check(Number.isSafeInteger(fields['at']), "a part's reply without its number");
      return asChecked<ToToolWorker>(fields);
    case 'kept-elsewhere':
      check(isKept(fields) && Number.isSafeInteger(fields['realms']), 'texts that nobody keeps');
      return asChecked<ToToolWorker>(fields);
    case 'discard':
      check(isText(fields['stateKey']), 'a discard without a state');
      check(isNullOr(isBytes, fields['savedState']), 'a saved state that is no bytes');
      return asChecked<ToToolWorker>(fields);
    default:
      throw unknownMessage(fields);
  }
}

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readFromToolWorker(message: unknown): FromToolWorker {
  const fields = readFields(message);
  // A worker is no call, and what couldn't be understood has no number that could be trusted.
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

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readToFsWorker(message: unknown): ToFsWorker {
  const fields = readFields(message);
  checkId(fields);
  switch (fields['type']) {
    case 'cancel':
      return asChecked<ToFsWorker>(fields);
    case 'request':
      checkFsRequest(fields['request']);
      return asChecked<ToFsWorker>(fields);
    default:
      throw unknownMessage(fields);
  }
}

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readFromFsWorker(message: unknown): FromFsWorker {
  const fields = readFields(message);
  switch (fields['type']) {
    case 'reply':
    case 'progress':
      checkId(fields);
      return asChecked<FromFsWorker>(fields);
    case 'failed':
      checkId(fields);
      check(isSerializedError(fields['error']), 'a failure without an error');
      return asChecked<FromFsWorker>(fields);
    case 'committing':
      checkId(fields);
      check(isRecord(fields['origin']), 'a commit of nobody');
      return asChecked<FromFsWorker>(fields);
    case 'change':
      check(isRecord(fields['event']) && Number.isSafeInteger(fields['event']['seq']), 'no event');
      return asChecked<FromFsWorker>(fields);
    case 'refused':
      check(isText(fields['reason']), 'a refusal without a reason');
      return asChecked<FromFsWorker>(fields);
    default:
      throw unknownMessage(fields);
  }
}

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
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

/** @throws SdkError `invalid-input` when the message is on no list of this direction. */
export function readFromFeed(message: unknown): FromFeed {
  const fields = readFields(message);
  switch (fields['type']) {
    case 'snapshot':
      check(isRecord(fields['state']), 'a snapshot of nothing');
      check(Array.isArray(fields['segments']), 'half a snapshot');
      return asChecked<FromFeed>(fields);
    case 'record':
      check(isRecord(fields['record']), 'a record of nothing');
      return asChecked<FromFeed>(fields);
    case 'feed-failed':
      check(isSerializedError(fields['error']), 'a failure without an error');
      return asChecked<FromFeed>(fields);
    case 'stored':
      checkId(fields);
      check(isLeftOutOr(isBytes, fields['bytes']), 'what was read as no bytes');
      return asChecked<FromFeed>(fields);
    default:
      throw unknownMessage(fields);
  }
}

/**
 * The one cast: a type by what was checked above, and by what whom it reaches will check. Parts that
 * nobody's decision hangs on stay unchecked, so TypeScript can't be shown that the fields fit.
 */
function asChecked<Message>(fields: Fields): Message {
  return fields as unknown as Message;
}

/** The parts that decide what runs. The input is parsed by the tool's schema. */
function checkRequest(value: unknown): void {
  check(isRecord(value), 'a start without a request');
  check(isText(value['callId']), 'a request without a call id');
  check(isText(value['toolName']), 'a request without a tool');
  check(isRecord(value['address']), 'a request without an address');
  check(isText(value['sessionId']), 'a request without a session');
  // Security: without its rules a call would see every file.
  check(isRecord(value['access']), 'a request without access rules');
  check(isText(value['cwd']), 'a request without a directory');
  check(isRecord(value['limits']), 'a request without limits');
  check(isLeftOutOr(isTexts, value['tools']), 'tools without names');
  check(isLeftOutOr(isHostAccess, value['network']), 'hosts that are no names');
  check(Array.isArray(value['knownVersions']), 'versions that are no list');
  check(isLeftOutOr(isText, value['outerCallId']), 'a nested call without its outer one');
  check(isLeftOutOr(isTrue, value['isBackground']), 'a place to run that is none');
  check(isLeftOutOr(isTrue, value['isStateless']), 'a state that is none');
  check(isLeftOutOr(Number.isSafeInteger, value['downloadedAt']), 'a download at no time');
  check(isLeftOutOr(isPart, value['part']), 'a part of no state');
}

function checkStoredPart(value: unknown): void {
  check(isRecord(value) && isText(value['file']), 'a part of no file');
  const { from, to } = value as Fields;
  check(Number.isSafeInteger(from) && Number.isSafeInteger(to), 'a part without its ends');
  check(0 <= Number(from) && Number(from) <= Number(to), 'a part that ends before it begins');
}

function checkFsRequest(value: unknown): asserts value is FsRequest {
  check(isRecord(value), 'a request without a body');
  switch (value['type']) {
    case 'fs':
      check(Array.isArray(value['parameters']), 'a file operation without parameters');
      // Security: the name picks a method; only a name on the list may, never `constructor`.
      check(
        fileSystemOperations.some((operation) => operation === value['operation']),
        'an unknown file operation',
      );
      return;
    case 'roots':
      check(Array.isArray(value['parameters']), 'an operation of roots without parameters');
      // Security: as above. What the parameters are, the workspace's own door checks.
      check(
        rootsOperations.some((operation) => operation === value['operation']),
        'an unknown operation of roots',
      );
      return;
    case 'commit':
      check(isRecord(value['options']), 'a commit without options');
      check(
        isRecord(value['changeSet']) && Array.isArray(value['changeSet']['changes']),
        'a commit without changes',
      );
      return;
    case 'versions':
    case 'look-up':
      check(isTexts(value['paths']), `${value['type']} of no paths`);
      return;
    case 'tree-hash':
    case 'info':
      return;
    case 'import':
      check(isRecord(value['settings']), 'an import without settings');
      check(isText(value['settings']['directory']), 'an import without a directory');
      check(isTexts(value['settings']['exclude']), 'an import without its exclusions');
      check(isImportSource(value['source']), 'an import of nothing');
      return;
    case 'tick':
      check(
        typeof value['delayMs'] === 'number' && value['delayMs'] >= 0,
        'a tick without a delay',
      );
      return;
    default:
      throw unknownMessage(value);
  }
}

function isImportSource(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'directory') return isRecord(value['handle']);
  return value['kind'] === 'entries' && Array.isArray(value['entries']);
}

function isReply(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['type'] === 'failed') return isSerializedError(value['error']);
  if (value['type'] !== 'done' || !Array.isArray(value['reads'])) return false;
  return isNullOr(isRecord, value['changeSet']);
}

function isHostAccess(value: unknown): boolean {
  if (!isRecord(value) || !isTexts(value['hosts'])) return false;
  return ['granted', 'asked', 'denied'].every((list) => isLeftOutOr(isTexts, value[list]));
}

function isNestedReply(value: unknown): boolean {
  if (!isRecord(value) || !isText(value['callId'])) return false;
  if (!isLeftOutOr(isTrue, value['isFromOutside'])) return false;
  return (
    value['type'] === 'done' || (value['type'] === 'failed' && isSerializedError(value['error']))
  );
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

function isTrue(value: unknown): boolean {
  return value === true;
}

function isTexts(value: unknown): boolean {
  return isListOf(isText, value);
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

function isLeftOutOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || is(value);
}

function isNullOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === null || is(value);
}
