// The port from the stages of a turn to a session's hooks. Types only, because create-hooks.ts is
// loaded only for a query with hooks.
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import type { SDKResultSuccess } from '../../core/messages/sdk-message.ts';
import type { AnnouncedTask, TaskEvent } from '../../core/tool/announced-task.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { HostNote } from '../../core/permissions/permission.ts';
import type { ElicitationRequest, ElicitationResult } from '../../core/mcp/mcp-exchange.ts';
import type { StateRecord } from '../../core/session/journal.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { Settled } from '../calls/settled.ts';
import type { TurnOptions } from '../calls/turn.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Answer, Question } from '../permissions/questions.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookFields, HookInput } from './hook-inputs.ts';
import type { HookJSONOutput } from './read-answer.ts';

/** The target of a hook that stops it: the running turn, or a background task. */
export interface Stoppable {
  stop(): void;
}

/** The end of a turn by a hook. `result` is the text of the `result` message. */
export interface HookEnd {
  readonly type: 'hook';
  readonly result: Pick<
    SDKResultSuccess,
    'result' | 'stop_reason' | 'terminal_reason' | 'deferred_tool_use'
  >;
}

/** The end of a turn. */
export type TurnEnd =
  | { readonly type: 'completed'; readonly message: AssistantMessage }
  | HookEnd
  /** The prompt was a command that ran without the model, or an unknown command. */
  | {
      readonly type: 'command';
      readonly command: string;
      readonly text: string;
      readonly isError: boolean;
    }
  /** The prompt was a person's cell, which has run. `text`: its result. */
  | { readonly type: 'cell'; readonly text: string }
  /** A call needed a person, and nobody is there. `result` is the text of the `result` message. */
  | { readonly type: 'handed-over'; readonly output: TurnOutput }
  /** The model has finished too often without an answer in the query's `outputFormat`. */
  | { readonly type: 'no-output'; readonly misses: number }
  | { readonly type: 'max-turns'; readonly maxTurns: number }
  | { readonly type: 'max-budget'; readonly maxBudgetUsd: number; readonly spentUsd: number }
  | { readonly type: 'stopped'; readonly during: 'streaming' | 'tools' }
  | { readonly type: 'failed'; readonly error: SerializedError };

/** A call that has run and whose changes are kept. */
export interface UsedCall {
  readonly call: ValidCall | AllowedCall;
  readonly output: unknown;
  /** The output as the model gets it. */
  readonly block: ToolResultBlock;
}

/** The hooks about calls, for one turn or one background task. Methods work as in {@link Hooks}. */
export interface CallHooks {
  /**
   * PreToolUse. Gives the call with its rewritten and parsed input, or its end. Every call passes
   * here once, before the methods below, which use its id.
   */
  beforeUse(call: ValidCall, context: ToolUseContext): Promise<ValidCall | Settled> | undefined;
  /** Called when the call's work begins. */
  begin(callId: string): void;
  /** PostToolUse. Gives the output and the block that replace these. */
  afterUse(
    used: UsedCall,
    signal: AbortSignal,
  ): Promise<Pick<UsedCall, 'output' | 'block'>> | undefined;
  /** PostToolUseFailure. */
  afterFailure(
    call: ValidCall | AllowedCall,
    settled: Pick<Settled, 'result'>,
    signal: AbortSignal,
  ): Promise<void> | undefined;
  /** PermissionDenied, if the call was denied. Gives the denial as the model gets it. */
  refused(settled: Settled, signal: AbortSignal): Promise<Settled> | undefined;
  /** Moves the messages about a nested call to its outer call. */
  passContext(nestedId: string, outerId: string): void;
  /** Gives and removes the hooks' messages to the model about the call. */
  takeNotes(callId: string): readonly string[];
}

/** The event fields of a compaction. */
export interface AskedCompaction {
  readonly trigger: 'manual' | 'auto' | 'overflow';
  readonly instructions?: string | undefined;
  readonly model: string;
}

/** Messages for the model, sent with a prompt. */
export interface TakenContext {
  readonly context: readonly MessageParam[];
  /** To be recorded together with the messages. */
  readonly states: readonly StateRecord[];
}

/** The hooks for one background task. Dispose it when the task has ended. */
export interface TaskHooks extends CallHooks, Disposable {}

/**
 * The hooks of one session. Methods never reject. If no hook matches, they give undefined at once
 * and without a promise, so unaffected calls don't wait.
 *
 * Dispose it when the session is unloaded and continues later or elsewhere. Background hooks then
 * end, and no hook gets an end event.
 */
export interface Hooks extends CallHooks, Disposable {
  /** SessionStart. Gives the prompt that a hook sets as the session's first. */
  start(
    model: string,
    signal: AbortSignal,
    source?: HookFields<'SessionStart'>['source'],
  ): Promise<string | undefined>;
  /** SessionEnd. Afterwards background hooks are ended. */
  end(): Promise<void>;
  startTurn(turn: Stoppable, promptId: string): void;
  /**
   * PreCompact. Gives the reason why the conversation must not be compacted; undefined if it may.
   */
  beforeCompaction(compaction: AskedCompaction, signal: AbortSignal): Promise<string | undefined>;
  /** PostCompact, then SessionStart. Gives messages for the model. */
  afterCompaction(
    compaction: AskedCompaction,
    summary: string,
    signal: AbortSignal,
  ): Promise<readonly MessageParam[]>;
  /** PreModelSwitch: why the model must stay; undefined where it may be switched. */
  beforeModelSwitch(fields: HookFields<'PreModelSwitch'>): Promise<string | undefined> | undefined;
  /** PostModelSwitch. What hooks say to the model goes with the next prompt. */
  afterModelSwitch(fields: HookFields<'PostModelSwitch'>): Promise<void> | undefined;
  /** Fires InstructionsLoaded without waiting for its hooks. */
  noteInstructions(loaded: HookFields<'InstructionsLoaded'>): void;
  /**
   * The hooks for the call's background work, and for calls by its code there. They may outlive the
   * turn. A hook that stops them stops the task. Hooks' messages to the model about them are sent
   * with the next prompt.
   */
  forTask(callId: string, task: Stoppable): TaskHooks;

  /**
   * UserPromptExpansion. `blocked`: the reason why the command must not be expanded. `context`: as
   * for a prompt.
   */
  beforeExpansion(
    command: HookFields<'UserPromptExpansion'>,
    signal: AbortSignal,
  ): Promise<{ readonly blocked?: string; readonly context: readonly MessageParam[] }>;

  /**
   * UserPromptSubmit. `end`: the prompt is refused, and nothing is taken. Otherwise as
   * {@link Hooks.takeContext}, with the messages of this event.
   */
  takePrompt(
    prompt: MessageParam,
    signal: AbortSignal,
  ): Promise<TakenContext & { readonly end?: HookEnd }>;

  /**
   * Takes the hooks' messages that wait for a prompt. Used for a sub-agent's prompt, which fires no
   * event.
   */
  takeContext(): TakenContext;

  /**
   * WorktreeCreate. Gives the absolute path of the work tree that a hook has created, or `blocked`
   * with the reason of a refusal. Undefined: no hook answers.
   */
  createWorktree(
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly path?: string; readonly blocked?: string } | undefined>;
  /** WorktreeRemove. */
  removeWorktree(path: string, signal: AbortSignal): Promise<void>;
  /** CwdChanged. */
  changeCwd(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Elicitation. Gives a hook's answer for the person; undefined if there is none. */
  elicit(
    request: ElicitationRequest,
    signal: AbortSignal,
  ): Promise<ElicitationResult | undefined> | undefined;
  /** ElicitationResult. Gives the replacement of the answer. */
  hearElicitation(
    request: ElicitationRequest,
    result: ElicitationResult,
    signal: AbortSignal,
  ): Promise<ElicitationResult | undefined> | undefined;

  /**
   * TaskCreated, TaskCompleted. Gives a hook's reason for refusing it; undefined if none refuses.
   */
  announceTask(
    event: TaskEvent,
    task: AnnouncedTask,
    signal: AbortSignal,
  ): Promise<string | undefined> | undefined;
  /** PermissionRequest. Gives a hook's answer; undefined if the person should be asked. */
  answer(question: Question, signal: AbortSignal): Promise<Answer | undefined> | undefined;
  /** Fires Notification without awaiting its hooks. */
  notify(question: Question): void;
  /**
   * The notes of PostToolUse hooks for the classifier, since this opening of the session, oldest
   * first.
   */
  listHostNotes(): readonly HostNote[];
  /**
   * PostToolBatch. Gives messages for the model after these results, in their order. The notes that
   * were recorded with the calls aren't included.
   */
  afterBatch(
    settled: readonly Settled[],
    signal: AbortSignal,
  ): Promise<readonly MessageParam[]> | undefined;

  /**
   * Called after each request. Fires Stop or StopFailure if `end` is given. Gives the end that
   * replaces it. Undefined: another request follows, and a message may have been added to the
   * conversation.
   */
  hearEnd(
    end: TurnEnd | undefined,
    steps: number,
    turn: Pick<TurnOptions, 'signal' | 'maxTurns'>,
  ): Promise<TurnEnd | undefined>;
}

/**
 * One hook. `toolUseID` is the id of the call that the event is about. `signal` is aborted at the
 * timeout and when the turn is stopped. For an async hook, it is aborted at its own timeout, and
 * when the session is closed or unloaded.
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookJSONOutput>;

/**
 * The hooks of one event, and a matcher that selects when they run. All hooks of an event run at
 * the same time.
 */
export interface HookCallbackMatcher<E extends HookEvent = HookEvent> {
  /**
   * A matcher with only letters, digits, `_` and `|` is a list of exact names. A tool's aliases
   * match too, and `mcp__server` matches all tools of a server. Any other matcher is a regular
   * expression, which may match a part of the name. Left out, empty or `*`: every name.
   */
  readonly matcher?: string;
  /** Our own: a permission rule that the call must match, such as `Edit(src/**)`. */
  readonly if?: string;
  readonly hooks: readonly HookCallback<E>[];
  /** The time limit of each hook, in seconds. @defaultValue 60, and 1.5 for SessionEnd */
  readonly timeout?: number;
  /**
   * The effect of a hook that throws, times out, or gives an invalid answer. `block` denies the
   * call, prompt, question or task, objects to the result, or stops the turn after a batch. It has
   * no effect for other events.
   * @defaultValue 'continue': the hook counts as one without an opinion
   */
  readonly onFailure?: 'continue' | 'block';
}

/** The option `hooks` of a query. */
export type HooksOption = {
  readonly [E in HookEvent]?: readonly HookCallbackMatcher<E>[];
};
