// Brings this tab's own commits to whoever leads: over the channel, or to the writer where that is
// here. The commits themselves are kept by own-commits.ts.
import { isLost, type Leading } from './leading.ts';
import type { OwnCommit } from './own-commits.ts';
import type { TabSession } from './tab-session.ts';

export class CommitSender {
  readonly #tab: TabSession;
  /** The leader of that epoch got all below that number: with hundreds open, most are no news. */
  #sent = { epoch: -1, until: 0 };

  constructor(tab: TabSession) {
    this.#tab = tab;
  }

  /** Sends what the present leader hasn't got from this tab; once more what `isMissing` there. */
  send(isMissing?: (commit: OwnCommit) => boolean): void {
    const { role, leader, own, tick } = this.#tab;
    const { epoch } = leader;
    const leading = role === 'leading' ? this.#tab.leading : undefined;
    if (!leading && (role !== 'following' || leader.id === undefined)) return;
    if (this.#sent.epoch !== epoch) this.#sent = { epoch, until: 0 };
    const from = isMissing ? 0 : this.#sent.until;
    for (const commit of own.sendable(from)) {
      if (commit.sent?.epoch === epoch && !isMissing?.(commit)) continue;
      commit.sent = { epoch, tick };
      this.#sent.until = Math.max(this.#sent.until, commit.number + 1);
      if (leading) void this.#commitHere(leading, commit);
      else this.#post(commit);
    }
  }

  /** Who has an answer must also see what it speaks of. */
  settle(): void {
    this.#tab.own.settle(this.#tab.seq);
    this.send();
  }

  #post({ number, request }: OwnCommit): void {
    const { own, leader } = this.#tab;
    try {
      const { oldest } = own;
      this.#tab.post({ type: 'commit', epoch: leader.epoch, number, oldest, request }, leader.id);
    } catch (error) {
      // What can't be cloned can't be committed.
      own.reject(number, error);
    }
  }

  async #commitHere(leading: Leading, { number, request }: OwnCommit): Promise<void> {
    const { own, ports } = this.#tab;
    try {
      const { seq } = await leading.commit(ports.id, number, request);
      own.answer({ number, seq });
    } catch (error) {
      // It stays open, for the next leader: what this one refuses once it is none says nothing.
      if (isLost(error) || this.#tab.leading !== leading) return;
      own.reject(number, error);
    }
    this.settle();
  }
}
