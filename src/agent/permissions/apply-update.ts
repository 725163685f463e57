// What a permission update makes of a permission context. Pure: a context is never changed.
import { SdkError } from '../../core/errors.ts';
import { resolvePath } from '../../core/path.ts';
import { formatRule } from '../../core/rule.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  PermissionUpdate,
  PermissionUpdateDestination,
  ToolPermissionContext,
} from '../../core/permission.ts';
import { checkMode } from './check-mode.ts';
import { parseRules } from './parse-rules.ts';

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
  checkUpdate(update);
  if (update.type === 'setMode') return { ...context, mode: checkMode(update.mode) };
  if ('directories' in update) return changeDirectories(context, update, cwd);
  const { behavior, destination: source } = update;
  // By way of its text: whatever an answer without types may hold, what is kept is a rule.
  const texts = update.rules.map((rule) =>
    typeof rule?.toolName === 'string' ? formatRule(rule) : '',
  );
  const named = parseRules(texts, behavior, source);
  const isOfGroup = (rule: PermissionRule) => rule.behavior === behavior && rule.source === source;
  switch (update.type) {
    case 'addRules': {
      const isKnown = (rule: PermissionRule) => context.rules.some((old) => isSameRule(old, rule));
      const added = named.filter((rule) => !isKnown(rule));
      return { ...context, rules: [...context.rules, ...added] };
    }
    case 'replaceRules': {
      const others = context.rules.filter((rule) => !isOfGroup(rule));
      return { ...context, rules: [...others, ...named] };
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

const types: ReadonlySet<string> = new Set<PermissionUpdate['type']>([
  'addRules',
  'replaceRules',
  'removeRules',
  'setMode',
  'addDirectories',
  'removeDirectories',
]);

const behaviors: ReadonlySet<string> = new Set<PermissionBehavior>(['allow', 'deny', 'ask']);

// Security: an answer that comes without types must not add to the host's policy, nor take from it, nor
// leave a rule that nobody would ever find.
function checkUpdate(update: PermissionUpdate): void {
  const { type, destination } = update;
  if (!destinations.has(destination)) {
    throw wrongField(`An update can't be kept in "${String(destination)}".`, destinations);
  }
  if (!types.has(type)) throw wrongField(`There is no update "${String(type)}".`, types);
  if ('rules' in update && !behaviors.has(update.behavior)) {
    throw wrongField(`No rule can "${String(update.behavior)}".`, behaviors);
  }
}

function wrongField(what: string, known: ReadonlySet<string>): SdkError {
  return new SdkError('invalid-input', `${what} Use one of ${[...known].join(', ')}.`);
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
