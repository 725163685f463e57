// Asks a bucket for something: each request ends in time, with a sentence where it fails. Used by r2-contents.ts, and for
// archives of sessions.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { inTime } from '../../core/async/in-time.ts';

/** 60 s for one request, of at most 8 MiB mostly: a bucket that is slower than that is down. */
const requestMs = 60_000;

/**
 * What the request gives. `whose` bucket it is, and `what` it is asked to do, are words of the sentence.
 *
 * @throws SdkError `EIO` where it fails, or has no answer in time.
 */
export async function askBucket<Value>(
  { whose, what }: { readonly whose: string; readonly what: string },
  request: Promise<Value>,
): Promise<Value> {
  const tooLate = () => new Error(`it has not answered for ${requestMs / 1_000} s`);
  try {
    return await inTime(request, requestMs, tooLate);
  } catch (cause) {
    // It says already what is wrong with what came.
    if (SdkError.isInstance(cause)) throw cause;
    throw new SdkError(
      'EIO',
      `EIO: ${whose} bucket failed to ${what} (${describeThrown(cause)}). Nothing is lost: try again later.`,
      { cause },
    );
  }
}
