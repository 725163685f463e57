// Maintenance of a released session: archiving, and deleting large files that nothing needs. Both
// are started by alarms that are set when the session is released. Used by
// create-session-object.ts.
import type { AlarmTable } from './named-alarms.ts';
import type { SessionArchive } from './session-archive.ts';
import type { SessionContents } from './session-contents.ts';

/** The parts of the object, and whether it is used. */
export interface UpkeepPorts {
  readonly table: AlarmTable;
  readonly archive: SessionArchive | undefined;
  readonly contents: SessionContents | undefined;
  /** True if neither the session nor its files are open. */
  isQuiet(): boolean;
  /** How often the session, or only its files, were opened. */
  uses(): number;
  /** Waits until no other code uses the files without the session. */
  giveWay(): Promise<void>;
}

/** The upkeep of one object. */
export interface ObjectUpkeep {
  /**
   * Call it when the session is released. Sets the alarms for archiving and for the search for
   * unneeded large files.
   */
  later(): Promise<void>;
  putAway(): Promise<void>;
  sweepContents(): Promise<void>;
}

/** The alarm that archives the session if it wasn't used until then. */
export const archiveAlarm = 'rockpool.archive';

/** The alarm that deletes large files that nothing needs. */
export const contentsAlarm = 'rockpool.contents';

/** Sets no alarm by itself. */
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
      // If it is in use, its next release sets the alarm again. That may be the session's release,
      // or that of its files alone.
      if (!ports.isQuiet()) return;
      const before = ports.uses();
      await ports.giveWay();
      await archive?.put(() => ports.isQuiet() && ports.uses() === before);
      if (archive?.isPut()) contents?.dropCache();
    },
    async sweepContents() {
      // If it is in use, its next release sets the alarm again.
      if (!ports.isQuiet()) return;
      await ports.giveWay();
      // Nothing is awaited between these, so nobody opens the session in between and is fenced.
      if (ports.isQuiet() && (await contents?.sweep())) await sweepLater();
    },
  };
}
