// A workspace that several tabs may have open, as one tab sees it. The tab either leads and owns
// the writer, or follows with a replica and sends its commits to the leader. Its users see one
// writer while the role changes.
import { createDeferred } from '../../core/async/deferred.ts';
import type { ChangeSet } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { createClosedError } from '../log/log-error.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { CommitOrigin, RootChange } from '../state/record.ts';
import type { FedRecord } from '../feed/serve-feed.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import type { ChangeEvent, CommitOptions, CommitResult, WorkspaceInfo } from '../workspace.ts';
import type { StreamRequest } from '../commit/validate-stream.ts';
import type { StreamOptions, WriterPort } from '../commit/writer-port.ts';
import { Asking, FollowerInbox } from './follower.ts';
import { CommitSender } from './commits.ts';
import { type SharedWorkspaceOptions, TabSession } from './tab-session.ts';
import { Leadership } from './election.ts';
import { readTabMessage } from './tab-message.ts';
import { createUnansweredError } from './tab-errors.ts';
import type { FollowerMessage, TabMessage, TabRequest } from './tab-message.ts';
import type { TabPorts } from './tab-ports.ts';

// 5 s: how long a closing page waits for another tab.
const closingPatienceMs = 5000;

/**
 * Joins the workspace. Resolves as soon as it can be read. If this tab opens the medium, rejects as
 * `openWriter` does. Rejects with `EBUSY` if another tab has it but doesn't answer.
 */
export async function openSharedWorkspace(
  ports: TabPorts,
  options: SharedWorkspaceOptions,
): Promise<SharedWorkspace> {
  const workspace = new SharedWorkspace(ports, options);
  await workspace.join();
  return workspace;
}

/**
 * A commit resolves once the leader has acknowledged it and this tab's `state` includes it. It is
 * sent again to each new leader, and applied once. A change of leader never loses data that was
 * acknowledged to any tab.
 */
export class SharedWorkspace implements WriterPort {
  readonly #tab: TabSession;
  readonly #asking: Asking;
  readonly #commits: CommitSender;
  readonly #leadership: Leadership;
  readonly #inbox: FollowerInbox;
  #closing: Promise<void> | undefined;

  constructor(ports: TabPorts, options: SharedWorkspaceOptions) {
    const tab = new TabSession(ports, options);
    this.#tab = tab;
    this.#asking = new Asking(tab, () => this.#leadership.steal());
    this.#commits = new CommitSender(tab);
    this.#leadership = new Leadership(tab, this.#asking, this.#commits);
    this.#inbox = new FollowerInbox(tab, this.#asking, this.#commits, this.#leadership);
  }

  get role(): 'leader' | 'follower' {
    return this.#tab.leading ? 'leader' : 'follower';
  }

  get state(): WorkspaceState {
    const { state } = this.#tab.shared;
    if (state) return state;
    throw new TypeError('The workspace is used before it was joined.');
  }

  get contents(): ContentSource {
    return this.#tab.shared.contents;
  }

  get root(): DirectoryNode {
    return this.state.main;
  }

  get seq(): number {
    return this.#tab.shared.seq;
  }

  info(): WorkspaceInfo {
    const { leading, leader } = this.#tab;
    if (leading) return leading.info();
    if (!leader.info) throw new TypeError('The workspace is used before it was joined.');
    return { ...leader.info, seq: this.seq, role: 'follower' };
  }

  /** The origin in the record of this tab's next commit. */
  get nextOrigin(): CommitOrigin {
    const { own, ports } = this.#tab;
    return { client: ports.id, number: own.next };
  }

  /** Commits as the writer does. Waits while there is no leader. `EBADF` after `close`. */
  commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult> {
    return this.#request({ type: 'commit', changeSet, options });
  }

  changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult> {
    return this.#request({ type: 'roots', change, options });
  }

  onRecord(listener: (fed: FedRecord) => void): Disposable {
    return this.#tab.shared.onRecord(listener);
  }

  onJump(listener: (events: readonly ChangeEvent[]) => void): Disposable {
    return this.#tab.shared.onJump(listener);
  }

  changeStream(change: StreamRequest, options: StreamOptions): Promise<CommitResult> {
    return this.#request({ type: 'stream', change, options });
  }

  onStreams(listener: () => void): Disposable {
    return this.#tab.shared.onStreams(listener);
  }

  onMoved(listener: () => void): Disposable {
    return this.#tab.shared.onMoved(listener);
  }

  /**
   * Call this when the page becomes visible or hidden. A hidden leader hands over to a visible tab.
   */
  setVisible(isVisible: boolean): void {
    const tab = this.#tab;
    tab.isVisible = isVisible;
    if (tab.role === 'leading') tab.leading?.announce();
    this.#asking.claim();
    this.#asking.wake();
  }

  /** Called once, by {@link openSharedWorkspace}. */
  async join(): Promise<void> {
    const { ports, joined } = this.#tab;
    ports.channel.listen((message) => this.#receive(message));
    this.#asking.sayHello();
    this.#leadership.stand();
    this.#asking.wake();
    try {
      await joined.promise;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Idempotent. Waits for commits in flight, at most five seconds if another tab must answer them.
   * Then gives up leadership.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const tab = this.#tab;
    tab.isClosing = true;
    await this.#leadership.end();
    const patience = createDeferred();
    const timer = tab.ports.clock.after(closingPatienceMs, patience.resolve);
    await Promise.race([tab.own.whenEmpty(), patience.promise]);
    timer[Symbol.dispose]();
    const { leading } = tab;
    leading?.pause();
    try {
      await leading?.writer.close();
    } finally {
      tab.post(leading ? { type: 'resigned', epoch: leading.epoch } : { type: 'bye' });
      tab.role = 'closed';
      leading?.end();
      this.#leadership.release();
      this.#asking[Symbol.dispose]();
      tab.own.rejectAll(createUnansweredError());
      tab.era.fail(createClosedError());
      tab.ports.channel[Symbol.dispose]();
    }
  }

  #request(request: TabRequest): Promise<CommitResult> {
    if (this.#tab.isClosing) return Promise.reject(createClosedError());
    if (this.#tab.over) return Promise.reject(this.#tab.over);
    if (request.options.origin) {
      // An origin from outside would give the commit two numbers, one of which would be lost.
      const message = 'A shared workspace numbers its commits itself: leave `origin` out.';
      return Promise.reject(new SdkError('bad-usage', message));
    }
    const result = this.#tab.own.add(request);
    this.#commits.send();
    this.#asking.wake();
    return result;
  }

  #receive(data: unknown): void {
    const tab = this.#tab;
    const { id, onError } = tab.ports;
    const message = readTabMessage(data);
    if (!message || tab.role === 'closed' || message.from === id) return;
    tab.isAlone = false;
    if (message.to !== undefined && message.to !== id) return;
    try {
      this.#dispatch(message);
    } catch (error) {
      // The message was damaged. Its content is requested again.
      onError(error);
    }
    this.#asking.wake();
  }

  #dispatch(message: TabMessage): void {
    switch (message.type) {
      case 'hello':
      case 'commit':
      case 'claim':
      case 'bye':
        this.#receiveAsLeader(message.from, message);
        return;
      case 'changing':
        this.#tab.patience.heardOfChange();
        return;
      case 'leading':
      case 'records':
      case 'snapshot':
      case 'answers':
      case 'resigned':
        this.#inbox.receive(message);
    }
  }

  #receiveAsLeader(from: string, message: FollowerMessage): void {
    const { role, leading, isVisible } = this.#tab;
    if (role === 'leading' && leading) {
      if (message.type !== 'claim') leading.receive(from, message);
      else if (isVisible) leading.announce(from);
      else void this.#leadership.handOver(leading, from);
    } else if (role === 'opening' || role === 'leaving') {
      this.#tab.post({ type: 'changing' }, from);
    }
  }
}
