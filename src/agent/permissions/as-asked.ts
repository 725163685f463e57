// Limits an answer on behalf of a session's owner, such as that of a client with the role `answers`. It may allow or
// deny the call, and nothing else.
import { SdkError } from '../../core/errors.ts';
import type { PermissionResult } from '../../core/permissions/permission.ts';
import { isSameData } from '../../core/values/same-data.ts';

/** The input fields in which an answer gives a person's choices. The names are the Claude Agent SDK's. */
const chosen: readonly string[] = ['answers', 'annotations'];

/**
 * Security: the answer must not change permissions. It must not change the call's input either, but it may add the
 * fields above. `input` is the call's input, or undefined if there is no such question.
 *
 * @throws SdkError `permission-denied` if the answer changes more than that
 */
export function checkAsAsked(
  result: PermissionResult,
  input: Record<string, unknown> | undefined,
): void {
  if (result.behavior !== 'allow') return;
  const { updatedPermissions = [], updatedInput } = result;
  if (updatedPermissions.length > 0) throw notTheirs('set rules (updatedPermissions)');
  if (!updatedInput) return;
  const asked = Object.fromEntries(
    Object.entries(updatedInput).filter(
      ([name]) => !chosen.includes(name) || (input && name in input),
    ),
  );
  if (!isSameData(asked, input)) throw notTheirs('change the input (updatedInput)');
}

function notTheirs(what: string): SdkError {
  return new SdkError(
    'permission-denied',
    `An answer on behalf of the session's owner may only allow or deny the call. It may not ${what}.`,
  );
}
