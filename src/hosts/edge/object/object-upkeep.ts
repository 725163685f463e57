// What is done for a session that rests: it is put away, and its large files are looked through. Both by alarms, which
// are set at its rest. Used by create-session-object.ts.
import type { AlarmTable } from './named-alarms.ts';
import type { SessionArchive } from './session-archive.ts';
import type { SessionContents } from './session-contents.ts';

/** What the object is, and whether it is used. */
export interface UpkeepPorts {
  readonly table: AlarmTable;
  readonly archive: SessionArchive | undefined;
  readonly contents: SessionContents | undefined;
  /** True if neither the session nor its files are open. */
  isQuiet(): boolean;
  /** How often it was opened, or its files alone. */
  uses(): number;
  /** Has whoever uses the files alone let go of them. */
  giveWay(): Promise<void>;
}

/** The upkeep of one object. */
export interface ObjectUpkeep {
  /**
   * Called at a rest. Sets the alarms by which the session is put away, and its large files are
   * looked through.
   */
  later(): Promise<void>;
  putAway(): Promise<void>;
  sweepContents(): Promise<void>;
}

/** The alarm at which the session is put away, if nobody has used it until then. */
export const archiveAlarm = 'rockpool.archive';

/** Looks for large files that nothing needs any more. */
export const contentsAlarm = 'rockpool.contents';

/** Sets nothing by itself. */
export function createObjectUpkeep(ports: UpkeepPorts): ObjectUpkeep {
  const { table, archive, contents } = ports;

  async function sweepLater(): Promise<void> {
    const at = contents?.sweepAt();
    if (at !== undefined) await table.set(contentsAlarm, at);
  }

  return {
    async later() {
      if (archive) {
        await table.set(archiveAlarm, Date.now() + (archive.isWanted() ? 0 : archive.after));
      }
      await sweepLater();
    },
    async putAway() {
      // If it is in use, its next rest sets the alarm again. That may be the session's rest, or
      // that of its files alone.
      if (!ports.isQuiet()) return;
      const before = ports.uses();
      await ports.giveWay();
      await archive?.put(() => ports.isQuiet() && ports.uses() === before);
      if (archive?.isPut()) contents?.dropCache();
    },
    async sweepContents() {
      // Where it is in use, its next rest sets the alarm again.
      if (!ports.isQuiet()) return;
      await ports.giveWay();
      // Nothing is awaited between these, so nobody opens the session in between and is fenced.
      if (ports.isQuiet() && (await contents?.sweep())) await sweepLater();
    },
  };
}
