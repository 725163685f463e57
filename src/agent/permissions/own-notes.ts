// Permissions for the notes that an agent keeps for later sessions. Their directory is the only one
// below `.claude` that the agent may edit without a question.
import type { PathAccessRule } from '../../core/access/path-access.ts';
import { isProtectedPath } from '../../core/access/protected-paths.ts';
import { isInside } from '../../core/path.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';

type WithNotes = Pick<ToolPermissionContext, 'notes'>;

/**
 * The agent's own notes that contain the path. Undefined if there are none, or if they are the
 * user's, which always ask.
 */
function findOwnNotes(path: string, { notes }: WithNotes): string | undefined {
  const isOwn = notes !== undefined && !notes.asks && isInside(notes.directory, path);
  return isOwn ? notes.directory : undefined;
}

export function isInOwnNotes(path: string, permissions: WithNotes): boolean {
  return findOwnNotes(path, permissions) !== undefined;
}

/**
 * True if a person must be asked before the path is written. Names such as `.vscode` are protected
 * in the agent's own notes too.
 */
export function isGuardedPath(path: string, permissions: WithNotes): boolean {
  const directory = findOwnNotes(path, permissions);
  return isProtectedPath(directory === undefined ? path : path.slice(directory.length));
}

/**
 * Security: a call that may write its agent's notes must not reach other paths through a link.
 * `path` is the path in the call's input.
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
