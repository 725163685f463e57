// The errors of the wire's client. Used by connect-session.ts.
import { SdkError, describeThrown } from '../core/errors.ts';

export function createClosedError(url: string): SdkError {
  return new SdkError('bad-usage', `The session at ${url} is closed here. Connect to it again.`, {
    data: { url },
  });
}

export function closedEarly(url: string, method: string): SdkError {
  return new SdkError(
    'worker-lost',
    `The session at ${url} was closed here before it had answered: ${method} may have been done or not. Connect again and look.`,
    { data: { url, method } },
  );
}

export function tooLarge(method: string, bytes: number, maxBytes: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `This ${method} has ${bytes} bytes, and the session's server takes at most ${maxBytes} at once. Send less.`,
    { data: { method, bytes, maxBytes } },
  );
}

export function answersByRole(): SdkError {
  const message =
    'What an answer may hold is asked by the role of the ticket: connect as "answers".';
  return new SdkError('bad-usage', message);
}

/** True for the refusal of an answer to a question that isn't open any more. */
export function isOfNoQuestion(error: unknown, requestId: string): boolean {
  return SdkError.isInstance(error) && error.data['requestId'] === requestId;
}

/** For the person who has answered. */
export function toRefusedAnswer(toolName: string, isGone: boolean, error: unknown): string {
  return isGone
    ? `Your answer about ${toolName} came too late: the question was answered elsewhere, or withdrawn.`
    : `Your answer about ${toolName} was refused, and the question still waits: ${describeThrown(error)}`;
}

export function forksStay(): SdkError {
  return new SdkError(
    'bad-usage',
    'A session elsewhere is not forked: nothing could connect to the fork. Fetch the session with bringBack, fork it here, and move either of them by moveTo.',
  );
}

export function modelStays(): SdkError {
  return new SdkError(
    'bad-usage',
    'The model of a session elsewhere is an object of its server: setModel is called there.',
  );
}
