// Checks a hook's output, which comes from the caller's code. The result is a valid answer or an
// error. An unreadable answer must not count as one without an opinion.
import { normalizePath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { findNearNames } from '../../core/text/near-names.ts';
import type { PermissionUpdate } from '../../core/permissions/permission.ts';
import { maxSessionText } from '../session/session-text.ts';
import type { HookEvent } from './hook-events.ts';

/** The checked answer of one hook. */
export interface HookAnswer {
  /** The hook continues in the background; all other fields are then left out. */
  readonly background?: { readonly timeoutMs: number | undefined };
  /** The reason for stopping the turn. */
  readonly stop?: string;
  readonly decision?: 'approve' | 'block';
  readonly reason?: string;
  readonly systemMessage?: string;
  readonly isSuppressed: boolean;
  /** The known fields of `hookSpecificOutput` that have the right types. */
  readonly specific: SpecificAnswer;
}

/** The fields of all events. Each event reads its own ones. */
export interface SpecificAnswer {
  readonly additionalContext?: string;
  readonly decision?: QuestionDecision;
  readonly permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
  readonly permissionDecisionReason?: string;
  readonly retry?: boolean;
  readonly updatedInput?: Record<string, unknown>;
  readonly elicited?: ElicitationAnswer;
  /** Present if the hook gave it, even as undefined. */
  readonly updatedToolOutput?: unknown;
  readonly worktreePath?: string;
  /** Trimmed. */
  readonly sessionTitle?: string;
  readonly initialUserMessage?: string;
  /** Absolute and normal paths. */
  readonly watchPaths?: readonly string[];
  readonly classifierContext?: string;
}

/** A hook's answer to a permission question. */
export interface QuestionDecision {
  readonly behavior: 'allow' | 'deny';
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedInput?: Record<string, unknown>;
  /** Checked when they are applied, like a person's. */
  readonly updatedPermissions?: readonly PermissionUpdate[];
}

/**
 * Reads an output. A hook without an output has no opinion.
 *
 * @throws TypeError with the name of the field that is invalid or belongs elsewhere. Security: an
 * unread field may have been meant to deny something
 */
export function readAnswer(event: HookEvent, output: unknown): HookAnswer {
  if (output === undefined || output === null) return { isSuppressed: false, specific: {} };
  const given = asObject(output, 'output');
  if (given['async'] === true) {
    const timeoutMs = given['asyncTimeout'];
    if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
      throw new TypeError('asyncTimeout must be a number of milliseconds');
    }
    return { background: { timeoutMs }, isSuppressed: false, specific: {} };
  }
  refuseUnknown(given, outputFields, (field) => {
    const specific = specificFields[event as keyof SpecificFields] as readonly string[] | undefined;
    return specific?.includes(field)
      ? `its ${field} stands outside of hookSpecificOutput: write { hookSpecificOutput: { hookEventName: '${event}', ${field} } }`
      : undefined;
  });
  const goesOn = asBoolean(given['continue'], 'continue');
  const stopReason = asText(given['stopReason'], 'stopReason');
  const decision = asOneOf(given['decision'], ['approve', 'block'], 'decision');
  const reason = asText(given['reason'], 'reason');
  const systemMessage = asText(given['systemMessage'], 'systemMessage');
  return {
    ...(goesOn === false && { stop: stopReason ?? reason ?? '' }),
    ...(decision && { decision }),
    ...(reason !== undefined && { reason }),
    ...(systemMessage !== undefined && { systemMessage }),
    isSuppressed: asBoolean(given['suppressOutput'], 'suppressOutput') === true,
    specific: readSpecific(event, given['hookSpecificOutput']),
  };
}

function readSpecific(event: HookEvent, output: unknown): SpecificAnswer {
  if (output === undefined || output === null) return {};
  const given = asObject(output, 'hookSpecificOutput');
  const name = given['hookEventName'];
  if (name !== event) {
    throw new TypeError(`hookSpecificOutput is for ${String(name)}, and this was ${event}`);
  }
  const known = specificFields[event as keyof SpecificFields] ?? [];
  refuseUnknown(given, ['hookEventName', ...known], () => undefined);
  const additionalContext = asText(given['additionalContext'], 'additionalContext');
  const choices = ['allow', 'deny', 'ask', 'defer'] as const;
  const permissionDecision = asOneOf(given['permissionDecision'], choices, 'permissionDecision');
  const why = asText(given['permissionDecisionReason'], 'permissionDecisionReason');
  const retry = asBoolean(given['retry'], 'retry');
  const worktreePath = asText(given['worktreePath'], 'worktreePath');
  const sessionTitle = asTitle(given['sessionTitle']);
  const classifierContext = asText(given['classifierContext'], 'classifierContext');
  const watchPaths = asPaths(given['watchPaths']);
  const initialUserMessage = asText(given['initialUserMessage'], 'initialUserMessage');
  asBoolean(given['reloadSkills'], 'reloadSkills');
  asBoolean(given['suppressOriginalPrompt'], 'suppressOriginalPrompt');
  const action = asOneOf(given['action'], ['accept', 'decline', 'cancel'] as const, 'action');
  const { updatedInput, decision, content } = given;
  // The older name for MCP tools, with the same meaning.
  const replaced = ['updatedToolOutput', 'updatedMCPToolOutput'].find((key) => key in given);
  return {
    ...(additionalContext && { additionalContext }),
    ...(permissionDecision && { permissionDecision }),
    ...(why !== undefined && { permissionDecisionReason: why }),
    ...(retry !== undefined && { retry }),
    ...(worktreePath !== undefined && { worktreePath }),
    ...(sessionTitle !== undefined && { sessionTitle }),
    ...(initialUserMessage && { initialUserMessage }),
    ...(watchPaths && { watchPaths }),
    ...(classifierContext && { classifierContext }),
    ...(updatedInput !== undefined && { updatedInput: asObject(updatedInput, 'updatedInput') }),
    ...(action && {
      elicited: {
        action,
        ...(content !== undefined && { content: asObject(content, 'content') }),
      },
    }),
    ...(decision !== undefined && { decision: readDecision(asObject(decision, 'decision')) }),
    ...(replaced !== undefined && { updatedToolOutput: given[replaced] }),
  };
}

function readDecision(given: Record<string, unknown>): QuestionDecision {
  const behavior = asOneOf(given['behavior'], ['allow', 'deny'], 'decision.behavior');
  if (!behavior) throw new TypeError('its decision has no behavior');
  const { updatedInput, updatedPermissions } = given;
  if (updatedPermissions !== undefined && !Array.isArray(updatedPermissions)) {
    throw new TypeError('its updatedPermissions is no list');
  }
  const message = asText(given['message'], 'decision.message');
  const interrupt = asBoolean(given['interrupt'], 'decision.interrupt');
  return {
    behavior,
    ...(message !== undefined && { message }),
    ...(interrupt !== undefined && { interrupt }),
    ...(updatedInput !== undefined && { updatedInput: asObject(updatedInput, 'updatedInput') }),
    ...(updatedPermissions && { updatedPermissions: updatedPermissions as PermissionUpdate[] }),
  };
}

/** The fields of every output. */
const outputFields = Object.keys({
  continue: true,
  stopReason: true,
  suppressOutput: true,
  decision: true,
  reason: true,
  systemMessage: true,
  terminalSequence: true,
  hookSpecificOutput: true,
  async: true,
  asyncTimeout: true,
} satisfies Record<keyof SyncHookJSONOutput | keyof AsyncHookJSONOutput, true>);

/** The fields of `hookSpecificOutput` by event. Other events have none. */
const specificFields: {
  readonly [E in keyof SpecificFields]: readonly (keyof SpecificFields[E])[];
} = {
  CwdChanged: ['watchPaths'],
  Elicitation: ['action', 'content'],
  ElicitationResult: ['action', 'content'],
  FileChanged: ['watchPaths'],
  MessageDisplay: ['displayContent'],
  Notification: ['additionalContext'],
  PermissionDenied: ['retry'],
  PermissionRequest: ['decision'],
  PostModelSwitch: ['additionalContext'],
  PostToolBatch: ['additionalContext'],
  PostToolUse: [
    'additionalContext',
    'classifierContext',
    'updatedToolOutput',
    'updatedMCPToolOutput',
  ],
  PostToolUseFailure: ['additionalContext'],
  PreModelSwitch: ['permissionDecision', 'permissionDecisionReason'],
  PreSkillShellCommand: ['permissionDecision', 'permissionDecisionReason', 'updatedInput'],
  PreToolUse: [
    'additionalContext',
    'permissionDecision',
    'permissionDecisionReason',
    'updatedInput',
  ],
  SessionStart: [
    'additionalContext',
    'watchPaths',
    'initialUserMessage',
    'sessionTitle',
    'reloadSkills',
  ],
  Setup: ['additionalContext'],
  Stop: ['additionalContext'],
  SubagentStart: ['additionalContext'],
  SubagentStop: ['additionalContext'],
  UserPromptExpansion: ['additionalContext', 'suppressOriginalPrompt'],
  UserPromptSubmit: ['additionalContext', 'sessionTitle', 'suppressOriginalPrompt'],
  WorktreeCreate: ['worktreePath'],
};

function refuseUnknown(
  given: Record<string, unknown>,
  known: readonly string[],
  explain: (field: string) => string | undefined,
): void {
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined || known.includes(field)) continue;
    const near = findNearNames(field, known);
    const hint =
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it may have ${known.join(', ')}`;
    throw new TypeError(explain(field) ?? `it has "${field}", which means nothing there: ${hint}`);
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new TypeError(`its ${what} is no object`);
}

function asText(value: unknown, what: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new TypeError(`its ${what} is no text`);
}

function asPaths(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const isPath = (path: unknown) => typeof path === 'string' && path.startsWith('/');
  if (Array.isArray(value) && value.every(isPath)) return (value as string[]).map(normalizePath);
  throw new TypeError('its watchPaths is no list of absolute paths');
}

function asTitle(value: unknown): string | undefined {
  const title = asText(value, 'sessionTitle')?.trim();
  if (title === undefined || (title !== '' && title.length <= maxSessionText)) return title;
  throw new TypeError('its sessionTitle is no text of 1 to 1 000 characters');
}

function asBoolean(value: unknown, what: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new TypeError(`its ${what} is neither true nor false`);
}

function asOneOf<T extends string>(
  value: unknown,
  choices: readonly T[],
  what: string,
): T | undefined {
  const found = choices.find((choice) => choice === value);
  if (value === undefined || found !== undefined) return found;
  throw new TypeError(`its ${what} is none of ${choices.join(', ')}`);
}

/** A hook's opinion on a call. Among several, deny beats defer beats ask beats allow. */
export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

interface Context {
  /** Text for the model, added after the subject of the event. */
  readonly additionalContext?: string;
}

interface WatchPaths {
  /**
   * The files and directories that fire FileChanged, as absolute paths. They replace those of
   * earlier hooks.
   */
  readonly watchPaths?: readonly string[];
}

interface Titled {
  /** The session's title in lists from now on. Ignored after a `/clear` or a compaction. */
  readonly sessionTitle?: string;
}

interface Blocking {
  /** Accepted without effect, because no answer repeats a prompt that a hook has blocked. */
  readonly suppressOriginalPrompt?: boolean;
}

interface ElicitationAnswer {
  readonly action?: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/** The additional output fields by event. Other events have none. */
export interface SpecificFields {
  readonly CwdChanged: WatchPaths;
  readonly Elicitation: ElicitationAnswer;
  readonly ElicitationResult: ElicitationAnswer;
  readonly FileChanged: WatchPaths;
  readonly MessageDisplay: { readonly displayContent?: string };
  /**
   * Sent with the call's result if the hook has answered by then, otherwise with the next prompt.
   */
  readonly Notification: Context;
  readonly PermissionDenied: {
    /** True informs the model that it may try again. */
    readonly retry?: boolean;
  };
  readonly PermissionRequest: {
    /** Answers the question for the person. Left out: the person is asked. */
    readonly decision?:
      | {
          readonly behavior: 'allow';
          readonly updatedInput?: Record<string, unknown>;
          readonly updatedPermissions?: readonly PermissionUpdate[];
        }
      | {
          readonly behavior: 'deny';
          readonly message?: string;
          readonly interrupt?: boolean;
        };
  };
  readonly PostModelSwitch: Context;
  readonly PostToolBatch: Context;
  readonly PostToolUseFailure: Context;
  readonly PostToolUse: Context & {
    /**
     * The host's note about the call for mode `auto`'s classifier, which doesn't get the call's
     * result. For example, the person's own words. Security: never use a tool's or a model's text.
     * At most 2 000 characters for all hooks together. Ignored if the same hook's new output is
     * replaced by another hook's.
     */
    readonly classifierContext?: string;
    /**
     * Replaces the output, for the model and for views. It must have the shape of the tool's
     * output.
     */
    readonly updatedToolOutput?: unknown;
    /** The older name of the same field, only for MCP tools. */
    readonly updatedMCPToolOutput?: unknown;
  };
  readonly PreModelSwitch: {
    readonly permissionDecision?: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
  };
  readonly PreSkillShellCommand: {
    readonly permissionDecision?: HookPermissionDecision;
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: Record<string, unknown>;
  };
  readonly PreToolUse: Context & {
    readonly permissionDecision?: HookPermissionDecision;
    /** The reason of a denial for the model, or of a question for a person. */
    readonly permissionDecisionReason?: string;
    /** Replaces the input. It is parsed like the model's, and rules judge this input. */
    readonly updatedInput?: Record<string, unknown>;
  };
  readonly SessionStart: Context &
    WatchPaths &
    Titled & {
      /**
       * The session's first prompt, before the caller's prompts. Ignored if the session already had
       * a prompt.
       */
      readonly initialUserMessage?: string;
      /** Accepted without effect, because skills and commands are read again before each prompt. */
      readonly reloadSkills?: boolean;
    };
  readonly Setup: Context;
  readonly Stop: Context;
  readonly SubagentStart: Context;
  readonly SubagentStop: Context;
  readonly UserPromptExpansion: Context & Blocking;
  readonly UserPromptSubmit: Context & Titled & Blocking;
  readonly WorktreeCreate: { readonly worktreePath: string };
}

/** Contains the event's name, so that a hook for several events can't be misread. */
export type HookSpecificOutput = {
  [E in keyof SpecificFields]: SpecificFields[E] & { readonly hookEventName: E };
}[keyof SpecificFields & HookEvent];

/**
 * The answer of a hook that isn't async. All fields may be left out: then the hook has no opinion.
 */
export interface SyncHookJSONOutput {
  /** False stops the turn. Ignored if no turn is running. */
  readonly continue?: boolean;
  /** The reason for the person, with `continue: false`. */
  readonly stopReason?: string;
  /** True leaves this output out of `hook_response`. */
  readonly suppressOutput?: boolean;
  /**
   * Depending on the event, `block` denies a call, rejects a prompt, comments on a result or sends
   * the model back to work. `approve` allows a call; `permissionDecision` is the newer field for
   * that.
   */
  readonly decision?: 'approve' | 'block';
  /** The reason of `decision`. */
  readonly reason?: string;
  /** Shown to the person. */
  readonly systemMessage?: string;
  /** Ignored: there is no terminal. */
  readonly terminalSequence?: string;
  readonly hookSpecificOutput?: HookSpecificOutput;
}

/** The hook continues in the background. It isn't awaited, and its result is ignored. */
export interface AsyncHookJSONOutput {
  readonly async: true;
  /** The time until its signal is aborted, in milliseconds. Default: the end of the session. */
  readonly asyncTimeout?: number;
}

/** The value of a hook's promise. */
export type HookJSONOutput = SyncHookJSONOutput | AsyncHookJSONOutput;
