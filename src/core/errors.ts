// The one error type that crosses threads, bundles and the public API. Everything Rockpool throws
// on purpose is an SdkError: a code for programs, data, and a sentence that says what to do.
import { isRecord } from './values/is-record.ts';

/**
 * Node's file-system codes, its three codes for invalid arguments, and two of ours. `ECONFLICT`: a version is stale.
 * `EFENCED`: the writer is no longer the leader; or, with `stream` in the data, a stream has another length than its
 * writer expected.
 */
export type FsErrorCode =
  | 'EACCES'
  | 'EBADF'
  | 'EBUSY'
  | 'ECONFLICT'
  | 'EEXIST'
  | 'EFBIG'
  | 'EFENCED'
  | 'EINVAL'
  | 'EIO'
  | 'EISDIR'
  | 'ELOOP'
  | 'ENAMETOOLONG'
  | 'ENOENT'
  | 'ENOSPC'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'EPERM'
  | 'EROFS'
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_OUT_OF_RANGE';

/** Failures between us and the model's server. */
export type ModelErrorCode =
  | 'model-authentication'
  | 'model-bad-request'
  | 'model-context-window'
  | 'model-max-tokens'
  | 'model-network'
  | 'model-overloaded'
  | 'model-protocol'
  | 'model-rate-limited'
  | 'model-server'
  | 'model-stream-cut';

/** All codes, as literals, so that TypeScript checks a caller's `switch`. A code's meaning never changes. */
export type ErrorCode =
  | FsErrorCode
  | ModelErrorCode
  | 'aborted'
  | 'bad-usage'
  | 'internal'
  | 'invalid-input'
  | 'limit-exceeded'
  | 'mcp-failed'
  | 'out-of-memory'
  | 'permission-denied'
  | 'tool-failed'
  | 'unknown-tool'
  | 'unsupported-environment'
  | 'worker-lost';

const brand = Symbol.for('rockpool.SdkError');

/** The optional parts of an {@link SdkError}. */
export interface SdkErrorOptions {
  /** Structured-cloneable facts for programs: paths, versions, limits. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The underlying error. It stays in its realm: {@link toSerializedError} leaves it out. */
  readonly cause?: unknown;
}

/**
 * An error with a code, data and a sentence for a person.
 *
 * Use {@link SdkError.isInstance} rather than `instanceof`: two bundles of this package in one
 * page have two classes, but share the brand.
 */
export class SdkError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SdkErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SdkError';
    this.code = code;
    this.data = options.data ?? {};
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises an SdkError by its brand, also from another bundle. `name` tells the subclass. */
  static isInstance(value: unknown): value is SdkError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** True for an {@link SdkError} with one of these codes. */
export function hasCode(value: unknown, ...codes: readonly ErrorCode[]): value is SdkError {
  return SdkError.isInstance(value) && codes.includes(value.code);
}

/** For what a caller did wrong. @throws SdkError `bad-usage` */
export function refuseUse(message: string, data: SdkError['data']): never {
  throw new SdkError('bad-usage', message, { data });
}

/**
 * A tool throws this to fail its call: the model gets the message as the `tool_result`. After any other error the
 * result says that the call failed unexpectedly.
 */
export class ToolError extends SdkError {
  constructor(message: string, options: SdkErrorOptions & { readonly code?: ErrorCode } = {}) {
    super(options.code ?? 'tool-failed', message, options);
    this.name = 'ToolError';
  }
}

/** An error as plain data, for `postMessage` and journals. Inverse: {@link fromSerializedError}. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly stack?: string;
}

/** Any thrown value in words. Never throws, unlike `String` for an object without a prototype. */
export function describeThrown(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something was thrown that has no text';
  }
}

/** The message of an error; any other thrown value in words. Never throws. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : describeThrown(error);
}

/** Any thrown value as plain data. Inverse: {@link fromSerializedError}. A foreign error gets the code `internal`. */
export function toSerializedError(error: unknown): SerializedError {
  const isError = error instanceof Error || SdkError.isInstance(error);
  return {
    name: isError ? error.name : 'Error',
    message: isError ? error.message : describeThrown(error),
    code: SdkError.isInstance(error) ? error.code : 'internal',
    data: SdkError.isInstance(error) ? error.data : {},
    ...(isError && error.stack !== undefined && { stack: error.stack }),
  };
}

/** True if the value is a serialised error, with any code. Security: for values from outside. */
export function isSerializedError(value: unknown): value is SerializedError {
  if (!isRecord(value) || !isRecord(value['data'])) return false;
  const { name, message, code } = value;
  return [name, message, code].every((field) => typeof field === 'string');
}

/** The inverse of {@link toSerializedError}. The stack stays the sender's. */
export function fromSerializedError(serialized: SerializedError): SdkError {
  const error =
    serialized.name === 'ToolError'
      ? new ToolError(serialized.message, { code: serialized.code, data: serialized.data })
      : new SdkError(serialized.code, serialized.message, { data: serialized.data });
  if (serialized.stack !== undefined) error.stack = serialized.stack;
  return error;
}
