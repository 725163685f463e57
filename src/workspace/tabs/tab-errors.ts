// The errors of a shared workspace, in addition to the writer's.
import { SdkError } from '../../core/errors.ts';
import { toMediumError } from '../log/log-error.ts';

/** For a tab that can't join: there is a leader, but it sends nothing that can be read. */
export function createUnsharedError(): SdkError {
  return new SdkError(
    'EBUSY',
    'Another tab has the workspace open and does not share it: it may run another version of this ' +
      'page. Reload or close it.',
  );
}

/** For a commit that was sent but not answered before the tab is closed. */
export function createUnansweredError(): SdkError {
  return new SdkError(
    'worker-lost',
    'The workspace was closed before another tab had answered: the change may have been kept or ' +
      'not. Open it again and check.',
  );
}

/** For requests that wait while no tab can open the medium again. */
export function createUnopenedError(cause: unknown): SdkError {
  const { code, message } = SdkError.isInstance(cause) ? cause : toMediumError(cause);
  return new SdkError(
    code,
    `The workspace's files can't be opened again. ${message} A change that was under way may have been kept or ` +
      'not: reload the page and check.',
    { cause },
  );
}
