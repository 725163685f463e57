// Holds the permission context of one session. It combines the query's options and settings with
// the answers, modes and taint in the session's journal. Every decision reads the current context.
import { SdkError } from '../../core/errors.ts';
import type { PermissionsRecord } from '../../core/session/journal.ts';
import { resolvePath } from '../../core/path.ts';
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionRule,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import { formatRule } from '../../core/permissions/rule.ts';
import { checkMode } from './decide.ts';
import { parseRules } from './rules.ts';
import type { FlagLayer } from './settings-rules.ts';

/** The permissions of one agent. All changes during the session go through this interface. */
export interface PermissionState {
  current(): ToolPermissionContext;
  /**
   * Applies the updates to this session at once. The host stores rules for later sessions.
   *
   * @throws SdkError `invalid-input` for a rule that can't apply, and `bad-usage` for an unknown
   * mode. Then nothing is changed.
   */
  update(updates: readonly PermissionUpdate[]): void;
  /**
   * Applies updates from settings. They aren't recorded, because settings are read again when the
   * session is resumed. The session's own changes have precedence.
   */
  configure(updates: readonly PermissionUpdate[]): void;
  setMode(mode: PermissionMode): void;
  /**
   * Adds the allow rules of a trusted skill or command, until {@link PermissionState.endTurn}. They
   * are recorded, so they survive a reload of the page within the turn.
   *
   * @throws SdkError `invalid-input` for a rule that can't apply. Then nothing is changed.
   */
  allowForTurn(rules: readonly string[]): void;
  endTurn(): void;
  /** True if nothing has changed since the session began. */
  isInitial(): boolean;
  /**
   * Records that this tool may have brought text from outside into the conversation. Never
   * reverted.
   */
  taint(toolName: string): void;
  /** Passes each change to `record`, beginning with all earlier changes. */
  recordBy(record: (changes: PermissionsRecord) => void): void;
}

/** The permissions of the session's main agent. */
export interface SessionPermissions extends PermissionState {
  /**
   * Replaces the query's `settings`. The layer isn't recorded, and the session's own changes have
   * precedence.
   */
  setFlags(layer: FlagLayer): void;
}

/**
 * Starts with the query's options, and applies the changes in the session's journal. Relative
 * directories of updates start at `cwd`.
 */
export function createPermissionState(
  given: ToolPermissionContext,
  cwd: string,
  past: readonly PermissionsRecord[] = [],
): SessionPermissions {
  const isPlanning = given.mode === 'plan' && given.modeBeforePlan === undefined;
  const initial = isPlanning ? { ...given, modeBeforePlan: 'default' as const } : given;
  let base = initial;
  let context = past.reduce((before, changes) => applyChanges(before, changes, cwd), initial);
  /** The session's changes, oldest first. */
  const known = [...past];
  let recorded = past.length;
  let record: ((changes: PermissionsRecord) => void) | undefined;

  function change(changes: Omit<PermissionsRecord, 'type'>): void {
    const next = { type: 'permissions', ...changes } as const;
    context = applyChanges(context, next, cwd);
    known.push(next);
    tell();
  }

  function tell(): void {
    if (record) for (; recorded < known.length; recorded += 1) record(known[recorded] ?? nothing);
  }

  return {
    current: () => context,
    update: (updates) => {
      if (updates.length > 0) change({ updates });
    },
    configure: (updates) => {
      base = applyUpdates(base, updates, cwd);
      context = known.reduce((before, changes) => applyChanges(before, changes, cwd), base);
    },
    setFlags: (layer) => {
      base = toFlags(base, layer);
      context = known.reduce((before, changes) => applyChanges(before, changes, cwd), base);
    },
    setMode: (mode) => change({ updates: [], mode }),
    allowForTurn: (rules) => {
      const held = context.rules.filter(isForTurn);
      const isHeld = (rule: PermissionRule) => held.some((old) => isSameRule(old, rule));
      const added = parseRules(rules, 'allow', 'turn').filter((rule) => !isHeld(rule));
      if (added.length > 0) change({ updates: [], turn: [...held, ...added].map(toRuleValue) });
    },
    endTurn: () => {
      if (context.rules.some(isForTurn)) change({ updates: [], turn: [] });
    },
    isInitial: () => context === initial,
    taint: (taintedBy) => {
      if (context.taintedBy === undefined) change({ updates: [], taintedBy });
    },
    recordBy: (listener) => {
      record = listener;
      tell();
    },
  };
}

const nothing: PermissionsRecord = { type: 'permissions', updates: [] };

function applyChanges(
  context: ToolPermissionContext,
  { updates, mode, taintedBy, turn }: PermissionsRecord,
  cwd: string,
): ToolPermissionContext {
  const updated = applyUpdates(context, updates, cwd);
  return {
    ...(mode === undefined ? updated : toMode(updated, mode)),
    ...(turn && {
      rules: [...updated.rules.filter((rule) => !isForTurn(rule)), ...turn.map(toTurnRule)],
    }),
    ...(taintedBy !== undefined && { taintedBy }),
  };
}

function toFlags(base: ToolPermissionContext, { rules, directories }: FlagLayer) {
  const others = [...base.additionalWorkingDirectories].filter(([, of]) => of !== 'flagSettings');
  const own = directories.map((path) => [path, 'flagSettings'] as const);
  return {
    ...base,
    rules: [...base.rules.filter(({ source }) => source !== 'flagSettings'), ...rules],
    // A directory that another source also has stays that source's.
    additionalWorkingDirectories: new Map([...own, ...others]),
  };
}

const isForTurn = ({ source }: PermissionRule) => source === 'turn';

/** A rule that applies until the turn ends. */
export function toTurnRule(rule: PermissionRuleValue): PermissionRule {
  return { ...rule, behavior: 'allow', source: 'turn' };
}

/** The recorded form of the rule. */
export function toRuleValue({ toolName, ruleContent }: PermissionRule): PermissionRuleValue {
  return { toolName, ...(ruleContent !== undefined && { ruleContent }) };
}

/** Sets the mode. Plan mode remembers the mode before it; any other mode forgets that. */
function toMode(context: ToolPermissionContext, mode: PermissionMode): ToolPermissionContext {
  if (mode === 'plan') return toPlan(context);
  const { modeBeforePlan: _, ...rest } = context;
  return { ...rest, mode };
}

function toPlan(context: ToolPermissionContext): ToolPermissionContext {
  if (context.mode === 'plan') return context;
  return { ...context, mode: 'plan', modeBeforePlan: context.mode };
}

/** Applies all updates or none. A refused update must not leave earlier ones applied. */
function applyUpdates(
  context: ToolPermissionContext,
  updates: readonly PermissionUpdate[],
  cwd: string,
): ToolPermissionContext {
  return updates.reduce((before, update) => applyUpdate(before, update, cwd), context);
}

/**
 * The context after the update. Relative directories start at `cwd`.
 *
 * @throws SdkError `invalid-input` for an invalid rule, directory or destination, and `bad-usage`
 * for an unknown mode. An invalid update is refused when it is set, never ignored later.
 */
function applyUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  cwd: string,
): ToolPermissionContext {
  checkUpdate(update);
  if (update.type === 'setMode') {
    const mode = checkMode(update.mode);
    return mode === 'plan' ? toPlan(context) : { ...context, mode };
  }
  if ('directories' in update) return changeDirectories(context, update, cwd);
  const { behavior, destination: source } = update;
  // Converted to text and parsed again: an untyped answer may have extra fields, and only rules are
  // kept.
  const texts = update.rules.map(toText);
  const named = parseRules(texts, behavior, source).map((rule, at) => {
    const definition = update.rules[at]?.definition;
    const isBound = behavior === 'allow' && typeof definition === 'string';
    return isBound ? { ...rule, definition } : rule;
  });
  const isOfGroup = (rule: PermissionRule) => rule.behavior === behavior && rule.source === source;
  switch (update.type) {
    case 'addRules': {
      const isKnown = (rule: PermissionRule) =>
        context.rules.some((old) => isSameRule(old, rule) && old.definition === rule.definition);
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

function toText(rule: PermissionRuleValue): string {
  if (typeof rule?.toolName === 'string') return formatRule(rule);
  throw new SdkError(
    'invalid-input',
    `A rule of an update is { toolName: 'Edit', ruleContent: 'src/**' }, say, not ${JSON.stringify(rule)}.`,
  );
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

// Security: an untyped answer must not add to or remove from the host's policy. It must not leave a
// rule that no caller could find.
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

/** Adds or removes directories of one destination. Those of other destinations stay. */
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
