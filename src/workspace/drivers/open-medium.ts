// Chooses a browser's storage driver by trying it, because an API that exists may still fail. For
// example, WebKitGTK has OPFS handles but refuses to open one. Called by the FS worker.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import type { LogMedium } from '../log/log-medium.ts';
import { hasIdbLog, openIdbLog } from './idb-log.ts';
import { openOpfsFiles, openOpfsLog } from './opfs-log.ts';

/** The drivers that keep a workspace in a browser's storage. */
export type BrowserDriver = 'opfs-log' | 'idb-log';

/**
 * The driver, and how to handle another owner. Left out: the best driver that the browser supports.
 */
export interface OpenMediumOptions {
  /** Only this driver is tried. */
  readonly driver?: BrowserDriver;
  /** How long to wait for another owner. @defaultValue 4 s */
  readonly patienceMs?: number;
  /** Takes over the workspace from an owner that doesn't answer. @defaultValue false */
  readonly takeOver?: boolean;
}

/**
 * Opens or creates a workspace on `opfs-log` if synchronous handles work, otherwise on `idb-log`.
 * The medium's `driver` tells which. A workspace that is already on `idb-log` stays there, so that
 * a browser update doesn't make it look empty. The reverse isn't handled: a realm without handles
 * doesn't see what is on `opfs-log`.
 * Rejects with `unsupported-environment` and both reasons if neither works. All other errors
 * (`EBUSY`, `ENOSPC`, `EIO`) are final, because another driver would open another workspace.
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

/** True if the workspace was never on the medium but is in IndexedDB. */
async function isInIdb(name: string, medium: LogMedium): Promise<boolean> {
  try {
    return (await orReason(hasIdbLog(name))) === true;
  } catch (error) {
    await medium.close();
    throw error;
  }
}

/**
 * Returns the attempt's value, or the error if this environment can't do it. Rejects on any other
 * failure.
 */
async function orReason<Value>(attempt: Promise<Value>): Promise<Value | SdkError> {
  try {
    return await attempt;
  } catch (error) {
    if (hasCode(error, 'unsupported-environment')) return error;
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
