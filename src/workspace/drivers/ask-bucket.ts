// Sends a request to a bucket, with a timeout and a clear error. Used by r2-contents.ts, and for
// archives of sessions.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { inTime } from '../../core/async/in-time.ts';

/** 60 s for one request of mostly 8 MiB at most. A slower bucket counts as down. */
const requestMs = 60_000;

/**
 * Returns the result of the request. `whose` and `what` describe the bucket and the request in the
 * error message.
 *
 * @throws SdkError `EIO` if the request fails, or has no answer in time.
 */
export async function askBucket<Value>(
  { whose, what }: { readonly whose: string; readonly what: string },
  request: Promise<Value>,
): Promise<Value> {
  const tooLate = () => new Error(`it has not answered for ${requestMs / 1_000} s`);
  try {
    return await inTime(request, requestMs, tooLate);
  } catch (cause) {
    // The error already says what is wrong with the answer.
    if (SdkError.isInstance(cause)) throw cause;
    throw new SdkError(
      'EIO',
      `EIO: ${whose} bucket failed to ${what} (${describeThrown(cause)}). Nothing is lost: try again later.`,
      { cause },
    );
  }
}
