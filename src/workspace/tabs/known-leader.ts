// What a tab has heard of the tab that leads.
import type { WorkspaceInfo } from '../workspace.ts';

export class KnownLeader {
  /** The highest leadership that was heard of, this tab's own among them. */
  epoch = 0;
  /** Whose it is; undefined where it is this tab's, or over. */
  id: string | undefined;
  /** The last record that it is known to have. */
  seq = -1;
  /** What it, or one before it, has last told of the workspace. */
  info: WorkspaceInfo | undefined;
  isVisible = true;

  /** A new leadership: what the one before had says nothing of it. */
  succeed(epoch: number, id: string | undefined): void {
    this.epoch = epoch;
    this.id = id;
    this.seq = -1;
    this.isVisible = true;
  }

  hasReached(seq: number): void {
    this.seq = Math.max(this.seq, seq);
  }
}
