// Reads the rules and directories of the settings that the host gives. Used when a query starts
// (query-options.ts), and again by `Query.applyFlagSettings`.
import { refuseUse } from '../../core/errors.ts';
import { resolvePath } from '../../core/path.ts';
import type { PermissionRule, PermissionRuleSource } from '../../core/permissions/permission.ts';
import type { Settings } from '../query-options.ts';
import { parseRules } from './rules.ts';

/** The permissions in the query's `settings`, which `Query.applyFlagSettings` replaces. */
export interface FlagLayer {
  readonly rules: readonly PermissionRule[];
  /** Absolute paths. */
  readonly directories: readonly string[];
}

/** @throws SdkError `bad-usage` or `invalid-input` for invalid settings */
export function readFlagLayer(settings: Settings | undefined, cwd: string): FlagLayer {
  const rules = readSettingsRules(settings, 'flagSettings');
  const { additionalDirectories = [] } = settings?.permissions ?? {};
  const name = 'permissions.additionalDirectories of settings';
  return { rules, directories: readDirectories(additionalDirectories, name, cwd) };
}

/**
 * The directories as absolute paths.
 *
 * @throws SdkError `bad-usage` with the list's `name` if a caller without types gives anything else
 */
export function readDirectories(
  directories: readonly string[],
  name: string,
  cwd: string,
): readonly string[] {
  if (!Array.isArray(directories) || directories.some((path) => typeof path !== 'string')) {
    refuseUse(`${name} is a list of paths.`, { option: name });
  }
  return directories.map((path) => resolvePath(cwd, path));
}

/** @throws SdkError as {@link readFlagLayer}. */
export function readSettingsRules(
  { permissions = {} }: Settings = {},
  source: PermissionRuleSource,
): PermissionRule[] {
  if (typeof permissions !== 'object' || permissions === null) {
    refuseUse("permissions of settings is an object: { allow: ['Edit(src/**)'] }.", { source });
  }
  const { allow = [], deny = [], ask = [] } = permissions;
  return [
    ...parseRules(deny, 'deny', source),
    ...parseRules(ask, 'ask', source),
    ...parseRules(allow, 'allow', source),
  ];
}
