// Limits the answer of a program that answers for a person. The answer may allow or deny the call,
// and nothing else.
import { SdkError } from '../../core/errors.ts';
import type { PermissionResult } from '../../core/permissions/permission.ts';
import { isSameData } from '../../core/values/same-data.ts';

/**
 * The answer's input fields that a tool which asks a person accepts. The names are the Claude Agent
 * SDK's.
 */
const chosen: readonly string[] = ['answers', 'annotations'];

/**
 * Security: the answer must not change permissions, nor the call's input except for the fields
 * above. `input` is the call's input, or undefined if there is no such question.
 *
 * @throws SdkError `permission-denied` if the answer does more than that
 */
export function checkAsAsked(
  result: PermissionResult,
  input: Record<string, unknown> | undefined,
): void {
  if (result.behavior !== 'allow') return;
  const { updatedPermissions = [], updatedInput } = result;
  if (updatedPermissions.length > 0) throw notTheirs('holds no rules (updatedPermissions)');
  if (!updatedInput) return;
  const asked = Object.fromEntries(
    Object.entries(updatedInput).filter(
      ([name]) => !chosen.includes(name) || (input && name in input),
    ),
  );
  if (!isSameData(asked, input)) throw notTheirs('leaves the input as it is (updatedInput)');
}

function notTheirs(what: string): SdkError {
  return new SdkError(
    'permission-denied',
    `Who answers for another one answers what was asked: an answer of theirs ${what}.`,
  );
}
