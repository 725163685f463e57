// The error for a reader that starts after the journal's end. Created by open-session.ts. A
// session's server makes such a client start again.
import { SdkError, hasCode } from '../../core/errors.ts';

export function createBeyondEndError(after: number, last: number): SdkError {
  return new SdkError(
    'bad-usage',
    `This session has ${last} entries, so there is nothing after ${after}. Give the number of a message that it has told.`,
    { data: { after, last } },
  );
}

export function isBeyondEnd(error: unknown): boolean {
  if (!hasCode(error, 'bad-usage')) return false;
  const { after, last } = error.data;
  return typeof after === 'number' && typeof last === 'number';
}
