// The closed list of messages between the tabs of one workspace: types, no behaviour. Checked on
// arrival by read-tab-message.ts.
import type { ChangeSet } from '../../core/change-set.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { FeedMessage } from '../feed.ts';
import type { RootChange } from '../record.ts';
import type { CommitOptions, WorkspaceInfo } from '../workspace.ts';

/** The first element of every message. Tabs of another version are not understood, and not heard. */
export const tabProtocol = 'rockpool-tabs-1';

/** Sent by one tab to another, or to all. */
export type TabMessage = {
  readonly protocol: typeof tabProtocol;
  readonly from: string;
  /** Left out when it is for all. */
  readonly to?: string | undefined;
} & TabMessageBody;

export type TabMessageBody = FollowerMessage | LeaderMessage;

/** What a tab may ask of the leader. */
export type FollowerMessage =
  /** Answered with `leading`, the answers that it lacks, and the records or the snapshot. */
  | {
      readonly type: 'hello';
      /** What it has; -1 for nothing. */
      readonly seq: number;
      /** All its commits with lower numbers are settled. */
      readonly oldest: number;
    }
  | {
      readonly type: 'commit';
      /** The leadership that it is meant for: a later one gets it anew. */
      readonly epoch: number;
      /** Counted by its sender from 1. */
      readonly number: number;
      readonly oldest: number;
      readonly request: TabRequest;
    }
  /** From a visible tab to a hidden leader: it would lead instead. */
  | { readonly type: 'claim'; readonly epoch: number }
  | { readonly type: 'bye' };

/** A commit, or a change of the roots. */
export type TabRequest =
  | { readonly type: 'commit'; readonly changeSet: ChangeSet; readonly options: CommitOptions }
  | { readonly type: 'roots'; readonly change: RootChange; readonly options: CommitOptions };

/** `epoch`: of which leadership it speaks. */
export type LeaderMessage =
  | {
      readonly type: 'leading';
      readonly epoch: number;
      readonly isVisible: boolean;
      readonly info: WorkspaceInfo;
      /** In answer to a `hello`: the commit that the leader waits for. All before it have arrived. */
      readonly next?: number | undefined;
    }
  | { readonly type: 'records'; readonly epoch: number; readonly records: readonly FeedRecord[] }
  | { readonly type: 'snapshot'; readonly epoch: number; readonly snapshot: FeedSnapshot }
  | { readonly type: 'answers'; readonly epoch: number; readonly answers: readonly TabAnswer[] }
  /** The medium is closed. The heir, if there is one, takes the lock; else who is first in line. */
  | { readonly type: 'resigned'; readonly epoch: number; readonly heir?: string | undefined }
  /** From a tab that opens or closes the medium: it is alive, and takes longer than an answer. */
  | { readonly type: 'changing' };

export type FeedRecord = FeedMessage & { readonly type: 'record' };
export type FeedSnapshot = FeedMessage & { readonly type: 'snapshot' };

/** What became of a commit. It counts for a tab once the tab has seen the record `seq`. */
export interface TabAnswer {
  readonly number: number;
  readonly seq: number;
  /** Left out when it was applied. */
  readonly error?: SerializedError | undefined;
}
