// Limits the answer of a program that answers in a person's place: it says yes or no to what was
// asked, and nothing besides.
import { SdkError } from '../../core/errors.ts';
import type { PermissionResult } from '../../core/permissions/permission.ts';
import { isSameData } from '../../core/values/same-data.ts';

/**
 * The fields that a tool which asks a person takes of the answer, by the Claude Agent SDK's names.
 */
const chosen: readonly string[] = ['answers', 'annotations'];

/**
 * Security: such an answer decides nothing for the next question, and lets no other call run than the one that was asked
 * about. `input` is that call's, and undefined where there is no such question.
 *
 * @throws SdkError `permission-denied`
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
