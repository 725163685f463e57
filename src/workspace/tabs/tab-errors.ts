// The errors of a shared workspace, in addition to the writer's.
import { SdkError } from '../../core/errors.ts';

export function createClosedError(): SdkError {
  return new SdkError('EBADF', 'The workspace is closed. Open it again to change it.');
}

/** For a tab that can't join: there is a leader, and it sends nothing that can be read. */
export function createUnsharedError(): SdkError {
  return new SdkError(
    'EBUSY',
    'Another tab has the workspace open and does not share it: it may run another version of this ' +
      'page. Reload or close it.',
  );
}

/** For a commit that was sent, when the tab is closed before the answer is there. */
export function createUnansweredError(): SdkError {
  return new SdkError(
    'worker-lost',
    'The workspace was closed before another tab had answered: the change may have been kept or ' +
      'not. Open it again and check.',
  );
}
