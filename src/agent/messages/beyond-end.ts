// The error of a reader that begins after the journal's end. Made by open-session.ts; a session's server lets such a
// client begin anew.
import { SdkError } from '../../core/errors.ts';

export function createBeyondEndError(after: number, last: number): SdkError {
  return new SdkError(
    'bad-usage',
    `This session has ${last} entries, so there is nothing after ${after}. Give the number of a message that it has told.`,
    { data: { after, last } },
  );
}

export function isBeyondEnd(error: unknown): boolean {
  if (!SdkError.isInstance(error) || error.code !== 'bad-usage') return false;
  const { after, last } = error.data;
  return typeof after === 'number' && typeof last === 'number';
}
