// What may be read outside any call, where nobody can be asked: the files that a person's command names. Used by
// agent/turn/run-command.ts.
import type { PathAccess } from '../../core/access/path-access.ts';
import type { ToolPermissionContext } from '../../core/permissions/permission.ts';
import { toRulesFrom } from './compile-path-access.ts';
import type { PathAccessOptions } from './compile-path-access.ts';
import { listReadRules } from './rules.ts';

/** As Read may, but for what a person would be asked about. */
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
