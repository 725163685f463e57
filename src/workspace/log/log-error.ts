// Turns errors of a medium into the SdkErrors that commits reject with. The log's own refusals are
// here too.
import { SdkError } from '../../core/errors.ts';

/** Drivers throw SdkErrors; what else comes up is a medium that fails, or is full. */
export function toMediumError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  if (error instanceof Error && error.name === 'QuotaExceededError') {
    return createNoSpaceError(error);
  }
  return new SdkError('EIO', `EIO: the medium failed; nothing was changed. ${String(error)}`, {
    cause: error,
  });
}

/** The sentence is the same wherever a medium is full. */
export function createNoSpaceError(cause?: unknown): SdkError {
  return new SdkError(
    'ENOSPC',
    'ENOSPC: no space left: nothing was written. Free storage on this device, or delete what ' +
      'other workspaces of this site hold, and try again.',
    { cause },
  );
}

/** A person has removed all that the site keeps while the workspace was open. What it holds can still be read. */
export function createClearedError(cause: unknown): SdkError {
  return new SdkError(
    'EIO',
    "EIO: this site's data was cleared while the workspace was open: nothing more is kept. " +
      'Save elsewhere what you still need, and reload the page.',
    { data: { isCleared: true }, cause },
  );
}

/** Is it what {@link createClearedError} made? */
export function isClearedError({ data }: SdkError): boolean {
  return data['isCleared'] === true;
}

/** After a failure that leaves unknown what the log's end holds. */
export function createBrokenLogError(cause: unknown): SdkError {
  return new SdkError(
    'EIO',
    'EIO: the medium failed, and again while the failed write was undone: nothing more is written. ' +
      'Reload to open the workspace again; everything that was acknowledged is kept.',
    { cause },
  );
}

/**
 * For a record that is whole but unknown to this version. It isn't damage, so nothing may be
 * dropped for it.
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
