// Remembers since when text from outside may be where the code of cells finds it: in their
// variables, or in files. A cell's worker enforces the consequences
// (repl/session/download-taint.ts). This record outlives workers, copies in the background, and
// cells that were rolled back.
import type { SessionJournal } from '../../journal/session-journal.ts';

/** The downloads of one session. */
export interface Downloads {
  /** The workspace's number just before the first download. Undefined: there is none. */
  readonly since: number | undefined;
  /**
   * The workspace's present number, for {@link Downloads.note}. Read it before files may get the
   * text.
   */
  now(): number;
  /**
   * Notes that text from outside has come in, none of which was there at `seq`. Never taken back.
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
