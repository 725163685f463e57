// The read access of files that a person's command names. Such a read happens outside any call,
// where nobody can be asked. Used by agent/turn/run-command.ts.
import type { PathAccess } from '../../core/access/path-access.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { toRulesFrom } from './compile-path-access.ts';
import type { PathAccessOptions } from './compile-path-access.ts';
import { listReadRules } from './rules.ts';

/** Allows the reads that the tool Read may do without a question. */
export function toReadAccess(
  { rules, additionalWorkingDirectories }: ToolPermissionContext,
  { cwd, rulesFrom, sessionDirectories }: PathAccessOptions,
): PathAccess {
  return {
    cwd,
    ...toRulesFrom(cwd, rulesFrom),
    roots: [rulesFrom.cwd, ...additionalWorkingDirectories.keys()],
    readOnlyRoots: sessionDirectories,
    rules: listReadRules(rules),
    write: 'deny',
  };
}
