// The shared state of one tab: its role, its view of the workspace, and what it knows of the
// leader. Each class in tabs/ changes its own part, and none keeps a copy.
import { createDeferred } from '../../core/async/deferred.ts';
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

/** Options with which a tab joins. */
export interface SharedWorkspaceOptions {
  /** True if a person sees this tab. A visible tab takes over leadership from a hidden one. */
  readonly isVisible: boolean;
  /**
   * How many bytes of records a following tab keeps before it requests a new snapshot.
   * @defaultValue 64 MB
   */
  readonly maxRecordBytes?: number;
}

/** `opening` and `leaving`: the tab has the lock, but accepts no commits of other tabs. */
export type TabRole = 'following' | 'opening' | 'leading' | 'leaving' | 'closed';

export class TabSession {
  readonly ports: TabPorts;
  readonly shared: SharedState;
  readonly following: Following;
  readonly recent = new RecentRecords();
  readonly own = new OwnCommits();
  readonly patience = new Patience();
  readonly leader = new KnownLeader();
  /** Settles once the workspace can be read, or once that has failed. */
  readonly joined = createDeferred();
  role: TabRole = 'following';
  isVisible: boolean;
  /** True until a message of another tab arrives. */
  isAlone = true;
  isClosing = false;
  /** Why the tab has ended: nothing can be changed, and messages are ignored. */
  over: SdkError | undefined;
  /** Contents through this tab's own writer. Without one, reads wait for the next source. */
  era = new EraContents();
  leading: Leading | undefined;
  /** How many times this tab has sent requests. */
  tick = 0;

  constructor(ports: TabPorts, { isVisible, maxRecordBytes }: SharedWorkspaceOptions) {
    this.ports = ports;
    this.isVisible = isVisible;
    this.following = new Following(maxRecordBytes);
    this.shared = new SharedState(this.era, ports.onError);
    // It may reject before anybody awaits it, which must not count as unhandled.
    this.joined.promise.catch(() => {});
  }

  get revision(): number {
    return this.shared.revision;
  }

  /** Applies one record, and settles this tab's own commits in it. */
  advance(state: WorkspaceState, fed: FedRecord): void {
    this.shared.advance(state, fed);
    this.#settleOwn(state, fed.record);
  }

  /** The same for a record that only changed a stream. */
  advanceStream(state: WorkspaceState, record: StreamRecord): void {
    this.shared.advanceStream(state);
    this.#settleOwn(state, record);
  }

  /** Only acknowledged records are broadcast, so the record is the answer. */
  #settleOwn({ seq }: WorkspaceState, { origin }: { readonly origin?: CommitOrigin }): void {
    if (origin?.client === this.ports.id) this.own.resolve(origin.number, seq);
  }

  /** From now on, every request except `close` gets this error. */
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
  /** The highest known epoch, including this tab's own. */
  epoch = 0;
  /** The leader's id. Undefined if this tab leads, or if the leadership has ended. */
  id: string | undefined;
  /** The leader's last known revision. */
  revision = -1;
  /** The workspace's info, as the last leader sent it. */
  info: WorkspaceInfo | undefined;
  isVisible = true;

  /** Called for a new leader: what was known of the former one is no longer valid. */
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
