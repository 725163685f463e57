// The follower's side. `Following` has the leader's snapshot, later records, and their contents.
// `FollowerInbox` handles the leader's messages. `Asking` requests missing data, and leadership
// from a hidden leader. `Patience` limits how long a leader may be silent before its lock is
// stolen.
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

// 1 000: how many records may arrive before their predecessor. Others are requested again.
const maxWaiting = 1000;
// 64 MB: contents of records are kept until the next snapshot, whether they are needed or not.
const defaultMaxRecordBytes = 67_108_864;

/** One applied record, and the state after it. */
export interface FollowedStep {
  readonly state: WorkspaceState;
  /** Undefined if the record only changed a stream. */
  readonly fed: FedRecord | undefined;
  readonly message: TabRecord;
}

export class Following {
  readonly #maxRecordBytes: number;
  /** Undefined until a snapshot has arrived. */
  #contents: PackedContents | undefined;
  /** Records that arrived too early, by revision. */
  readonly #waiting = new Map<number, TabRecord>();
  /** The bytes that records have brought since the snapshot. */
  #recordBytes = 0;

  constructor(maxRecordBytes: number = defaultMaxRecordBytes) {
    this.#maxRecordBytes = maxRecordBytes;
  }

  /** True if files can be read and records applied. */
  get isReady(): boolean {
    return this.#contents !== undefined;
  }

  /** True if a record has arrived without its predecessor. */
  get hasGap(): boolean {
    return this.#waiting.size > 0;
  }

  /** True if records have brought so much that a new snapshot should replace it. */
  get isFull(): boolean {
    return this.#recordBytes > this.#maxRecordBytes;
  }

  /** Returns the state and contents of a snapshot. @throws TypeError if it is damaged */
  start(snapshot: FeedSnapshot): { state: WorkspaceState; contents: PackedContents } {
    const started = { state: fromPlainState(snapshot.state), contents: toContents(snapshot) };
    this.#contents = started.contents;
    this.#recordBytes = 0;
    return started;
  }

  /**
   * Returns the contents of the current state from a snapshot that isn't newer, and from the later
   * records `since`. Overwritten contents are dropped, but readers of the old ones can continue.
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

  /** Keeps records until their turn: {@link next}. */
  take(records: readonly TabRecord[], state: WorkspaceState | undefined): void {
    for (const message of records) {
      const { revision } = message;
      if (revision > (state?.revision ?? -1) && this.#waiting.size < maxWaiting) {
        this.#waiting.set(revision, message);
      }
    }
  }

  /**
   * Returns the next step from that state if its record has arrived. A damaged record throws and is
   * dropped.
   */
  next(state: WorkspaceState): FollowedStep | undefined {
    const message = this.#waiting.get(state.revision + 1);
    if (!message || !this.#contents) return undefined;
    this.#waiting.delete(state.revision + 1);
    const step = toStep(state, message);
    addSegments(this.#contents, message);
    this.#recordBytes += bytesOf(message);
    return step;
  }

  /** Drops waiting records up to that revision. */
  dropUntil(revision: number): void {
    for (const waiting of this.#waiting.keys()) {
      if (waiting <= revision) this.#waiting.delete(waiting);
    }
  }

  /** Drops everything, because another state will arrive. */
  reset(): void {
    this.#contents = undefined;
    this.#recordBytes = 0;
    this.#waiting.clear();
  }
}

/** Throws for a damaged record. */
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

/** Messages that belong to an epoch. */
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

  /** Returns false for a late message of a former leader. */
  #heed({ from, to, epoch }: TabMessage & EpochMessage): boolean {
    const { leader, leading, patience } = this.#tab;
    if (epoch < leader.epoch || (epoch === leader.epoch && leading)) return false;
    patience.heard();
    if (epoch === leader.epoch && from === leader.id) return true;
    // Another tab owns the medium, because this one was frozen or too busy.
    if (leading) this.#leadership.lose();
    leader.succeed(epoch, from);
    // A message addressed to this tab already answers its hello.
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
    // Sent before the hello that this message answers, but not received: lost.
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
    // Records arrived before the snapshot, or contents have moved: only the snapshot's contents are
    // used. Only a new leader may set the state back.
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
    // Current readers hold the contents themselves. A reference here would keep them until this tab
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

  /** `steal` takes leadership from a leader that doesn't answer. */
  constructor(tab: TabSession, steal: () => void) {
    this.#tab = tab;
    this.#steal = steal;
  }

  sayHello(): void {
    const { following, revision, own, leader } = this.#tab;
    // Missing records have priority. A snapshot that only frees memory can wait.
    const isRenewing = following.isFull && !this.#isBehind();
    const has = following.isReady && !isRenewing ? revision : -1;
    this.#tab.post({ type: 'hello', revision: has, oldest: own.oldest }, leader.id);
  }

  claim(): void {
    const { role, leader } = this.#tab;
    if (role !== 'following' || !this.#wantsLead()) return;
    this.#tab.post({ type: 'claim', epoch: leader.epoch }, leader.id);
  }

  /** Runs only while this tab has something to send or to receive. */
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

/** 500 ms between retries: a lost message costs half a second. */
export const tickMs = 500;
// 3 s of silence after six requests: a busy leader answers sooner. In Chromium a terminated busy
// worker exists for 2 s more, and its lock is then free without stealing.
const patienceTicks = 6;
// 15 s for a tab that opens or closes a large log.
const changingTicks = 30;

/**
 * Counts ticks instead of time, because a tab that was frozen itself has received nothing either.
 */
export class Patience {
  #silentTicks = 0;
  #limit = patienceTicks;

  /** Called for a message of the leader, and when a new leader's term starts. */
  heard(): void {
    this.#silentTicks = 0;
    this.#limit = patienceTicks;
  }

  /** Called for a message of a tab that opens or closes the medium. */
  heardOfChange(): void {
    this.#silentTicks = 0;
    this.#limit = changingTicks;
  }

  /** Counts a tick. Returns true if the leader has been silent for too long. */
  isOver(): boolean {
    this.#silentTicks += 1;
    return this.#silentTicks > this.#limit;
  }
}
