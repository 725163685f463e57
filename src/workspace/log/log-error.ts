// Converts errors of a medium to the SdkErrors with which commits reject, and creates the log's own
// errors.
import { SdkError } from '../../core/errors.ts';

/** Drivers throw SdkErrors. Any other error means that the medium fails or is full. */
export function toMediumError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  if (error instanceof Error && error.name === 'QuotaExceededError') {
    return createNoSpaceError(error);
  }
  return new SdkError('EIO', `EIO: the medium failed; nothing was changed. ${String(error)}`, {
    cause: error,
  });
}

export function createClosedError(): SdkError {
  return new SdkError('EBADF', 'The workspace is closed. Open it again to change it.');
}

/** The message is the same for every full medium. */
export function createNoSpaceError(cause?: unknown): SdkError {
  return new SdkError(
    'ENOSPC',
    'ENOSPC: no space left: nothing was written. Free storage on this device, or delete what ' +
      'other workspaces of this site hold, and try again.',
    { cause },
  );
}

/**
 * For a site whose data a person has cleared while the workspace was open. What is in memory can
 * still be read.
 */
export function createClearedError(cause: unknown): SdkError {
  return new SdkError(
    'EIO',
    "EIO: this site's data was cleared while the workspace was open: nothing more is kept. " +
      'Save elsewhere what you still need, and reload the page.',
    { data: { isCleared: true }, cause },
  );
}

/** True for an error of {@link createClearedError}. */
export function isClearedError({ data }: SdkError): boolean {
  return data['isCleared'] === true;
}

/** For a failure after which the content of the log's end is unknown. */
export function createBrokenLogError(cause: unknown): SdkError {
  return new SdkError(
    'EIO',
    'EIO: the medium failed, and again while the failed write was undone: nothing more is written. ' +
      'Reload to open the workspace again; everything that was acknowledged is kept.',
    { cause },
  );
}

/**
 * For a complete record that this version doesn't know. It isn't damage, so it must not be dropped.
 */
export function createUnknownRecordError(
  place: { readonly file: string; readonly offset: number },
  cause: unknown,
): SdkError {
  return new SdkError(
    'EIO',
    `EIO: the workspace's log holds something unharmed at ${place.offset} of "${place.file}" that ` +
      'this version of Rockpool does not understand; the log was left untouched. Open it with the ' +
      'version that wrote it, or open another workspace name.',
    { data: place, cause },
  );
}
