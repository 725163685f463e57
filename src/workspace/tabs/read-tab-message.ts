// What another tab says is a stranger's until it is checked here: shape first, then what decides.
// The parts of a commit are checked by the writer, those of a record where it is applied.
import { isRecord } from '../../core/is-record.ts';
import { isCount, type Fields } from '../read-fields.ts';
import { tabProtocol, type TabMessage } from './tab-message.ts';

/** Undefined for what is on no list: it is ignored, as any page of the origin may use the channel. */
export function readTabMessage(value: unknown): TabMessage | undefined {
  if (!isRecord(value) || value['protocol'] !== tabProtocol) return undefined;
  const isAddressed = isText(value['from']) && (value['to'] === undefined || isText(value['to']));
  // The one cast: by what was checked here, and by what whom it reaches will check.
  return isAddressed && hasBody(value) ? (value as unknown as TabMessage) : undefined;
}

function hasBody(fields: Fields): boolean {
  switch (fields['type']) {
    case 'hello':
      return Number.isSafeInteger(fields['seq']) && isCount(fields['oldest']);
    case 'commit':
      return (
        isCount(fields['epoch']) &&
        isCount(fields['number']) &&
        isCount(fields['oldest']) &&
        isRequest(fields['request'])
      );
    case 'claim':
      return isCount(fields['epoch']);
    case 'bye':
    case 'changing':
      return true;
    case 'leading':
      return (
        isCount(fields['epoch']) &&
        typeof fields['isVisible'] === 'boolean' &&
        isRecord(fields['info']) &&
        isCount(fields['info']['seq']) &&
        (fields['next'] === undefined || isCount(fields['next']))
      );
    case 'records':
      return isCount(fields['epoch']) && isArrayOf(fields['records'], isFeedRecord);
    case 'snapshot':
      return isCount(fields['epoch']) && isSnapshot(fields['snapshot']);
    case 'answers':
      return isCount(fields['epoch']) && isArrayOf(fields['answers'], isAnswer);
    case 'resigned':
      return isCount(fields['epoch']) && (fields['heir'] === undefined || isText(fields['heir']));
    default:
      return false;
  }
}

function isRequest(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['options'])) return false;
  if (value['type'] === 'commit') return isRecord(value['changeSet']);
  return value['type'] === 'roots' && isRecord(value['change']);
}

function isFeedRecord(value: unknown): boolean {
  if (!isRecord(value) || value['type'] !== 'record') return false;
  const { record, segment } = value;
  const isOne = isRecord(record) && isCount(record['seq']) && Array.isArray(record['changes']);
  return isOne && (segment === undefined || isSegment(segment));
}

function isSnapshot(value: unknown): boolean {
  if (!isRecord(value) || value['type'] !== 'snapshot') return false;
  const { state, segments, lost, index } = value;
  const isState = isRecord(state) && isCount(state['seq']);
  const isLost = lost === undefined || isArrayOf(lost, isCount);
  const isIndex = index === undefined || isRecord(index);
  return isState && isLost && isIndex && isArrayOf(segments, isSegment);
}

function isSegment(value: unknown): boolean {
  return isRecord(value) && isRecord(value['data']) && Array.isArray(value['contents']);
}

function isAnswer(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value['number']) || !isCount(value['seq'])) return false;
  const { error } = value;
  return error === undefined || (isRecord(error) && isText(error['code']));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
