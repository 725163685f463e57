// Creates Node's file system errors as SdkErrors: the code, the path and call as data, and a
// message. Every refusal of a file operation is created here.
import { SdkError } from '../../core/errors.ts';
import type { FsErrorCode } from '../../core/errors.ts';

const sentences: Record<FsErrorCode, string> = {
  EACCES: 'permission denied',
  EBADF: 'the file is closed',
  EBUSY: 'it is in use elsewhere',
  ECONFLICT: 'it has changed since it was read; read it again',
  EEXIST: 'it exists already',
  EFBIG: 'the file would be too large',
  EFENCED: 'another tab has taken over this workspace; reload the page',
  EINVAL: 'invalid argument',
  EIO: 'the medium failed',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name or path is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'the directory is not empty',
  EPERM: 'the operation is not permitted',
  EROFS: 'it can only be read here',
  ERR_INVALID_ARG_TYPE: 'an argument is of the wrong type',
  ERR_INVALID_ARG_VALUE: 'an argument has no valid value',
  ERR_OUT_OF_RANGE: 'a number is out of range',
};

export interface FsErrorOptions {
  /** Node's name of the call: `open`, `stat`, `unlink`, … */
  readonly syscall: string;
  readonly path: string;
  /** Replaces the default message of the code. */
  readonly message?: string;
  /** The second path of a rename, copy or link. */
  readonly dest?: string;
}

/**
 * Returns for example `ENOENT: no such file or directory, open '/a'`, with `data` = `{ syscall,
 * path, dest? }`.
 */
export function createFsError(code: FsErrorCode, options: FsErrorOptions): SdkError {
  const { syscall, path, dest, message = sentences[code] } = options;
  const target = dest === undefined ? '' : ` -> '${dest}'`;
  return new SdkError(code, `${code}: ${message}, ${syscall} '${path}'${target}`, {
    data: { syscall, path, ...(dest !== undefined && { dest }) },
  });
}
