// Records since when text from outside may be in the variables or files of cells. A cell's worker
// enforces the consequences (repl/session/download-taint.ts). This record survives workers,
// background copies, and cells that were rolled back.
import type { SessionJournal } from '../../journal/session-journal.ts';

/** The downloads of one session. */
export interface Downloads {
  /** The workspace's sequence number just before the first download. Undefined: there was none. */
  readonly since: number | undefined;
  /**
   * The workspace's present sequence number, for {@link Downloads.note}. Read it before the text
   * may be in files.
   */
  now(): number;
  /**
   * Records a download. `seq`: a sequence number at which its text wasn't in the files. Never
   * reverted.
   */
  note(seq: number): void;
}

/** Begins with the journal's downloads, and records new ones there. */
export function createDownloads(
  workspace: { seq(): number },
  { fold, note }: Pick<SessionJournal, 'fold' | 'note'>,
): Downloads {
  const known = fold.permissions.flatMap(({ downloadedAt }) => downloadedAt ?? []);
  let since = known.length > 0 ? Math.min(...known) : undefined;
  return {
    get since() {
      return since;
    },
    now: () => workspace.seq(),
    note(seq) {
      if (since !== undefined && since <= seq) return;
      since = seq;
      note({ type: 'permissions', updates: [], downloadedAt: seq });
    },
  };
}
