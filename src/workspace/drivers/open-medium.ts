// Chooses a browser's storage driver by trying it: an API that exists may still fail (WebKitGTK has
// OPFS handles and refuses to open one). The FS worker calls it.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { SdkError } from '../../core/errors.ts';
import type { LogMedium } from '../log/log-medium.ts';
import { hasIdbLog, openIdbLog } from './idb-log.ts';
import { openOpfsFiles, openOpfsLog } from './opfs-log.ts';

/** The drivers that keep a workspace in a browser's storage. */
export type BrowserDriver = 'opfs-log' | 'idb-log';

/** Which driver, and what to do about another owner. Left out: the best that the browser has. */
export interface OpenMediumOptions {
  /** This one, and no other is tried. */
  readonly driver?: BrowserDriver;
  /** How long to wait for another owner. @defaultValue 4 s */
  readonly patienceMs?: number;
  /** Takes the workspace from an owner that doesn't answer any more. @defaultValue false */
  readonly takeOver?: boolean;
}

/**
 * Opens, or makes, a workspace on `opfs-log` where synchronous handles really work, else on
 * `idb-log`; the medium's `driver` says on which. A workspace that `idb-log` has from a time when
 * handles didn't work stays there: an update of the browser must not make it look empty. The other
 * way there is no such care: a realm without handles doesn't see what `opfs-log` keeps.
 *
 * Rejects with `unsupported-environment` and both reasons where neither works. Everything else that a
 * driver rejects with (`EBUSY`, `ENOSPC`, `EIO`) is final: another driver would open another workspace.
 */
export async function openMedium(name: string, given: OpenMediumOptions = {}): Promise<LogMedium> {
  checkOptionNames('openMedium', given, knownOptions);
  const { driver, ...options } = given;
  if (driver === 'idb-log') return openIdbLog(name, options);
  if (driver === 'opfs-log') return openOpfsLog(name, options);
  const opfs = await orReason(openOpfsFiles(name, options));
  if (SdkError.isInstance(opfs)) {
    const idb = await orReason(openIdbLog(name, options));
    if (SdkError.isInstance(idb)) throw neitherWorks(opfs, idb);
    return idb;
  }
  if (!opfs.isNew || !(await isInIdb(name, opfs.medium))) return opfs.medium;
  await opfs.medium.close();
  return openIdbLog(name, options);
}

/** True for a workspace that was never kept on the medium, but is in IndexedDB. */
async function isInIdb(name: string, medium: LogMedium): Promise<boolean> {
  try {
    return (await orReason(hasIdbLog(name))) === true;
  } catch (error) {
    await medium.close();
    throw error;
  }
}

/**
 * The attempt's value, or the reason why this environment can't do it. Every other failure rejects.
 */
async function orReason<Value>(attempt: Promise<Value>): Promise<Value | SdkError> {
  try {
    return await attempt;
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'unsupported-environment') return error;
    throw error;
  }
}

function neitherWorks(opfs: SdkError, idb: SdkError): SdkError {
  return new SdkError('unsupported-environment', `${opfs.message} ${idb.message}`, {
    data: { reasons: { 'opfs-log': opfs.message, 'idb-log': idb.message } },
    cause: opfs,
  });
}

const knownOptions = {
  driver: true,
  patienceMs: true,
  takeOver: true,
} satisfies Record<keyof OpenMediumOptions, true>;
