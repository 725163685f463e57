// The errors for a session of an object that can't be opened. Used by create-session-object.ts.
import { SdkError } from '../../../core/errors.ts';

/** The session's instance was lost each time it was woken. */
export function createDeathsError(sessionId: string, deaths: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The session ${sessionId} was lost ${deaths} times in a row before it came any further, of memory maybe: it isn't woken by itself any more. Open it: a person is asked then whether it goes on.`,
    { data: { sessionId, deaths } },
  );
}

/** Another place may still fetch the session. */
export function createLeavingError(sessionId: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${sessionId} is just being fetched to another place. Look for it there, or try again in two minutes: if nobody came for it, it goes on here.`,
    // A follower waits for that as for a lost connection.
    { data: { sessionId, passes: true } },
  );
}

/** The error for using the session while it is being deleted, because that would start it again. */
export function createDeletingError(sessionId: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${sessionId} is being deleted. Begin another one.`,
    { data: { sessionId } },
  );
}

/** True for an error of {@link createDeathsError}. */
export function isGivenUp(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === 'limit-exceeded' && 'deaths' in error.data;
}
