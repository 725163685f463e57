// Checks the given hooks once, and selects those that match a call or another subject. The
// selection is cached by event and name, so a call without a matching hook costs one lookup. Called
// by create-hooks.ts.
import { SdkError } from '../../core/errors.ts';
import { suggestNames } from '../../core/text/near-names.ts';
import type { PermissionRule } from '../../core/permissions/permission.ts';
import { parseRules, replaceShell, ruleNamesTool } from '../permissions/rules.ts';
import type { NamedTool } from '../permissions/rules.ts';
import type { HookCallback, HooksOption } from './hooks.ts';
import { matcherFields } from './hook-events.ts';
import type { HookEvent } from './hook-events.ts';

/** A callback with its options. */
export interface CompiledHook {
  readonly callback: HookCallback;
  readonly timeoutMs: number;
  readonly blocksOnFailure: boolean;
  /** The `if` as an ask rule, so that a call that can't be judged counts as matching. */
  readonly condition: PermissionRule | undefined;
}

/** All hooks of a session. */
export interface CompiledHooks {
  /** The hooks whose matcher matches this subject, in their order. Cached by name. */
  select(event: HookEvent, subject: NamedTool): readonly CompiledHook[];
}

/**
 * The events at which a failure or an invalid answer denies the subject. Stop isn't one, because
 * the model can't repair a broken hook.
 */
export const canBlock: ReadonlySet<HookEvent> = new Set([
  'PermissionRequest',
  'PostToolBatch',
  'PostToolUse',
  'PreCompact',
  'PreModelSwitch',
  'PreToolUse',
  'TaskCompleted',
  'TaskCreated',
  'UserPromptExpansion',
  'UserPromptSubmit',
  'WorktreeCreate',
] as const);

interface Group {
  readonly means: (subject: NamedTool) => boolean;
  readonly hooks: readonly CompiledHook[];
}

/**
 * Checks and compiles the hooks.
 *
 * @throws SdkError `bad-usage` or `invalid-input` with what to write instead. Causes are an unknown
 * event, an invalid regular expression, an invalid rule in `if`, and an invalid timeout
 */
export function compileHooks(option: HooksOption): CompiledHooks {
  // An untyped caller may give any value. A list would count as an object without events.
  if (typeof option !== 'object' || Array.isArray(option)) {
    throw new SdkError('bad-usage', 'hooks is an object: { PreToolUse: [{ matcher, hooks }] }.');
  }
  const groups = new Map<HookEvent, readonly Group[]>();
  for (const event of Object.keys(option)) {
    if (!isHookEvent(event)) throw unknownEvent(event);
    groups.set(
      event,
      toList(event, option[event]).map((given) => compileGroup(event, given)),
    );
  }
  // Bounded by the number of tools, and of kinds of the other events.
  const selected = new Map<HookEvent, Map<string, readonly CompiledHook[]>>();
  return {
    select(event, subject) {
      const ofEvent = groups.get(event);
      if (!ofEvent) return [];
      const known = selected.get(event) ?? new Map<string, readonly CompiledHook[]>();
      selected.set(event, known);
      const hooks =
        known.get(subject.name) ??
        ofEvent.filter(({ means }) => means(subject)).flatMap((group) => group.hooks);
      known.set(subject.name, hooks);
      return hooks;
    },
  };
}

function isHookEvent(event: string): event is HookEvent {
  return Object.hasOwn(matcherFields, event);
}

function unknownEvent(event: string): SdkError {
  const hint = suggestNames(event, Object.keys(matcherFields));
  return new SdkError('bad-usage', `There is no hook event named ${event}. ${hint}`, {
    data: { event },
  });
}

/** A group as it was given. An untyped caller may give any value. */
interface GivenGroup {
  readonly matcher?: unknown;
  readonly if?: unknown;
  readonly hooks?: unknown;
  readonly timeout?: unknown;
  readonly onFailure?: unknown;
}

function toList(event: HookEvent, given: unknown): readonly GivenGroup[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((group) => typeof group === 'object' && group !== null)) {
    return given as readonly GivenGroup[];
  }
  throw badHook(event, `write ${event}: [{ hooks: [yourFunction] }], with a matcher if you like`);
}

const groupFields = ['matcher', 'if', 'hooks', 'timeout', 'onFailure'];

function compileGroup(event: HookEvent, given: GivenGroup): Group {
  const { hooks, onFailure = 'continue' } = given;
  // Security: a slip in `onFailure` must not leave a guard that lets calls pass.
  const unknown = Object.keys(given).find((name) => !groupFields.includes(name));
  if (unknown !== undefined) {
    throw badHook(event, `they have no field ${unknown}. ${suggestNames(unknown, groupFields)}`);
  }
  if (!Array.isArray(hooks) || !hooks.every((hook) => typeof hook === 'function')) {
    throw badHook(event, 'hooks must be a list of functions');
  }
  if (onFailure !== 'continue' && onFailure !== 'block') {
    throw badHook(event, `onFailure must be 'continue' or 'block', not ${String(onFailure)}`);
  }
  const shared = {
    timeoutMs: readTimeout(event, given.timeout),
    blocksOnFailure: onFailure === 'block' && canBlock.has(event),
    condition: compileCondition(event, given.if),
  };
  return {
    means: compileMatcher(event, given.matcher),
    hooks: (hooks as HookCallback[]).map((callback) => ({ callback, ...shared })),
  };
}

/**
 * 60 s, as in the SDK. SessionEnd has 1.5 s, because a reader that leaves the query waits for it.
 */
function readTimeout(event: HookEvent, seconds: unknown): number {
  if (seconds === undefined) return event === 'SessionEnd' ? 1_500 : 60_000;
  // At most a day, so that every timer can handle it.
  if (typeof seconds === 'number' && seconds > 0) return Math.min(seconds, 86_400) * 1_000;
  throw badHook(event, `timeout must be a number of seconds above 0, not ${String(seconds)}`);
}

function compileMatcher(event: HookEvent, matcher: unknown): Group['means'] {
  const isForAll = matcher === undefined || matcher === '' || matcher === '*';
  if (isForAll || matcherFields[event] === null) return () => true;
  if (typeof matcher !== 'string') throw badHook(event, 'matcher must be a string');
  if (/^[\w|]+$/u.test(matcher)) {
    const names = matcher.split('|').filter(Boolean).map(replaceShell);
    return (subject) => names.some((name) => ruleNamesTool(name, subject));
  }
  try {
    const pattern = new RegExp(matcher, 'u');
    return ({ name, aliases = [] }) => [name, ...aliases].some((known) => pattern.test(known));
  } catch (error) {
    throw badHook(event, `the matcher ${matcher} is no regular expression (${String(error)})`);
  }
}

function compileCondition(event: HookEvent, rule: unknown): PermissionRule | undefined {
  if (rule === undefined) return undefined;
  if (matcherFields[event] !== 'tool_name' || typeof rule !== 'string') {
    throw badHook(event, '`if` is a permission rule, for events about one call');
  }
  return parseRules([rule], 'ask', 'cliArg')[0];
}

function badHook(event: HookEvent, what: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The hooks of ${event} can't hold: ${/[.?]$/u.test(what) ? what : `${what}.`}`,
    {
      data: { event },
    },
  );
}
