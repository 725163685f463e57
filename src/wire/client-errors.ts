// The errors of the wire's client. Used by connect-session.ts.
import { SdkError } from '../core/errors.ts';

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
