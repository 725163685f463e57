// The messages that a query yields: the Claude Agent SDK's types under their own names. Members
// without a meaning here are left out, and ours are marked. docs/compatibility.md lists both.
import type { TaskStatus } from '../tool/background.ts';
import type { ErrorCode } from '../errors.ts';
import type { UserBlock } from './blocks.ts';
import type { AssistantMessage, MessageParam, ModelEvent, Usage } from './messages.ts';
import type { EffortLevel } from './effort.ts';
import type { CallDecision, PermissionMode } from '../permissions/permission.ts';
import type { ActiveGoal } from '../session/goal.ts';
import type { SlashCommand } from '../commands/slash-command.ts';
import type { McpMeta } from '../tool/tool.ts';

/** On every message but a user's own, which gets both when it is taken in. */
interface Common {
  readonly uuid: string;
  readonly session_id: string;
  /**
   * Ours: the entry of the session's journal that it is made of, on each message that is kept. Several
   * messages may be of one entry. Progress, deltas and retries have none: they are never told again.
   */
  readonly n?: number;
}

/** The fields of messages on what a sub-agent says and does. */
interface OfAgent {
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
}

/** Why a plugin, or a part of it, isn't used. */
export interface SDKPluginError {
  /** Its name; its path where that isn't known. */
  readonly plugin: string;
  /** `not-found` and `bad-manifest` leave all of it out, `not-here` a part. */
  readonly type: 'not-found' | 'bad-manifest' | 'not-here';
  /** A sentence for a person: what is wrong, and what to do. */
  readonly message: string;
  readonly path?: string;
}

/** The first message of a query. The empty lists name what doesn't exist here yet. */
export interface SDKSystemMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly apiKeySource: 'user' | 'project' | 'org' | 'temporary' | 'none';
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  readonly model: string;
  /** Left out: as the model's server has it. */
  readonly effort?: EffortLevel;
  readonly permissionMode: PermissionMode;
  /** The kinds of sub-agents that may be asked for. */
  readonly agents: readonly string[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly version?: string;
  }[];
  /** Why a plugin, or a part of it, isn't used. Left out: all are. */
  readonly plugin_errors?: readonly SDKPluginError[];
  /** Ours: what the person who set this up should look at: rules that hold for nothing. May be empty. */
  readonly warnings: readonly string[];
  /** Ours: the version of this package (the SDK's `claude_code_version` would claim another product). */
  readonly rockpool_version: string;
}

/** One message of the model, when it is complete (or cut). */
export interface SDKAssistantMessage extends Common, OfAgent {
  readonly type: 'assistant';
  readonly message: AssistantMessage;
  readonly parent_tool_use_id: string | null;
  /** The turn was stopped while this message still streamed: its unfinished blocks are gone. */
  readonly aborted?: true;
  /** The uuids of replies that are void or retracted, in whose place this one stands. */
  readonly supersedes?: readonly string[];
}

/** A prompt on its way in; on its way out the result of one call. */
export interface SDKUserMessage extends Partial<Common>, OfAgent {
  readonly type: 'user';
  readonly message: Extract<MessageParam, { role: 'user' }>;
  readonly parent_tool_use_id: string | null;
  readonly isSynthetic?: boolean;
  /**
   * The origin, where it isn't a person. It is a task that ended while the agent was idle, another
   * agent, a tick of proactive mode, or what was scheduled before.
   */
  readonly origin?: { readonly kind: 'task-notification' | 'agent' | 'tick' | 'schedule' };
  /** Of a prompt: the text isn't a person's typing, so a slash at its beginning makes no command of it. */
  readonly client_composed?: true;
  /** Of a prompt: false adds it to the conversation, and no turn answers it. An iterable of `query` alone takes it. */
  readonly shouldQuery?: boolean;
  /** Of a prompt: what was pasted into it. Its texts follow the message's content, in order; other blocks are left out. */
  readonly pasted_content?: readonly (string | readonly UserBlock[])[];
  /** Of a prompt, as the two below it: taken, and not read. */
  readonly priority?: 'now' | 'next' | 'later';
  readonly timestamp?: string;
  readonly inline_pastes?: readonly string[];
  /** The tool's output as data, for views; the message holds what the model sees. */
  readonly tool_use_result?: unknown;
  /** Ours: what a remote server's result said beside its content. */
  readonly mcp_meta?: McpMeta;
  /** Ours: why the call might run, or not. `explain` says it in a sentence. */
  readonly decision?: CallDecision;
  /** Ours: the call was cut, or never started. */
  readonly is_stopped?: true;
}

/** One event of the stream, with `includePartialMessages`. Its whole message follows as `assistant`. */
export interface SDKPartialAssistantMessage extends Common {
  readonly type: 'stream_event';
  readonly event: ModelEvent;
  readonly parent_tool_use_id: string | null;
}

/** A call that runs has something to show. Comes before the call's result, but for background tasks. */
export interface SDKToolProgressMessage extends Common {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  /** The task of a call that runs in the background and already has its result. */
  readonly task_id?: string;
  /** Ours: the tool's own progress payload. */
  readonly progress?: unknown;
  /** Ours, with `includePartialMessages`: the call waits for others, or has started after it waited. */
  readonly phase?: 'queued' | 'running';
}

/** A request failed in a way that may pass, and is sent again after the delay. */
export interface SDKAPIRetryMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  /** Null where the server didn't answer at all. */
  readonly error_status: number | null;
  /** The error's code. */
  readonly error: string;
}

/** A call was refused, and why; its `tool_result` follows. */
export interface SDKPermissionDeniedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'permission_denied';
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly agent_id?: string;
  readonly decision_reason_type?: string;
  readonly decision_reason?: string;
  readonly message: string;
}

/** A sentence for the person, from a hook. */
export interface SDKInformationalMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'informational';
  readonly content: string;
  readonly level: 'info' | 'notice' | 'suggestion' | 'warning';
  readonly tool_use_id?: string;
  /** The turn was stopped, and this is why. */
  readonly prevent_continuation?: boolean;
}

/** The conversation before this place was summed up: the model goes on from the summary. */
export interface SDKCompactBoundaryMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    readonly duration_ms?: number;
  };
}

/**
 * What the session is busy with; null: that is over, and `compact_result` says how. With `permissionMode` it says
 * instead that the mode is another: a person, the host or a tool has set it.
 */
export interface SDKStatusMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'status';
  readonly status: 'compacting' | null;
  readonly compact_result?: 'success' | 'failed';
  readonly compact_error?: string;
  readonly permissionMode?: PermissionMode;
}

/** What the person may want to say next. Behind a turn's `result`; it isn't kept. */
export interface SDKPromptSuggestionMessage extends Common {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/** What a command has to say that runs without the model. The turn's `result` says it, too. */
export interface SDKLocalCommandOutputMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'local_command_output';
  readonly content: string;
}

/** There are other commands than `system/init` and the last message of this kind have said. */
export interface SDKCommandsChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommand[];
}

/**
 * `clear`: the conversation goes on in a new session, whose `system/init` follows the turn's `result`. `replaced`, of a
 * session elsewhere: its server has lost messages that this client has. The `system/init` of the same session follows,
 * a notice, and then all of its messages from the first.
 */
export interface SDKConversationResetMessage extends Common {
  readonly type: 'conversation_reset';
  readonly new_conversation_id: string;
  readonly trigger: 'clear' | 'replaced';
}

/** The model refused, and another one is asked in its place, for the rest of the turn. */
export interface SDKModelRefusalFallbackMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'model_refusal_fallback';
  readonly trigger: 'refusal';
  readonly direction: 'retry';
  readonly original_model: string;
  readonly fallback_model: string;
  /** The refused message's id. */
  readonly request_id: string | null;
  readonly api_refusal_category?: string | null;
  readonly api_refusal_explanation?: string | null;
  /** These messages have left the conversation: no viewer should show them any more. */
  readonly retracted_message_uuids: readonly string[];
  readonly content: string;
}

/** A hook's run, with `includeHookEvents`. `hook_id` tells the runs apart. */
interface HookCommon extends Common {
  readonly type: 'system';
  readonly hook_id: string;
  /** `PreToolUse:Edit`; the event alone where it is about nothing that has a name. */
  readonly hook_name: string;
  readonly hook_event: string;
}

/** A hook is about to run. */
export interface SDKHookStartedMessage extends HookCommon {
  readonly subtype: 'hook_started';
}

/** A hook has answered, failed, or was given up because the turn was stopped. */
export interface SDKHookResponseMessage extends HookCommon {
  readonly subtype: 'hook_response';
  /** What it gave, as JSON; empty with `suppressOutput`. */
  readonly output: string;
  /** Always empty: a hook is a function here. */
  readonly stdout: string;
  /** Why it failed. */
  readonly stderr: string;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

/** A call that a hook put off. */
export interface SDKDeferredToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** A call runs beside the conversation from now on. Its `tool_result` says so to the model. */
export interface SDKTaskStartedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'task_started';
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly description: string;
  readonly task_type: string;
  /** The type of a sub-agent. */
  readonly subagent_type?: string;
  readonly is_backgrounded?: boolean;
  /** Ours: `Query.backgroundTasks` can send it to the background. Its call waits for it until then. */
  readonly can_be_backgrounded?: true;
  readonly spawn_depth?: number;
  /** The sub-agent that has started it. */
  readonly parent_task_id?: string;
}

/** The last word about a task. What it changed is kept exactly where it is `completed`. */
export interface SDKTaskNotificationMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly status: TaskStatus;
  readonly output_file: string;
  readonly summary: string;
  /** The usage of a sub-agent. */
  readonly usage?: SDKTaskUsage;
  /** Ours: why the call might run, and whether what it changed was kept, and why. */
  readonly decision?: CallDecision;
}

/** What a sub-agent has used so far: its own requests and calls, not those of agents that it has begun. */
export interface SDKTaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

/** A sub-agent has got another reply. */
export interface SDKTaskProgressMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: SDKTaskUsage;
  readonly last_tool_name?: string;
  /** What its last call does: "Reading src/app.ts". Left out where that is not known. */
  readonly summary?: string;
}

/** A task stands otherwise than before: it has ended, or a sub-agent at rest goes on. */
export interface SDKTaskUpdatedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'task_updated';
  readonly task_id: string;
  readonly patch: {
    readonly status: 'running' | 'completed' | 'failed' | 'killed';
    readonly is_backgrounded?: boolean;
    /** Milliseconds since the epoch. */
    readonly end_time?: number;
    readonly error?: string;
  };
}

/** All that runs in the background now, oldest first. Told whenever that changes. */
export interface SDKBackgroundTasksChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'background_tasks_changed';
  readonly tasks: readonly {
    readonly task_id: string;
    readonly task_type: string;
    readonly description: string;
    readonly subagent_type?: string;
    /** The sub-agent that has started it. */
    readonly parent_task_id?: string;
  }[];
}

/** A kind of sub-agent that may be asked for. */
export interface AgentInfo {
  readonly name: string;
  /** When it is asked for. */
  readonly description: string;
  /** Left out: its caller's. */
  readonly model?: string;
}

/** One refused call in the turn's `result`, with the input that the model gave. */
export interface SDKPermissionDenial {
  /** For a sub-agent's denial, which is listed in the next result of the session's own agent. */
  readonly agent_id?: string;
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Record<string, unknown>;
}

/** One call of a turn that was interrupted. */
export interface SDKInterruptedCall {
  readonly tool_use_id: string;
  readonly tool_name: string;
}

/**
 * What a turn had done when it was interrupted. Beside `still_queued` the fields are ours. Calls that
 * other calls made aren't named; what they changed is with the call that made them.
 */
export interface SDKControlInterruptResponse {
  /** The uuids of the prompts that were sent and wait: their turns come next. */
  readonly still_queued: readonly string[];
  /** They have their own result. `is_error`: they failed, or were refused. */
  readonly finished: readonly (SDKInterruptedCall & { readonly is_error: boolean })[];
  /** They were at work: nothing that they did in the workspace was kept. */
  readonly cut: readonly SDKInterruptedCall[];
  readonly never_started: readonly SDKInterruptedCall[];
  /** What the turn has changed in the workspace, oldest first. */
  readonly changes: readonly {
    readonly tool_use_id: string;
    readonly path: string;
    readonly type: 'write' | 'mkdir' | 'symlink' | 'remove';
  }[];
}

/**
 * What fills the model's window, in tokens. The sum is the server's newest count and an estimate of what came since;
 * the categories are estimates.
 */
export interface SDKControlGetContextUsageResponse {
  readonly model: string;
  readonly totalTokens: number;
  /** The model's window. Left out, with what follows from it: it isn't known yet, or its server doesn't say. */
  readonly maxTokens?: number;
  /** In percent of the window; may exceed 100. */
  readonly percentage?: number;
  /** Above so many tokens the conversation is summed up before the next request. */
  readonly autoCompactThreshold?: number;
  /** The categories that use any tokens. */
  readonly categories: readonly { readonly name: string; readonly tokens: number }[];
}

/** One model's share of a query: tokens by kind, and US dollars. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  /** Searches of the server's. Left out: none. */
  readonly webSearchRequests?: number;
  readonly costUSD: number;
  /**
   * The published list, or the `prices` option. `unknown`: the model's price isn't known, and `costUSD`
   * leaves it out.
   */
  readonly costBasis?: 'list' | 'given' | 'unknown';
}

/** Times and `usage` are the turn's; `modelUsage` and the cost are the whole query's. */
interface ResultCommon extends Common {
  readonly type: 'result';
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly is_error: boolean;
  readonly num_turns: number;
  readonly stop_reason: string | null;
  readonly total_cost_usd: number;
  readonly usage: Usage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly SDKPermissionDenial[];
  /** The SDK's `TerminalReason`: why the turn ended, more finely than the subtype. */
  readonly terminal_reason?: string;
}

/** The model came to rest, or a hook ended the turn. `is_error` only where it refused to go on. */
export interface SDKResultSuccess extends ResultCommon {
  readonly subtype: 'success';
  readonly result: string;
  /** The answer in the query's `outputFormat`. `result` is the same as JSON. */
  readonly structured_output?: unknown;
  /** With `terminal_reason: 'tool_deferred'`: the call that a hook deferred. It hasn't run. */
  readonly deferred_tool_use?: SDKDeferredToolUse;
  /** The prompt was this command, which was answered without the model. `is_error`: it couldn't be done. */
  readonly local_command?: string;
}

/** The turn ended otherwise. */
export interface SDKResultError extends ResultCommon {
  readonly subtype:
    | 'error_during_execution'
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly errors: readonly string[];
  /** Ours: the error's code, such as `model-authentication`; left out where the turn was stopped. */
  readonly error_code?: ErrorCode;
}

/** The last message of each prompt. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/**
 * Sent by a session of `openSession`, at each change. `requires_action`: a question waits; sent again when another one
 * does.
 */
export interface SDKSessionStateChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_state_changed';
  readonly state: 'idle' | 'running' | 'requires_action';
}

/**
 * Ours. Of a session that `openSession` gave, where several tabs have it open. It comes at the
 * beginning where another tab runs the session, and when this one has taken it over.
 */
export interface SDKSessionRoleChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_role_changed';
  readonly role: 'runner' | 'viewer';
}

/**
 * Ours. A rewind or an undo: the conversation goes on from the message `to`. What was said between is no part of it any
 * more; after an undo, what the rewind had taken back is again.
 */
export interface SDKConversationRewoundMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'conversation_rewound';
  /** A message's `n`, or that of an entry that no message is made of. */
  readonly to: number;
}

/**
 * Ours. Of a session that `openSession` gave, in each tab that has it open: it runs in another place now. The last
 * message. Calls are refused from then on, with a sentence that names the place.
 */
export interface SDKSessionMovedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_moved';
  /** Where `connectSession` follows it, and `bringBack` fetches it. Null: that can't be reached, as a tab can't. */
  readonly url: string | null;
  /** True if it is unknown whether the session runs there or here: `settleMove` asks. */
  readonly is_unsure: boolean;
  /** The same for the person. */
  readonly content: string;
}

/** For a query with a `sessionStore`: sending entries there has begun to fail. The session continues. */
export interface SDKMirrorErrorMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: { readonly projectKey: string; readonly sessionId: string };
}

/** The session's goal: it was set, checked or ended. A rewind takes it back; one that is left is told again behind it. */
export interface SDKActiveGoalMessage extends Common {
  readonly type: 'active_goal';
  /** Null: there is none now. */
  readonly value: ActiveGoal | null;
}

/** Everything that a query yields, starting with `system/init`; each turn ends with a `result`. */
export type SDKMessage =
  | SDKSystemMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKPartialAssistantMessage
  | SDKToolProgressMessage
  | SDKAPIRetryMessage
  | SDKPermissionDeniedMessage
  | SDKInformationalMessage
  | SDKModelRefusalFallbackMessage
  | SDKCompactBoundaryMessage
  | SDKConversationResetMessage
  | SDKLocalCommandOutputMessage
  | SDKCommandsChangedMessage
  | SDKStatusMessage
  | SDKHookStartedMessage
  | SDKHookResponseMessage
  | SDKMirrorErrorMessage
  | SDKSessionStateChangedMessage
  | SDKSessionRoleChangedMessage
  | SDKSessionMovedMessage
  | SDKConversationRewoundMessage
  | SDKActiveGoalMessage
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskUpdatedMessage
  | SDKBackgroundTasksChangedMessage
  | SDKTaskNotificationMessage
  | SDKPromptSuggestionMessage
  | SDKResultMessage;
