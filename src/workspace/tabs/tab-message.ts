// The messages between tabs of one workspace, and their validation. A message is untrusted until it
// was validated here. The writer validates the parts of a commit, and records are validated when
// they are applied.
import type { ChangeSet } from '../../core/change-set.ts';
import type { SerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { StreamRequest } from '../commit/validate-stream.ts';
import type { StreamOptions } from '../commit/writer-port.ts';
import type { FeedMessage, PackedSegment } from '../feed/feed.ts';
import { isCount } from '../state/read-fields.ts';
import type { Fields } from '../state/read-fields.ts';
import type { RootChange, WorkspaceRecord } from '../state/record.ts';
import type { StreamRecord } from '../state/stream-state.ts';
import type { CommitOptions, WorkspaceInfo } from '../workspace.ts';

/** The first element of every message. Messages of tabs with another version are ignored. */
export const tabProtocol = 'rockpool-tabs-2';

/** A message from one tab to another, or to all. */
export type TabMessage = {
  readonly protocol: typeof tabProtocol;
  readonly from: string;
  /** Left out if it is for all. */
  readonly to?: string | undefined;
} & TabMessageBody;

export type TabMessageBody = FollowerMessage | LeaderMessage;

/** Requests to the leader. */
export type FollowerMessage =
  /** Answered with `leading`, the answers that the sender lacks, and records or a snapshot. */
  | {
      readonly type: 'hello';
      /** The sender's revision; -1 without a state. */
      readonly revision: number;
      /** All of its commits with lower numbers are settled. */
      readonly oldest: number;
    }
  | {
      readonly type: 'commit';
      /** The epoch of the leader for which it is meant. A later leader gets it again. */
      readonly epoch: number;
      /** Numbered by its sender from 1. */
      readonly number: number;
      readonly oldest: number;
      readonly request: TabRequest;
    }
  /** From a visible tab to a hidden leader: a request to lead instead. */
  | { readonly type: 'claim'; readonly epoch: number }
  | { readonly type: 'bye' };

/** A commit, a change of roots, or a change of a stream alone. */
export type TabRequest =
  | { readonly type: 'commit'; readonly changeSet: ChangeSet; readonly options: CommitOptions }
  | { readonly type: 'roots'; readonly change: RootChange; readonly options: CommitOptions }
  | { readonly type: 'stream'; readonly change: StreamRequest; readonly options: StreamOptions };

/** `epoch` is that of the leader. */
export type LeaderMessage =
  | {
      readonly type: 'leading';
      readonly epoch: number;
      readonly isVisible: boolean;
      readonly info: WorkspaceInfo;
      /** The leader's current revision. */
      readonly revision: number;
      /**
       * In answer to a `hello`: the number of the commit that the leader expects. All before it
       * have arrived.
       */
      readonly next?: number | undefined;
    }
  | { readonly type: 'records'; readonly epoch: number; readonly records: readonly TabRecord[] }
  | { readonly type: 'snapshot'; readonly epoch: number; readonly snapshot: FeedSnapshot }
  | { readonly type: 'answers'; readonly epoch: number; readonly answers: readonly TabAnswer[] }
  /**
   * The medium is closed. The named heir takes the lock; without one, the first tab in the queue
   * does.
   */
  | { readonly type: 'resigned'; readonly epoch: number; readonly heir?: string | undefined }
  /** From a tab that opens or closes the medium: it is alive, but can't answer yet. */
  | { readonly type: 'changing' };

/** One record with its contents: a commit, or a change of a stream alone. */
export interface TabRecord {
  /** The revision of the state after it. Revisions have no gaps. */
  readonly revision: number;
  readonly record: WorkspaceRecord | StreamRecord;
  /** New contents of files. */
  readonly segment: PackedSegment | undefined;
  /** New contents of a stream. */
  readonly streamSegment: PackedSegment | undefined;
}

export type FeedSnapshot = FeedMessage & { readonly type: 'snapshot' };

/** The result of a commit. It takes effect in a tab once the tab has reached the revision. */
export interface TabAnswer {
  readonly number: number;
  readonly seq: number;
  readonly revision: number;
  /** Left out if it was applied. */
  readonly error?: SerializedError | undefined;
}

/**
 * Returns undefined for an unknown message, which is ignored, because any page of the origin may
 * use the channel.
 */
export function readTabMessage(value: unknown): TabMessage | undefined {
  if (!isRecord(value) || value['protocol'] !== tabProtocol) return undefined;
  const isAddressed = isText(value['from']) && (value['to'] === undefined || isText(value['to']));
  // Parts that aren't validated here are validated by the receiver.
  return isAddressed && hasBody(value) ? (value as unknown as TabMessage) : undefined;
}

function hasBody(fields: Fields): boolean {
  switch (fields['type']) {
    case 'hello':
      return Number.isSafeInteger(fields['revision']) && isCount(fields['oldest']);
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
        isCount(fields['revision']) &&
        (fields['next'] === undefined || isCount(fields['next']))
      );
    case 'records':
      return isCount(fields['epoch']) && isArrayOf(fields['records'], isTabRecord);
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
  const isChange = value['type'] === 'roots' || value['type'] === 'stream';
  return isChange && isRecord(value['change']);
}

function isTabRecord(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value['revision']) || !isRecord(value['record'])) return false;
  const { record, segment, streamSegment } = value;
  const isCommit = isCount(record['seq']) && Array.isArray(record['changes']);
  const isOne = isCommit || (isCount(record['revision']) && isRecord(record['stream']));
  return isOne && [segment, streamSegment].every((each) => each === undefined || isSegment(each));
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
  if (!isRecord(value)) return false;
  if (![value['number'], value['seq'], value['revision']].every(isCount)) return false;
  const { error } = value;
  return error === undefined || (isRecord(error) && isText(error['code']));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isArrayOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
