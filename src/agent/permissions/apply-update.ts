// What a permission update makes of a permission context. Pure: a context is never changed.
import { SdkError } from '../../core/errors.ts';
import { resolvePath } from '../../core/path.ts';
import type {
  PermissionRule,
  PermissionUpdate,
  PermissionUpdateDestination,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { checkMode } from './check-mode.ts';
import { checkRule } from './parse-rules.ts';

/**
 * The context after the update. `cwd` is where relative directories are taken from.
 *
 * @throws SdkError `invalid-input` when one of the rules, a directory or the destination can't be
 * understood, `bad-usage` for an unknown mode: it is refused as it is set, never ignored later.
 */
export function applyUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  cwd: string,
): ToolPermissionContext {
  checkDestination(update);
  if (update.type === 'setMode') return { ...context, mode: checkMode(update.mode) };
  if ('directories' in update) return changeDirectories(context, update, cwd);
  const { behavior, destination: source } = update;
  const named: PermissionRule[] = update.rules.map((rule) => ({ ...rule, behavior, source }));
  const isOfGroup = (rule: PermissionRule) => rule.behavior === behavior && rule.source === source;
  switch (update.type) {
    case 'addRules': {
      const isKnown = (rule: PermissionRule) => context.rules.some((old) => isSameRule(old, rule));
      const added = named.map(checkRule).filter((rule) => !isKnown(rule));
      return { ...context, rules: [...context.rules, ...added] };
    }
    case 'replaceRules': {
      const others = context.rules.filter((rule) => !isOfGroup(rule));
      return { ...context, rules: [...others, ...named.map(checkRule)] };
    }
    case 'removeRules': {
      const isNamed = (rule: PermissionRule) => named.some((old) => isSameRule(old, rule));
      return { ...context, rules: context.rules.filter((rule) => !isNamed(rule)) };
    }
  }
}

const destinations: ReadonlySet<string> = new Set<PermissionUpdateDestination>([
  'userSettings',
  'projectSettings',
  'localSettings',
  'cliArg',
  'session',
]);

// Security: an answer that comes without types must not add to the host's policy, nor take from it.
function checkDestination({ destination }: PermissionUpdate): void {
  if (destinations.has(destination)) return;
  throw new SdkError(
    'invalid-input',
    `An update can't be kept in "${String(destination)}". Use one of ${[...destinations].join(', ')}.`,
    { data: { destination } },
  );
}

type DirectoryUpdate = Extract<PermissionUpdate, { readonly directories: readonly string[] }>;

/** Who removes directories removes those of the same destination: another's stay. */
function changeDirectories(
  context: ToolPermissionContext,
  { type, directories, destination }: DirectoryUpdate,
  cwd: string,
): ToolPermissionContext {
  const changed = new Map(context.additionalWorkingDirectories);
  for (const directory of directories) {
    if (directory === '') throw new SdkError('invalid-input', 'A directory has an empty name.');
    const path = resolvePath(cwd, directory);
    if (type === 'addDirectories') {
      if (!changed.has(path)) changed.set(path, destination);
    } else if (changed.get(path) === destination) changed.delete(path);
  }
  return { ...context, additionalWorkingDirectories: changed };
}

function isSameRule(a: PermissionRule, b: PermissionRule): boolean {
  return (
    a.toolName === b.toolName &&
    a.ruleContent === b.ruleContent &&
    a.behavior === b.behavior &&
    a.source === b.source
  );
}
