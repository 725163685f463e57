// The shared state of one tab: its role, its view of the workspace, and what it knows of the
// leader. Each class of tabs/ changes its own part; none keeps a copy.
import type { SdkError } from '../../core/errors.ts';
import type { FedRecord } from '../feed/serve-feed.ts';
import type { CommitOrigin } from '../state/record.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { StreamRecord } from '../state/stream-state.ts';
import type { WorkspaceInfo } from '../workspace.ts';
import { OwnCommits } from './commits.ts';
import { EraContents } from './era-contents.ts';
import { Following, Patience } from './follower.ts';
import type { Leading } from './leader.ts';
import { RecentRecords } from './recent-records.ts';
import { SharedState } from './shared-state.ts';
import { tabProtocol } from './tab-message.ts';
import type { TabMessageBody } from './tab-message.ts';
import type { TabPorts } from './tab-ports.ts';

/** How the tab is when it joins. */
export interface SharedWorkspaceOptions {
  /** Does a person see this tab? A visible tab takes the lead from a hidden one. */
  readonly isVisible: boolean;
  /**
   * So much of what records bring is held by a tab that follows; then it asks for a new snapshot.
   * @defaultValue 64 MB
   */
  readonly maxRecordBytes?: number;
}

/** `opening` and `leaving`: it has the lock, and no commit of another tab is taken. */
export type TabRole = 'following' | 'opening' | 'leading' | 'leaving' | 'closed';

export class TabSession {
  readonly ports: TabPorts;
  readonly shared: SharedState;
  readonly following: Following;
  readonly recent = new RecentRecords();
  readonly own = new OwnCommits();
  readonly patience = new Patience();
  readonly leader = new KnownLeader();
  /** Settled once there is something to read, or there can't be. */
  readonly joined = createDeferred();
  role: TabRole = 'following';
  isVisible: boolean;
  /** True until a message of another tab arrives. */
  isAlone = true;
  isClosing = false;
  /** Why nothing can be changed here any more, and nobody listened to. */
  over: SdkError | undefined;
  /** Contents through this tab's own writer. Without one, reads wait for the next source. */
  era = new EraContents();
  leading: Leading | undefined;
  /** Counts how often this tab has asked. */
  tick = 0;

  constructor(ports: TabPorts, { isVisible, maxRecordBytes }: SharedWorkspaceOptions) {
    this.ports = ports;
    this.isVisible = isVisible;
    this.following = new Following(maxRecordBytes);
    this.shared = new SharedState(this.era, ports.onError);
  }

  get revision(): number {
    return this.shared.revision;
  }

  /** Advances the state by one record, and settles this tab's own commits that are in it. */
  advance(state: WorkspaceState, fed: FedRecord): void {
    this.shared.advance(state, fed);
    this.#settleOwn(state, fed.record);
  }

  /** The same for a record that changed a stream alone. */
  advanceStream(state: WorkspaceState, record: StreamRecord): void {
    this.shared.advanceStream(state);
    this.#settleOwn(state, record);
  }

  /** Only acknowledged records are broadcast. The record is therefore the answer. */
  #settleOwn({ seq }: WorkspaceState, { origin }: { readonly origin?: CommitOrigin }): void {
    if (origin?.client === this.ports.id) this.own.resolve(origin.number, seq);
  }

  /** Answers everything with that from now on, but for `close`. */
  end(error: SdkError): void {
    this.over = error;
    this.own.rejectAll(error);
    this.era.fail(error);
    this.post({ type: 'bye' });
    this.role = 'closed';
  }

  post(body: TabMessageBody, to?: string): void {
    if (this.role === 'closed') return;
    this.ports.channel.post({ protocol: tabProtocol, from: this.ports.id, to, ...body }, to);
  }
}

class KnownLeader {
  /** The highest leadership that was heard of, this tab's own among them. */
  epoch = 0;
  /** The leader's id; undefined where this tab leads, or where the leadership is over. */
  id: string | undefined;
  /** How far it is known to have come. */
  revision = -1;
  /** The workspace's info, as this or an earlier leader sent it last. */
  info: WorkspaceInfo | undefined;
  isVisible = true;

  /** A new leader: the former one's progress is no longer valid. */
  succeed(epoch: number, id: string | undefined): void {
    this.epoch = epoch;
    this.id = id;
    this.revision = -1;
    this.isVisible = true;
  }

  hasReached(revision: number): void {
    this.revision = Math.max(this.revision, revision);
  }
}

export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** It may be rejected before anybody waits for it: that is no unhandled rejection. */
export function createDeferred(): Deferred {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
