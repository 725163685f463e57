// The notes that an agent keeps for later sessions, as permissions see them: the one place below `.claude` that it may
// edit without a question.
import type { PathAccessRule } from '../../core/access/path-access.ts';
import { isProtectedPath } from '../../core/access/protected-paths.ts';
import { isInside } from '../../core/path.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';

type WithNotes = Pick<ToolPermissionContext, 'notes'>;

/** Undefined: the path isn't in notes of the agent's own, or they are the user's, which always ask. */
function findOwnNotes(path: string, { notes }: WithNotes): string | undefined {
  const isOwn = notes !== undefined && !notes.asks && isInside(notes.directory, path);
  return isOwn ? notes.directory : undefined;
}

export function isInOwnNotes(path: string, permissions: WithNotes): boolean {
  return findOwnNotes(path, permissions) !== undefined;
}

/** Must a person be asked before it is written? In the agent's own notes names such as `.vscode` are protected, too. */
export function isGuardedPath(path: string, permissions: WithNotes): boolean {
  const directory = findOwnNotes(path, permissions);
  return isProtectedPath(directory === undefined ? path : path.slice(directory.length));
}

/**
 * Security: a call that may write its agent's notes must not get further by a link. `path` is the
 * one that the call names.
 */
export function limitToOwnNotes(
  rules: readonly PathAccessRule[],
  path: string,
  permissions: WithNotes,
): readonly PathAccessRule[] {
  const except = findOwnNotes(path, permissions);
  if (except === undefined) return rules;
  return [
    ...rules.map((rule) => ('isProtection' in rule ? { ...rule, except } : rule)),
    { effect: 'ask', operation: 'write', glob: '/**', except },
  ];
}
