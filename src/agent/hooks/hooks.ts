// The port from the stations to a session's hooks. Types only: create-hooks.ts is loaded only for a
// query with hooks.
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import type { SDKResultSuccess } from '../../core/messages/sdk-message.ts';
import type { AnnouncedTask, TaskEvent } from '../../core/tool/announced-task.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { HostNote } from '../../core/permissions/permission.ts';
import type { ElicitationRequest, ElicitationResult } from '../../core/mcp/mcp-exchange.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { Settled } from '../calls/settled.ts';
import type { TurnOptions } from '../calls/turn.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Answer, Question } from '../permissions/questions.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookFields, HookInput } from './hook-inputs.ts';
import type { HookJSONOutput } from './read-answer.ts';

/** What a hook stops that wants no more: the turn that runs, or a background task. */
export interface Stoppable {
  stop(): void;
}

/** A turn that a hook ended. `result` is what the `result` message says of it. */
export interface HookEnd {
  readonly type: 'hook';
  readonly result: Pick<
    SDKResultSuccess,
    'result' | 'stop_reason' | 'terminal_reason' | 'deferred_tool_use'
  >;
}

/** How a turn ended. */
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
  /** A call that needed a person, where there is none. `result` is what the `result` message says. */
  | { readonly type: 'handed-over'; readonly output: TurnOutput }
  /** The model has ended, or called, so often without an answer in the query's `outputFormat`. */
  | { readonly type: 'no-output'; readonly misses: number }
  | { readonly type: 'max-turns'; readonly maxTurns: number }
  | { readonly type: 'max-budget'; readonly maxBudgetUsd: number; readonly spentUsd: number }
  | { readonly type: 'stopped'; readonly during: 'streaming' | 'tools' }
  | { readonly type: 'failed'; readonly error: SerializedError };

/** A call that has done its work and whose changes are kept. */
export interface UsedCall {
  readonly call: ValidCall | AllowedCall;
  readonly output: unknown;
  /** The output as the model will see it. */
  readonly block: ToolResultBlock;
}

/** The hooks about calls, as one turn or one background task asks them. Methods as in {@link Hooks}. */
export interface CallHooks {
  /**
   * PreToolUse: the call as it goes on, its rewritten input parsed, or its end. Every call passes
   * here once, before the methods below, which know it by its id.
   */
  beforeUse(call: ValidCall, context: ToolUseContext): Promise<ValidCall | Settled> | undefined;
  /** The call's work begins. */
  begin(callId: string): void;
  /** PostToolUse: the output and the block that take the place of these. */
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
  /** PermissionDenied, if the call was refused: the refusal as the model is told of it. */
  refused(settled: Settled, signal: AbortSignal): Promise<Settled> | undefined;
  /** What was said about a nested call is told with the call that made it. */
  passContext(nestedId: string, outerId: string): void;
  /** What hooks have had to say to the model about the call since this was asked last. */
  takeNotes(callId: string): readonly string[];
}

/** A compaction, as its hooks are told of it. */
export interface AskedCompaction {
  readonly trigger: 'manual' | 'auto' | 'overflow';
  readonly instructions?: string | undefined;
  readonly model: string;
}

/** For one background task. Dispose it when the task has ended. */
export interface TaskHooks extends CallHooks, Disposable {}

/**
 * The hooks of one session. Methods never reject. Where no hook is meant they give undefined at once,
 * without a promise, so that the calls of a session whose hooks are about others wait for nothing.
 *
 * Dispose it where the session is let go, and continues later or elsewhere: what runs in the background ends, and no
 * hook hears of an end.
 */
export interface Hooks extends CallHooks, Disposable {
  /** SessionStart. Gives the prompt that a hook wants to be the session's first. */
  start(
    model: string,
    signal: AbortSignal,
    source?: HookFields<'SessionStart'>['source'],
  ): Promise<string | undefined>;
  /** SessionEnd, and the end of what runs in the background. */
  end(): Promise<void>;
  startTurn(turn: Stoppable, promptId: string): void;
  /** PreCompact: why the conversation must not be summed up; undefined where it may. */
  beforeCompaction(compaction: AskedCompaction, signal: AbortSignal): Promise<string | undefined>;
  /** PostCompact, then SessionStart. Gives what the model is told. */
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
   * The hooks for what the call does in the background, and for the calls that its code makes there. They may outlive
   * the turn. A hook that wants no more stops the task. What hooks say to the model about them goes with the next
   * prompt.
   */
  forTask(callId: string, task: Stoppable): TaskHooks;

  /** UserPromptExpansion. `blocked`: why the command must not be expanded. `context`: as of a prompt. */
  beforeExpansion(
    command: HookFields<'UserPromptExpansion'>,
    signal: AbortSignal,
  ): Promise<{ readonly blocked?: string; readonly context: readonly MessageParam[] }>;

  /** UserPromptSubmit. `end`: the prompt isn't to be taken. `context`: what the model is told with it. */
  takePrompt(
    prompt: MessageParam,
    signal: AbortSignal,
  ): Promise<{ readonly end?: HookEnd; readonly context: readonly MessageParam[] }>;

  /** Takes what hooks have said that waits for a prompt. It is for a sub-agent's prompt, of which no hook hears. */
  takeContext(): readonly MessageParam[];

  /**
   * WorktreeCreate: where a hook has made it, absolute; `blocked`: why one refuses. Undefined: no hook has an opinion.
   */
  createWorktree(
    name: string,
    signal: AbortSignal,
  ): Promise<{ readonly path?: string; readonly blocked?: string } | undefined>;
  /** WorktreeRemove. */
  removeWorktree(path: string, signal: AbortSignal): Promise<void>;
  /** CwdChanged. */
  changeCwd(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Elicitation: a hook's answer in the person's place; undefined where none gives one. */
  elicit(
    request: ElicitationRequest,
    signal: AbortSignal,
  ): Promise<ElicitationResult | undefined> | undefined;
  /** ElicitationResult: what takes the answer's place. */
  hearElicitation(
    request: ElicitationRequest,
    result: ElicitationResult,
    signal: AbortSignal,
  ): Promise<ElicitationResult | undefined> | undefined;

  /** TaskCreated, TaskCompleted: why a hook refuses it; undefined where none does. */
  announceTask(
    event: TaskEvent,
    task: AnnouncedTask,
    signal: AbortSignal,
  ): Promise<string | undefined> | undefined;
  /** PermissionRequest: a hook's answer; undefined where the person is to be asked. */
  answer(question: Question, signal: AbortSignal): Promise<Answer | undefined> | undefined;
  /** Fires Notification without waiting for its hooks. */
  notify(question: Question): void;
  /** What PostToolUse hooks have said to the classifier in this opening of the session, oldest first. */
  listHostNotes(): readonly HostNote[];
  /**
   * PostToolBatch. Gives what the model is told after these results, in their order, beside the notes that were
   * recorded with the calls' ends.
   */
  afterBatch(
    settled: readonly Settled[],
    signal: AbortSignal,
  ): Promise<readonly MessageParam[]> | undefined;

  /**
   * After each request: Stop and StopFailure where `end` is given. Gives the end that takes its place;
   * undefined: another request follows, for which the conversation may have got a message more.
   */
  hearEnd(
    end: TurnEnd | undefined,
    steps: number,
    turn: Pick<TurnOptions, 'signal' | 'maxTurns'>,
  ): Promise<TurnEnd | undefined>;
}

/**
 * One hook. `toolUseID` is that of the call that the event is about. `signal` is aborted when nobody
 * waits any more: at the timeout, when the turn is stopped; for an async hook at its own timeout, and
 * when the session is closed or let go.
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInput<E>,
  toolUseID: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks of one event, and when they run. All that run for one event run at once. */
export interface HookCallbackMatcher<E extends HookEvent = HookEvent> {
  /**
   * A matcher of letters, digits, `_` and `|` is a list of exact names. Older names of a tool count, and `mcp__server`
   * means all tools of a server. Anything else is a regular expression that is searched for. Left out, empty or `*`:
   * always.
   */
  readonly matcher?: string;
  /** Ours in this place: a permission rule that the call must match, such as `Edit(src/**)`. */
  readonly if?: string;
  readonly hooks: readonly HookCallback<E>[];
  /** Seconds that each may take. @defaultValue 60, and 1.5 for SessionEnd */
  readonly timeout?: number;
  /**
   * What a hook counts as that throws, takes too long, or answers what can't be understood. `block` refuses the call,
   * prompt, question or task, objects to the result, or stops the turn after a batch. At other events it does nothing.
   * @defaultValue 'continue': as if it had no opinion
   */
  readonly onFailure?: 'continue' | 'block';
}

/** `query({ options: { hooks } })`. */
export type HooksOption = {
  readonly [E in HookEvent]?: readonly HookCallbackMatcher<E>[];
};
