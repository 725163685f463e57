// What a tab makes of the leader's messages: its state, its contents, and what became of its commits.
import type { PackedContents } from '../packed-contents.ts';
import type { WorkspaceState } from '../state.ts';
import type { Asking } from './asking.ts';
import type { CommitSender } from './commit-sender.ts';
import { EraContents } from './era-contents.ts';
import type { Leadership } from './leadership.ts';
import type { LeaderMessage, TabMessage } from './tab-message.ts';
import type { TabSession } from './tab-session.ts';

/** Those that speak of a leadership. */
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

  /** Throws for a message that is damaged: what it should have brought is asked for again. */
  receive(message: TabMessage & EpochMessage): void {
    if (this.#heed(message)) this.#take(message);
  }

  /** False for a former leader's late words. */
  #heed({ from, to, epoch }: TabMessage & EpochMessage): boolean {
    const { leader, leading, patience } = this.#tab;
    if (epoch < leader.epoch || (epoch === leader.epoch && leading)) return false;
    patience.heard();
    if (epoch === leader.epoch && from === leader.id) return true;
    // Somebody else has the medium: this tab was frozen, or too busy.
    if (leading) this.#leadership.lose();
    leader.succeed(epoch, from);
    // What was sent to this tab alone is an answer to its hello already.
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
          leader.hasReached(answer.seq);
        }
        this.#commits.settle();
        return;
      case 'resigned':
        leader.id = undefined;
        if (message.heir === ports.id && this.#tab.role === 'following') this.#leadership.steal();
    }
  }

  #takeAnnouncement({ info, isVisible, next }: EpochMessage & { readonly type: 'leading' }): void {
    const tab = this.#tab;
    tab.leader.info = info;
    tab.leader.isVisible = isVisible;
    tab.leader.hasReached(info.seq);
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
    for (const { record } of records) leader.hasReached(record.seq);
    this.#applyRecords();
    const isNew = (following.hasGap && !before.hadGap) || (following.isFull && !before.wasFull);
    if (isNew) this.#asking.sayHello();
  }

  #takeSnapshot({ snapshot }: EpochMessage & { readonly type: 'snapshot' }): void {
    const tab = this.#tab;
    const { following, leader, recent, shared } = tab;
    const { seq } = snapshot.state;
    // Records were quicker, or the contents have moved: its contents take the place of those that
    // are here. Going back is only a new leader's to ask for.
    if (following.isReady && seq <= tab.seq && leader.seq >= tab.seq) {
      const since = recent.since(seq);
      if (shared.state && since) this.#show(shared.state, following.renew(snapshot, since));
      return;
    }
    const { state, contents } = following.start(snapshot);
    recent.reset(seq);
    leader.hasReached(seq);
    following.dropUntil(seq);
    this.#show(state, contents);
    this.#applyRecords();
    this.#commits.settle();
    this.#joinIfReady();
  }

  #show(state: WorkspaceState, contents: PackedContents): void {
    const tab = this.#tab;
    tab.era.succeed(contents);
    // Who reads by it has it. Kept here too, it would hold these contents until this tab leads.
    tab.era = new EraContents();
    tab.shared.replace(state, contents);
  }

  #applyRecords(): void {
    const tab = this.#tab;
    if (tab.leading) return;
    const { state } = tab.shared;
    for (let step = state && tab.following.next(state); step;) {
      tab.recent.push(step.message);
      tab.advance(step.state, step.fed);
      this.#commits.settle();
      step = tab.following.next(step.state);
    }
  }

  #joinIfReady(): void {
    const { leader, following, joined } = this.#tab;
    if (leader.info && following.isReady) joined.resolve();
  }
}
