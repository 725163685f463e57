// Errors that all drivers share, with the same messages.
import { SdkError } from '../../core/errors.ts';

/** For a writer that still runs after another owner has taken over the medium. */
export function createFencedError(cause?: unknown): SdkError {
  return new SdkError(
    'EFENCED',
    'EFENCED: another tab or worker has taken over this workspace; reload the page.',
    { cause },
  );
}

/** For a use of a medium after it was closed. */
export function createClosedError(): SdkError {
  return new SdkError('EIO', 'EIO: the workspace was closed; open it again.');
}

/** For a medium that was opened without space for its owner's marker. */
export function createReadOnlyError(): SdkError {
  return new SdkError(
    'ENOSPC',
    'ENOSPC: no space left when the workspace was opened: it can only be read. Free storage on this ' +
      'device, or delete what other workspaces of this site hold, and reload the page.',
  );
}

/** For any other failure of the medium. */
export function createMediumError(cause: unknown): SdkError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new SdkError('EIO', `EIO: the medium failed (${reason}).`, { cause });
}

export function createMissingFileError(name: string): SdkError {
  return new SdkError('ENOENT', `ENOENT: the log has no file "${name}".`, { data: { name } });
}

/** @throws SdkError `EIO` for a range behind the file's end */
export function requireInside(name: string, end: number, offset: number, length: number): void {
  const isRange = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (isRange && offset >= 0 && length >= 0 && offset + length <= end) return;
  throw new SdkError('EIO', `EIO: "${name}" ends at ${end}; ${offset}+${length} was asked for.`, {
    data: { name, end, offset, length },
  });
}

/** @throws SdkError `invalid-input` for a name that the port doesn't accept */
export function requireFileName(name: string): void {
  if (/^[a-z0-9-]{1,100}$/.test(name)) return;
  throw new SdkError('invalid-input', 'A file of the log has a name of a-z, 0-9 and "-".', {
    data: { name },
  });
}

/** @throws SdkError `invalid-input` for a name that can't be a workspace's on every driver */
export function requireWorkspaceName(name: string): void {
  const isName = typeof name === 'string' && name !== '' && name.length <= 80;
  if (isName && name !== '.' && name !== '..' && !/\p{Surrogate}/u.test(name)) return;
  throw new SdkError('invalid-input', 'A workspace name is a text of 1 to 80 characters.', {
    data: { name },
  });
}

/** For a workspace that another owner has open. */
export function createBusyError(name: string, cause?: unknown): SdkError {
  return new SdkError(
    'EBUSY',
    `The workspace "${name}" is open in another tab. Close that tab, or open another workspace.`,
    { data: { name }, cause },
  );
}

/** For a browser or window that can't store a workspace at all. */
export function createMissingApiError(api: string, cause?: unknown): SdkError {
  const reason = cause instanceof Error ? ` (${cause.name}: ${cause.message})` : '';
  return new SdkError(
    'unsupported-environment',
    `This browser or window can't keep a workspace on disk: ${api} is missing or refused${reason}. ` +
      'Use a current browser, outside private mode, over https or localhost, and let this site keep data.',
    { data: { api }, cause },
  );
}

/**
 * Explains why a Web Lock was refused. If a person has blocked a site's data, the browser refuses
 * locks as well.
 */
export function toLockError(error: unknown): unknown {
  const isRefused = error instanceof Error && error.name === 'SecurityError';
  return isRefused ? createMissingApiError('navigator.locks (Web Locks)', error) : error;
}

/** For handles that exist but don't work. */
export function createMissingHandlesError(cause: unknown): SdkError {
  return createMissingApiError('FileSystemFileHandle.createSyncAccessHandle', cause);
}
