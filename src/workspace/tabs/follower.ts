// The follower's side. `Following` holds the leader's snapshot, the records since, and their
// contents. `FollowerInbox` handles the leader's messages. `Asking` requests what is missing, and
// claims the lead from a hidden leader. `Patience` counts how long a leader may stay silent before
// its lock is stolen.
import { PackedContents } from '../feed/packed-contents.ts';
import { fromPlainState } from '../state/plain-state.ts';
import { toPathChanges } from '../state/record.ts';
import type { FedRecord } from '../feed/serve-feed.ts';
import { applyRecord, applyStreamRecord, mainRootId, rootOf } from '../state/state.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { CommitSender } from './commits.ts';
import type { Leadership } from './election.ts';
import { EraContents } from './era-contents.ts';
import { bytesOf } from './recent-records.ts';
import { createUnsharedError } from './tab-errors.ts';
import type { FeedSnapshot, LeaderMessage, TabMessage, TabRecord } from './tab-message.ts';
import type { TabSession } from './tab-session.ts';

// How many records may arrive before their predecessor. Others are requested again.
const maxWaiting = 1000;
// 64 MB: what records bring is held for as long as their snapshot counts, whether it is needed or not.
const defaultMaxRecordBytes = 67_108_864;

/** One step: what was applied, and the state after it. */
export interface FollowedStep {
  readonly state: WorkspaceState;
  /** Undefined where the record changed a stream alone. */
  readonly fed: FedRecord | undefined;
  readonly message: TabRecord;
}

export class Following {
  readonly #maxRecordBytes: number;
  /** Undefined until a snapshot has come. */
  #contents: PackedContents | undefined;
  /** Records that came too early, by their revisions. */
  readonly #waiting = new Map<number, TabRecord>();
  /** What the records since the snapshot have brought. */
  #recordBytes = 0;

  constructor(maxRecordBytes: number = defaultMaxRecordBytes) {
    this.#maxRecordBytes = maxRecordBytes;
  }

  /** Can files be read, and records applied? */
  get isReady(): boolean {
    return this.#contents !== undefined;
  }

  /** Did a record come whose predecessor hasn't? */
  get hasGap(): boolean {
    return this.#waiting.size > 0;
  }

  /** Have records brought so much that a new snapshot should take its place? */
  get isFull(): boolean {
    return this.#recordBytes > this.#maxRecordBytes;
  }

  /** The state and contents of a snapshot. Throws a TypeError for one that is damaged. */
  start(snapshot: FeedSnapshot): { state: WorkspaceState; contents: PackedContents } {
    const started = { state: fromPlainState(snapshot.state), contents: toContents(snapshot) };
    this.#contents = started.contents;
    this.#recordBytes = 0;
    return started;
  }

  /**
   * The contents of the state of now by a snapshot that is no newer, and by `since`, the records
   * between. What is overwritten is gone from them; who holds the ones before reads on.
   */
  renew(snapshot: FeedSnapshot, since: readonly TabRecord[]): PackedContents {
    const contents = toContents(snapshot);
    this.#recordBytes = 0;
    for (const message of since) {
      addSegments(contents, message);
      this.#recordBytes += bytesOf(message);
    }
    this.#contents = contents;
    return contents;
  }

  /** Keeps them until their turn: {@link next}. */
  take(records: readonly TabRecord[], state: WorkspaceState | undefined): void {
    for (const message of records) {
      const { revision } = message;
      if (revision > (state?.revision ?? -1) && this.#waiting.size < maxWaiting) {
        this.#waiting.set(revision, message);
      }
    }
  }

  /** The next step from that state, if its record is here. A damaged record throws, and is gone. */
  next(state: WorkspaceState): FollowedStep | undefined {
    const message = this.#waiting.get(state.revision + 1);
    if (!message || !this.#contents) return undefined;
    this.#waiting.delete(state.revision + 1);
    const step = toStep(state, message);
    addSegments(this.#contents, message);
    this.#recordBytes += bytesOf(message);
    return step;
  }

  /** Forgets what waits up to that revision. */
  dropUntil(revision: number): void {
    for (const waiting of this.#waiting.keys()) {
      if (waiting <= revision) this.#waiting.delete(waiting);
    }
  }

  /** Drops everything: another state will come. */
  reset(): void {
    this.#contents = undefined;
    this.#recordBytes = 0;
    this.#waiting.clear();
  }
}

/** A damaged record throws. */
function toStep(state: WorkspaceState, message: TabRecord): FollowedStep {
  const { record, segment } = message;
  if ('revision' in record) {
    return { state: applyStreamRecord(state, record), fed: undefined, message };
  }
  const { seq, author, root = mainRootId } = record;
  const after = applyRecord(state, record);
  const event = { seq, root, author, changes: toPathChanges(rootOf(state, root), record) };
  return { state: after, fed: { record, event, contents: segment ?? [] }, message };
}

function addSegments(contents: PackedContents, { segment, streamSegment }: TabRecord): void {
  if (segment) contents.add(segment);
  if (streamSegment) contents.add(streamSegment);
}

function toContents({ segments, index, lost = [] }: FeedSnapshot): PackedContents {
  const contents = new PackedContents({ index });
  for (const segment of segments) contents.add(segment);
  contents.addLost(lost);
  return contents;
}

/** The messages that belong to an epoch. */
type EpochMessage = LeaderMessage & { readonly epoch: number };

export class FollowerInbox {
  readonly #tab: TabSession;
  readonly #asking: Asking;
  readonly #commits: CommitSender;
  readonly #leadership: Leadership;

  constructor(tab: TabSession, asking: Asking, commits: CommitSender, leadership: Leadership) {
    this.#tab = tab;
    this.#asking = asking;
    this.#commits = commits;
    this.#leadership = leadership;
  }

  /** Throws for a damaged message. Its content is requested again. */
  receive(message: TabMessage & EpochMessage): void {
    if (this.#heed(message)) this.#take(message);
  }

  /** False for a late message of a former leader. */
  #heed({ from, to, epoch }: TabMessage & EpochMessage): boolean {
    const { leader, leading, patience } = this.#tab;
    if (epoch < leader.epoch || (epoch === leader.epoch && leading)) return false;
    patience.heard();
    if (epoch === leader.epoch && from === leader.id) return true;
    // Another tab owns the medium: this tab was frozen, or too busy.
    if (leading) this.#leadership.lose();
    leader.succeed(epoch, from);
    // A message to this tab alone already answers its hello.
    if (to === undefined) this.#asking.sayHello();
    this.#commits.send();
    return true;
  }

  #take(message: EpochMessage): void {
    const { leader, own, ports } = this.#tab;
    switch (message.type) {
      case 'leading':
        this.#takeAnnouncement(message);
        return;
      case 'records':
        this.#takeRecords(message);
        return;
      case 'snapshot':
        this.#takeSnapshot(message);
        return;
      case 'answers':
        for (const answer of message.answers) {
          own.answer(answer);
          leader.hasReached(answer.revision);
        }
        this.#commits.settle();
        return;
      case 'resigned':
        leader.id = undefined;
        if (message.heir === ports.id && this.#tab.role === 'following') this.#leadership.steal();
    }
  }

  #takeAnnouncement({
    info,
    isVisible,
    revision,
    next,
  }: EpochMessage & { readonly type: 'leading' }): void {
    const tab = this.#tab;
    tab.leader.info = info;
    tab.leader.isVisible = isVisible;
    tab.leader.hasReached(revision);
    this.#joinIfReady();
    if (!isVisible) this.#asking.claim();
    // Sent before the hello that this answers, and not there: lost.
    if (next !== undefined) {
      this.#commits.send(({ number, sent }) => number >= next && (sent?.tick ?? 0) < tab.tick);
    }
  }

  #takeRecords({ records }: EpochMessage & { readonly type: 'records' }): void {
    const { following, leader, shared } = this.#tab;
    const before = { hadGap: following.hasGap, wasFull: following.isFull };
    following.take(records, shared.state);
    for (const { revision } of records) leader.hasReached(revision);
    this.#applyRecords();
    const isNew = (following.hasGap && !before.hadGap) || (following.isFull && !before.wasFull);
    if (isNew) this.#asking.sayHello();
  }

  #takeSnapshot({ snapshot }: EpochMessage & { readonly type: 'snapshot' }): void {
    const tab = this.#tab;
    const { following, leader, recent, shared } = tab;
    const { seq, revision = seq } = snapshot.state;
    // Records were quicker, or the contents have moved: its contents take the place of those that
    // are here. Going back is only a new leader's to ask for.
    const isKnown = following.isReady && revision <= tab.revision;
    if (isKnown && leader.revision >= tab.revision) {
      const since = recent.since(revision);
      if (shared.state && since) this.#show(shared.state, following.renew(snapshot, since));
      return;
    }
    const { state, contents } = following.start(snapshot);
    recent.reset(revision);
    leader.hasReached(revision);
    following.dropUntil(revision);
    this.#show(state, contents);
    this.#applyRecords();
    this.#commits.settle();
    this.#joinIfReady();
  }

  #show(state: WorkspaceState, contents: PackedContents): void {
    const tab = this.#tab;
    tab.era.succeed(contents);
    // Present readers hold it themselves. A reference here would hold these contents until this tab
    // leads.
    tab.era = new EraContents();
    tab.shared.replace(state, contents);
  }

  #applyRecords(): void {
    const tab = this.#tab;
    if (tab.leading) return;
    const { state } = tab.shared;
    for (let step = state && tab.following.next(state); step;) {
      tab.recent.push(step.message);
      const { record } = step.message;
      if (step.fed) tab.advance(step.state, step.fed);
      else if ('revision' in record) tab.advanceStream(step.state, record);
      this.#commits.settle();
      step = tab.following.next(step.state);
    }
  }

  #joinIfReady(): void {
    const { leader, following, joined } = this.#tab;
    if (leader.info && following.isReady) joined.resolve();
  }
}

// 30 s: the leader answers but can't send its state.
const joiningTicks = 60;

export class Asking implements Disposable {
  readonly #tab: TabSession;
  readonly #steal: () => void;
  #timer: Disposable | undefined;

  /** `steal` takes the lead from a leader that was asked too often. */
  constructor(tab: TabSession, steal: () => void) {
    this.#tab = tab;
    this.#steal = steal;
  }

  sayHello(): void {
    const { following, revision, own, leader } = this.#tab;
    // Missing records come first; a snapshot that only frees memory can wait.
    const isRenewing = following.isFull && !this.#isBehind();
    const has = following.isReady && !isRenewing ? revision : -1;
    this.#tab.post({ type: 'hello', revision: has, oldest: own.oldest }, leader.id);
  }

  claim(): void {
    const { role, leader } = this.#tab;
    if (role !== 'following' || !this.#wantsLead()) return;
    this.#tab.post({ type: 'claim', epoch: leader.epoch }, leader.id);
  }

  /** Ticks only while this tab has something to send or to hear. */
  wake(): void {
    const { own, following, role, ports } = this.#tab;
    const isIdle = own.size === 0 && !this.#isBehind() && !following.isFull && !this.#wantsLead();
    if (this.#timer || role !== 'following' || isIdle) return;
    this.#timer = ports.clock.after(tickMs, () => this.#onTick());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #onTick(): void {
    const tab = this.#tab;
    this.#timer = undefined;
    tab.tick += 1;
    if (!tab.shared.state && tab.tick > joiningTicks) tab.joined.reject(createUnsharedError());
    if (tab.role === 'following') {
      if (tab.patience.isOver()) this.#steal();
      else {
        this.sayHello();
        this.claim();
      }
    }
    this.wake();
  }

  #isBehind(): boolean {
    const { following, revision, leader } = this.#tab;
    return !following.isReady || revision < leader.revision || following.hasGap;
  }

  #wantsLead(): boolean {
    const { isVisible, leader } = this.#tab;
    return isVisible && leader.id !== undefined && !leader.isVisible;
  }
}

/** The retry interval: a lost message costs half a second. */
export const tickMs = 500;
// 3 s of silence while asked six times: a busy leader answers sooner. Chromium lets a terminated
// busy worker live on for 2 s; then the lock is free without being stolen.
const patienceTicks = 6;
// 15 s for a tab that opens or closes a large log.
const changingTicks = 30;

/** Counts ticks, not time: a tab that was frozen itself has received nothing either. */
export class Patience {
  #silentTicks = 0;
  #limit = patienceTicks;

  /** A message of the leader, or the start of a new leader's term. */
  heard(): void {
    this.#silentTicks = 0;
    this.#limit = patienceTicks;
  }

  /** A message of a tab that opens or closes the medium. */
  heardOfChange(): void {
    this.#silentTicks = 0;
    this.#limit = changingTicks;
  }

  /** Another tick has passed. Is it over? */
  isOver(): boolean {
    this.#silentTicks += 1;
    return this.#silentTicks > this.#limit;
  }
}
