// Since when text from outside is where the code of cells finds it: in their variables, or in files. A
// cell's worker enforces what follows from it (repl/session/download-taint.ts); this outlives workers, copies in
// the background, and cells that were rolled back.
import type { SessionJournal } from '../../journal/session-journal.ts';

/** The downloads of one session. */
export interface Downloads {
  /** The workspace's number just before the first of it; undefined: there is none. */
  readonly since: number | undefined;
  /** What the workspace's number is now: for {@link Downloads.note}, before files may get it. */
  now(): number;
  /** Text from outside has come in, and nothing of it was there at `seq`. Never taken back. */
  note(seq: number): void;
}

/** Begins with what the journal knows, and is recorded there. */
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
