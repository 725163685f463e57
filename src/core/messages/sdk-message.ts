// The messages that a query yields: the Claude Agent SDK's types under their own names. Members that have no meaning
// in Rockpool are left out, and additional members are marked as ours. docs/compatibility.md lists both.
import type { TaskStatus } from '../tool/background.ts';
import type { ErrorCode } from '../errors.ts';
import type { UserBlock } from './blocks.ts';
import type { AssistantMessage, MessageParam, ModelEvent, Usage } from './messages.ts';
import type { EffortLevel } from './effort.ts';
import type { CallDecision, PermissionMode } from '../permissions/permission.ts';
import type { ActiveGoal } from '../session/goal.ts';
import type { SlashCommand } from '../commands/slash-command.ts';
import type { McpMeta } from '../tool/tool.ts';

/** The fields of every message. Only a prompt may lack them: it gets both when the session accepts it. */
interface Common {
  readonly uuid: string;
  readonly session_id: string;
  /**
   * Ours: the number of the journal entry from which the message is made. Several messages may be made from one
   * entry. Progress, deltas and retries have no number: they aren't kept, and are sent only once.
   */
  readonly n?: number;
}

/** The fields of messages about a sub-agent's replies and calls. */
interface OfAgent {
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
}

/** Why a plugin, or a part of it, isn't used. */
export interface SDKPluginError {
  /** The plugin's name, or its path if the name isn't known. */
  readonly plugin: string;
  /** `not-found` and `bad-manifest`: the whole plugin is left out. `not-here`: a part is left out. */
  readonly type: 'not-found' | 'bad-manifest' | 'not-here';
  /** A sentence for a person: what is wrong, and what to do. */
  readonly message: string;
  readonly path?: string;
}

/** The first message of a query. */
export interface SDKSystemMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly apiKeySource: 'user' | 'project' | 'org' | 'temporary' | 'none';
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  readonly model: string;
  /** Left out: the server's default. */
  readonly effort?: EffortLevel;
  readonly permissionMode: PermissionMode;
  /** The types of sub-agents that may be started. */
  readonly agents: readonly string[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly version?: string;
  }[];
  /** Why plugins, or parts of them, aren't used. Left out: everything is used. */
  readonly plugin_errors?: readonly SDKPluginError[];
  /** Ours: problems for the person who configured the session, such as rules that match nothing. May be empty. */
  readonly warnings: readonly string[];
  /** Ours: the version of this package. The SDK's `claude_code_version` would name another product. */
  readonly rockpool_version: string;
}

/** One message of the model, sent when it is complete or was cut. */
export interface SDKAssistantMessage extends Common, OfAgent {
  readonly type: 'assistant';
  readonly message: AssistantMessage;
  readonly parent_tool_use_id: string | null;
  /** The turn was stopped while this message still streamed. Its unfinished blocks are dropped. */
  readonly aborted?: true;
  /** The uuids of void or retracted replies that this message replaces. */
  readonly supersedes?: readonly string[];
}

/** See `priority` of {@link SDKUserMessage}. */
export type PromptPriority = 'now' | 'next' | 'later';

/** Who has written a prompt. A host may give only `human`, which means the same as no origin. */
export interface SDKMessageOrigin {
  readonly kind: 'human' | 'task-notification' | 'agent' | 'tick' | 'schedule';
}

/** As input: a prompt. As output: the result of one call, or a prompt. */
export interface SDKUserMessage extends Partial<Common>, OfAgent {
  readonly type: 'user';
  readonly message: Extract<MessageParam, { role: 'user' }>;
  readonly parent_tool_use_id: string | null;
  readonly isSynthetic?: boolean;
  /** Left out if a person has written the prompt. */
  readonly origin?: SDKMessageOrigin;
  /** Of a prompt: a program wrote the text, so a slash at its beginning doesn't make it a command. */
  readonly client_composed?: true;
  /**
   * Of a prompt: false adds it to the conversation without a turn that answers it. Only an iterable of `query`
   * accepts it.
   */
  readonly shouldQuery?: boolean;
  /** Of a prompt: the pasted content. Its texts follow the message's content, in order; other blocks are left out. */
  readonly pasted_content?: readonly (string | readonly UserBlock[])[];
  /**
   * Of a prompt that is sent while a turn runs. `next`: it joins that turn, with the next request; a command, and a
   * prompt that comes after the last request, gets a turn of its own. `now`: it stops that turn. Of the prompts that
   * wait for a turn, `now` comes first, then `next`. @defaultValue 'later'
   */
  readonly priority?: PromptPriority;
  /** Ours, as output: the prompt has joined the turn that runs. */
  readonly joins_turn?: true;
  /** Of a prompt, like the field below: accepted, but has no effect. */
  readonly timestamp?: string;
  readonly inline_pastes?: readonly string[];
  /** The tool's output as data, for views; the message holds what the model sees. */
  readonly tool_use_result?: unknown;
  /** Ours: the fields of a remote server's result beside its content. */
  readonly mcp_meta?: McpMeta;
  /** Ours: why the call was allowed or refused. `explain` makes a sentence of it. */
  readonly decision?: CallDecision;
  /** Ours: the call was cut, or never started. */
  readonly is_stopped?: true;
}

/** One event of the model's stream, with `includePartialMessages`. The complete message follows as `assistant`. */
export interface SDKPartialAssistantMessage extends Common {
  readonly type: 'stream_event';
  readonly event: ModelEvent;
  readonly parent_tool_use_id: string | null;
}

/** Progress of a running call. It comes before the call's result, except for background tasks. */
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

/** A request failed with a temporary error, and is sent again after the delay. */
export interface SDKAPIRetryMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  /** Null if the server didn't answer at all. */
  readonly error_status: number | null;
  /** The error's code. */
  readonly error: string;
}

/** A call was refused, with the reason. Its `tool_result` follows. */
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
  /** True if the turn was stopped for this reason. */
  readonly prevent_continuation?: boolean;
}

/** The conversation before this message was summarised. The model continues from the summary. */
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
 * What the session is doing. Null: it has ended, and `compact_result` says how. With `permissionMode` the message
 * reports a new mode instead, which a person, the host or a tool has set.
 */
export interface SDKStatusMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'status';
  readonly status: 'compacting' | null;
  readonly compact_result?: 'success' | 'failed';
  readonly compact_error?: string;
  readonly permissionMode?: PermissionMode;
}

/** A suggestion for the person's next prompt. It follows a turn's `result`, and isn't kept. */
export interface SDKPromptSuggestionMessage extends Common {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/** The output of a command that runs without the model. The turn's `result` has the same text. */
export interface SDKLocalCommandOutputMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'local_command_output';
  readonly content: string;
}

/** The commands have changed since `system/init` or the last message of this kind. */
export interface SDKCommandsChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommand[];
}

/**
 * `clear`: the conversation continues in a new session, whose `system/init` follows the turn's `result`. `replaced`,
 * only of a remote session: its server has lost messages that this client has. Then the `system/init` of the same
 * session follows, a notice, and all of its messages from the first.
 */
export interface SDKConversationResetMessage extends Common {
  readonly type: 'conversation_reset';
  readonly new_conversation_id: string;
  readonly trigger: 'clear' | 'replaced';
}

/** The model refused to answer. Another model is used for the rest of the turn. */
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
  /** These messages were removed from the conversation. Viewers should remove them, too. */
  readonly retracted_message_uuids: readonly string[];
  readonly content: string;
}

/** One run of a hook, with `includeHookEvents`. `hook_id` identifies the run. */
interface HookCommon extends Common {
  readonly type: 'system';
  readonly hook_id: string;
  /** For example `PreToolUse:Edit`. Only the event's name if the event isn't about anything with a name. */
  readonly hook_name: string;
  readonly hook_event: string;
}

/** A hook is about to run. */
export interface SDKHookStartedMessage extends HookCommon {
  readonly subtype: 'hook_started';
}

/** A hook has answered or failed, or was cancelled because the turn was stopped. */
export interface SDKHookResponseMessage extends HookCommon {
  readonly subtype: 'hook_response';
  /** The hook's output as JSON. Empty with `suppressOutput`. */
  readonly output: string;
  /** Always empty, because a hook is a function. */
  readonly stdout: string;
  /** Why the hook failed. */
  readonly stderr: string;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

/** A call that a hook has deferred. */
export interface SDKDeferredToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** A call runs in the background from now on. Its `tool_result` tells the model so. */
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
  /** Ours: the call waits for the task until `Query.backgroundTasks` sends the task to the background. */
  readonly can_be_backgrounded?: true;
  readonly spawn_depth?: number;
  /** The sub-agent that has started the task. */
  readonly parent_task_id?: string;
}

/** The end of a task. Its changes are kept only if it is `completed`. */
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
  /** Ours: why the call was allowed, whether its changes were kept, and why. */
  readonly decision?: CallDecision;
}

/** The usage of a sub-agent so far: its requests and calls, without those of agents that it has started. */
export interface SDKTaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

/** A sub-agent has got another reply from its model. */
export interface SDKTaskProgressMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly description: string;
  readonly subagent_type?: string;
  readonly usage: SDKTaskUsage;
  readonly last_tool_name?: string;
  /** What the agent's last call does: "Reading src/app.ts". Left out if that isn't known. */
  readonly summary?: string;
}

/** A task's status has changed: it has ended, or an idle sub-agent continues. */
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

/** All present background tasks, oldest first. Sent at each change. */
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

/** A type of sub-agent that may be started. */
export interface AgentInfo {
  readonly name: string;
  /** When to use it. */
  readonly description: string;
  /** Left out: the caller's model. */
  readonly model?: string;
}

/** One refused call in the turn's `result`, with the input that the model gave. */
export interface SDKPermissionDenial {
  /**
   * Present if a sub-agent's call was refused. Such a refusal is listed in the next result of the session's main
   * agent.
   */
  readonly agent_id?: string;
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Record<string, unknown>;
}

/**
 * What fills the model's window, in tokens. The total is the server's newest count plus an estimate of what was added
 * since. The categories are estimates.
 */
export interface SDKControlGetContextUsageResponse {
  readonly model: string;
  readonly totalTokens: number;
  /** The size of the model's window. Left out, like the fields that depend on it, if the size isn't known. */
  readonly maxTokens?: number;
  /** In percent of the window; may exceed 100. */
  readonly percentage?: number;
  /** Above this number of tokens the conversation is summarised before the next request. */
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
  /** Web searches by the model's server. Left out: none. */
  readonly webSearchRequests?: number;
  readonly costUSD: number;
  /**
   * Where the prices come from: the published list, or the `prices` option. `unknown`: the model's price isn't known,
   * and `costUSD` doesn't contain its requests.
   */
  readonly costBasis?: 'list' | 'given' | 'unknown';
}

/** Times and `usage` are of the turn; `modelUsage` and the cost are of the whole session so far. */
interface ResultCommon extends Common {
  readonly type: 'result';
  /** The prompt's origin. Left out if a person has written the prompt. */
  readonly origin?: SDKMessageOrigin;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly is_error: boolean;
  readonly num_turns: number;
  readonly stop_reason: string | null;
  readonly total_cost_usd: number;
  readonly usage: Usage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly SDKPermissionDenial[];
  /** The SDK's `TerminalReason`: why the turn ended, in more detail than the subtype. */
  readonly terminal_reason?: string;
}

/** The model ended the turn, or a hook did. `is_error` only if the model refused to continue. */
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

/** The turn ended in any other way. */
export interface SDKResultError extends ResultCommon {
  readonly subtype:
    | 'error_during_execution'
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly errors: readonly string[];
  /** Ours: the error's code, such as `model-authentication`. Left out if the turn was stopped. */
  readonly error_code?: ErrorCode;
}

/** The last message of each prompt. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/**
 * Sent by a session of `openSession` at each change. `requires_action`: a question waits. It is sent again when
 * another question waits.
 */
export interface SDKSessionStateChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_state_changed';
  readonly state: 'idle' | 'running' | 'requires_action';
}

/**
 * Ours. Sent behind `system/init` if the session runs in another tab or at its server, and when this tab has taken it
 * over.
 */
export interface SDKSessionRoleChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_role_changed';
  readonly role: 'runner' | 'viewer';
}

/**
 * Ours. Sent by a session of `connectSession`: its connection is lost and is being retried (`waiting`), or is back. The
 * messages that came meanwhile follow.
 */
export interface SDKSessionConnectionChangedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_connection_changed';
  readonly connection: 'open' | 'waiting';
}

/**
 * Ours. A rewind or an undo: the conversation continues from the message `to`. After a rewind the messages between
 * are no longer part of it. After an undo they are part of it again.
 */
export interface SDKConversationRewoundMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'conversation_rewound';
  /** A message's `n`, or the number of an entry from which no message is made. */
  readonly to: number;
}

/**
 * Ours. For a session of `openSession`, in each tab that has it open: it now runs in another place. This is the last
 * message. From then on the session's methods reject with a sentence that names the place.
 */
export interface SDKSessionMovedMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'session_moved';
  /**
   * The address for `connectSession`, which follows the session, and for `bringBack`, which fetches it. Null: the
   * place can't be reached, for example a tab.
   */
  readonly url: string | null;
  /** True if it is unknown whether the session runs there or here: `settleMove` asks. */
  readonly is_unsure: boolean;
  /** A sentence about the move for the person. */
  readonly content: string;
}

/** For a query with a `sessionStore`: entries can't be sent to the store at present. The session continues. */
export interface SDKMirrorErrorMessage extends Common {
  readonly type: 'system';
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: { readonly projectKey: string; readonly sessionId: string };
}

/**
 * The session's goal was set, checked or ended. A rewind reverts the goal; if one remains, this message is sent again
 * after the rewind.
 */
export interface SDKActiveGoalMessage extends Common {
  readonly type: 'active_goal';
  /** Null: there is no goal now. */
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
  | SDKSessionConnectionChangedMessage
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
