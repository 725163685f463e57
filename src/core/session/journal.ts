// The journal of a session: entries of plain data that record what has happened. Everything that a session knows is a
// fold over its entries (agent/journal/fold.ts). docs/sessions.md has the format.
import type { ContentBlock, ToolResultBlock } from '../messages/blocks.ts';
import type { CallState } from '../tool/call-state.ts';
import type { Change, Version } from '../change-set.ts';
import type { SerializedError } from '../errors.ts';
import type { AssistantMessage, MessageParam, Usage } from '../messages/messages.ts';
import type {
  CallDecision,
  CanUseToolOptions,
  DecisionReason,
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
} from '../permissions/permission.ts';
import type { OutputFormat } from '../messages/output-format.ts';
import type {
  PromptPriority,
  SDKMessageOrigin,
  SDKResultMessage,
} from '../messages/sdk-message.ts';
import type { TaskStatus } from '../tool/background.ts';
import type { SnippedHistory } from './session-history.ts';
import type { McpMeta } from '../tool/tool.ts';

/**
 * The format that this version writes, and the newest that it reads. A journal of a newer format is refused and not
 * changed.
 */
export const journalFormat = 1;

/**
 * One entry. `n` counts from 1 without a gap; `time` is the host's clock, in milliseconds since the epoch. `agent` is
 * the id of the sub-agent whose entry it is; left out for the main agent.
 */
export type JournalEntry = JournalRecord & {
  readonly n: number;
  readonly time: number;
  readonly agent?: string;
  /** The number of the commit with which the entry was recorded. Left out if it was recorded alone. */
  readonly seq?: Version;
};

/** A record to append, and the agent that it is for. */
export type AgentJournalRecord = JournalRecord & Pick<JournalEntry, 'agent'>;

/** The content of an entry. Readers keep and skip types that they don't know. */
export type JournalRecord =
  | SessionRecord
  | OpenedRecord
  | PromptRecord
  | TurnRecord
  | JoinedRecord
  | StoppedRecord
  | ContextRecord
  | RequestRecord
  | BlockRecord
  | ReplyRecord
  | QuestionRecord
  | AnswerRecord
  | CallRecord
  | SettledRecord
  | AmendedRecord
  | ResultsRecord
  | PermissionsRecord
  | StateRecord
  | UsageRecord
  | CompactedRecord
  | ClearedRecord
  | SnippedRecord
  | RewoundRecord
  | MovedRecord
  | MoveOutRecord
  | MoveInRecord
  | MoveKeptRecord
  | ArrivedRecord
  | TaskRecord
  | AgentRecord
  | MailRecord
  | ResultRecord
  | MetaRecord;

/** The first entry of every journal. The session's ids and the random numbers of its cells are derived from `seed`. */
export interface SessionRecord {
  readonly type: 'session';
  readonly format: number;
  readonly id: string;
  readonly seed: string;
  readonly cwd: string;
  /** The version of this package that began the session. */
  readonly version: string;
  readonly forkedFrom?: { readonly id: string; readonly n: number };
  /** The session that `/clear` replaced by this one. */
  readonly clearedFrom?: string;
  /** The sessions that were cleared before that one, newest first. Left out: none. */
  readonly clearedBefore?: readonly string[];
}

/** A tab or a host runs the session from this entry on. `owner` identifies the opening. */
export interface OpenedRecord {
  readonly type: 'opened';
  readonly owner: string;
  readonly why: 'start' | 'resume' | 'woken' | 'fork' | 'takeover' | 'import';
  /** For a fork, whose earlier entries were copied from another session: the fork's id and seed. */
  readonly fork?: Pick<SessionRecord, 'id' | 'seed'>;
}

/** A prompt. It is part of the conversation once a turn takes it up. */
export interface PromptRecord {
  readonly type: 'prompt';
  readonly uuid: string;
  readonly message: Extract<MessageParam, { role: 'user' }>;
  /** The origin of a prompt that isn't a person's. */
  readonly origin?: SDKMessageOrigin;
  /** The prompt isn't a command, even if it begins with a slash. */
  readonly client_composed?: true;
  /** Left out: `later`. */
  readonly priority?: Exclude<PromptPriority, 'later'>;
  /** See {@link ContextRecord}. */
  readonly tells?: readonly string[];
  /** The keys of the states (scheduled jobs and wake-ups) that were due and caused this prompt. */
  readonly fires?: readonly string[];
}

/** A turn begins with this prompt, which is part of the conversation from here on. */
export interface TurnRecord {
  readonly type: 'turn';
  readonly prompt: string;
  /**
   * A hook refused the prompt, or it is a command that runs without the model. It isn't part of the
   * conversation, and there is no request.
   */
  readonly isBlocked?: true;
  /** With `isBlocked`: the command's name. Recorded before the command acts, so that it acts at most once. */
  readonly command?: string;
  /** What the model gets instead of the prompt: the text of a command, expanded for this prompt. */
  readonly message?: Extract<MessageParam, { role: 'user' }>;
  /** The prompt is a person's cell, with this code. It is run, and no model is asked. */
  readonly cell?: string;
  /** Which of the query's `models` answers, by its name: a command's own. Left out: the session's. */
  readonly model?: string;
  /** The id of the workspace's checkpoint that was made before the turn. */
  readonly checkpoint?: string;
}

/** A prompt joins the open turn: it is part of the conversation from here on, and gets no turn of its own. */
export interface JoinedRecord {
  readonly type: 'joined';
  readonly prompt: string;
  /** A hook refused the prompt, for this reason. It isn't part of the conversation. */
  readonly blocked?: string;
}

/** A person stops the open turn. Recorded before it takes effect. */
export interface StoppedRecord {
  readonly type: 'stopped';
}

/**
 * Any other message that is appended to the conversation. `source`: `hook`, `tool`, `memory`, `names`, …;
 * `sent-back`: why a Stop hook or the session's goal makes the model continue.
 */
export interface ContextRecord {
  readonly type: 'context';
  readonly source: string;
  readonly messages: readonly MessageParam[];
  /** The ids of the mail and of the ended tasks that the message reports. They aren't reported again. */
  readonly tells?: readonly string[];
}

/** A request to the model, recorded before it is sent. Its body is derived from the entries before it. */
export interface RequestRecord {
  readonly type: 'request';
  /** The number of the request in the session, from 1. */
  readonly step: number;
  readonly model: string;
  /** The hash of everything that is sent: see agent/journal/request-hash.ts. */
  readonly hash: string;
  /** How many messages the request has. */
  readonly messages: number;
  /** Left out: the same as in the request before. */
  readonly head?: RequestHead;
}

/** The parts of a request before its messages, as hashes of 16 hexadecimal digits: agent/journal/request-hash.ts. */
export interface RequestHead {
  readonly system: string;
  /** In the order in which they are sent. */
  readonly tools: readonly (readonly [name: string, hash: string])[];
}

/** A block of a reply is complete, while the reply still streams. */
export interface BlockRecord {
  readonly type: 'block';
  readonly step: number;
  readonly index: number;
  readonly block: ContentBlock;
  /** For a call whose streamed input isn't a JSON object: the message for the model. */
  readonly inputError?: string;
}

/** A reply has ended. `cut`: its complete blocks stay in the conversation. `void`: nothing of it does. */
export interface ReplyRecord {
  readonly type: 'reply';
  readonly step: number;
  readonly uuid: string;
  readonly end: 'whole' | 'cut' | 'void';
  /** The complete blocks; in a void message only the blocks of calls whose changes stay. */
  readonly message: AssistantMessage;
  /** By call: the input that viewers see, if the tool has filled fields for them. */
  readonly observed?: Readonly<Record<string, unknown>>;
  /**
   * Never recorded: set by a reader, with the reason why the inputs of these calls can't be read any more. The calls
   * don't run.
   */
  readonly lostInputs?: Readonly<Record<string, string>>;
}

/** A person is asked a question. */
export interface QuestionRecord {
  readonly type: 'question';
  readonly requestId: string;
  readonly callId: string;
  readonly question: Omit<CanUseToolOptions, 'signal' | 'requestId'> & {
    readonly toolName: string;
    readonly input: Record<string, unknown>;
  };
}

/**
 * The answer to a question, recorded before it takes effect. Null: the question was withdrawn, or answered elsewhere.
 */
export interface AnswerRecord {
  readonly type: 'answer';
  readonly requestId: string;
  readonly result: PermissionResult | null;
}

/** A call was allowed and is about to run. */
export interface CallRecord {
  readonly type: 'call';
  readonly id: string;
  /** The outer call whose code makes this call. */
  readonly parent?: string;
  readonly origin: 'model' | 'code' | 'tool' | 'app' | 'background';
  readonly tool: string;
  /** The input, including changes by a person, a hook or the tool. */
  readonly input: unknown;
  readonly decision?: CallDecision;
  /** Whether the call may be run a second time after a kill: see core/tool/restart-rules.ts. */
  readonly repeatable: boolean;
  /** How often the call was started, from 1. */
  readonly attempt: number;
}

/** A refusal, by a rule, a mode, the tool itself or a person. */
export interface Denial {
  readonly reason: DecisionReason;
  /** The message for the model. */
  readonly message: string;
  /** A person's refusal may stop the whole turn. */
  readonly interrupt: boolean;
  /** Ends the turn when the concurrent calls have settled, with this text as its result. */
  readonly result?: string;
}

/** The one end of a call. It is in the same record of the workspace's log as the call's changes. */
export interface SettledRecord {
  readonly type: 'settled';
  readonly id: string;
  readonly parent?: string;
  readonly tool: string;
  readonly state: Extract<CallState, 'output-available' | 'output-error' | 'output-denied'>;
  readonly result: ToolResultBlock;
  readonly output?: unknown;
  /** Present for a nested call that never started, and so has no {@link CallRecord}. */
  readonly input?: unknown;
  /** The messages that the tool appends to the conversation, after the results of its message. */
  readonly newMessages?: readonly MessageParam[];
  /** The file versions that the model now knows, by path. 0 means that it no longer knows the path. */
  readonly reads: readonly (readonly [path: string, version: Version])[];
  /** Paths whose version after the entry's commit the model knows: see `seq` of an entry. */
  readonly writes?: readonly string[];
  readonly changes?: readonly Pick<Change, 'type' | 'path'>[];
  /** The changed files that the session has created, as of the entry's commit. */
  readonly own?: readonly string[];
  /** The names that the sandbox keeps now. Left out if the call saved no state. */
  readonly kept?: readonly string[];
  /** With `kept`: the ports on which servers in the sandbox listen now. Left out: none. */
  readonly ports?: readonly number[];
  readonly vm?: VmChange;
  readonly isStopped?: true;
  /** A hook has deferred the call: it hasn't run, and the turn ends. */
  readonly isDeferred?: true;
  /**
   * The hooks for this call haven't run yet. Result and output are the tool's; neither the model nor a viewer gets
   * them before an {@link AmendedRecord}.
   */
  readonly isOpen?: true;
  readonly denial?: Denial;
  readonly decision?: CallDecision;
  readonly mcpMeta?: McpMeta;
  /** Texts of hooks for the model about this call and its nested calls. They are sent with the message's results. */
  readonly notes?: readonly string[];
}

/**
 * The changes by hooks to a settled call that was open. Its fields replace those of the {@link SettledRecord}, and a
 * field that is left out is removed. Only `notes` are kept.
 */
export interface AmendedRecord extends Pick<
  SettledRecord,
  'id' | 'state' | 'result' | 'output' | 'newMessages' | 'mcpMeta' | 'notes'
> {
  readonly type: 'amended';
}

/** The saved state of a session's sandbox: whole, or as the difference from the state before. */
export interface VmChange {
  readonly tool: string;
  readonly form: 'whole' | 'delta';
  /** Stored beside the entry. */
  readonly bytes: JournalBytes;
  /** How many bytes these are. */
  readonly size: number;
}

/** Bytes to record, or the content where recorded bytes are. */
export type JournalBytes = Uint8Array | { readonly contentId: number };

/** The results of a message's calls, as they are sent to the model. */
export interface ResultsRecord {
  readonly type: 'results';
  readonly step: number;
  readonly message: Extract<MessageParam, { role: 'user' }>;
  /** Corrections of the file versions that the model knows: the message's budget had no room for a file's content. */
  readonly reads?: readonly (readonly [path: string, version: Version])[];
}

/** A change of permissions. A field that is left out is unchanged. */
export interface PermissionsRecord {
  readonly type: 'permissions';
  readonly updates: readonly PermissionUpdate[];
  readonly mode?: PermissionMode;
  /** The session moved, and its mode comes from the place with this id. There it doesn't apply. */
  readonly home?: string;
  readonly taintedBy?: string;
  /** Since this sequence number of the workspace, files or variables may hold text from outside. */
  readonly downloadedAt?: Version;
  /** The allow rules until the turn's end, which replace those before. Empty: the turn has ended. */
  readonly turn?: readonly PermissionRuleValue[];
}

/** A value that a feature keeps under its own key. */
export interface StateRecord {
  readonly type: 'state';
  readonly key: string;
  readonly value: unknown;
  /** A text that the model gets after a compaction, for example the whole plan or task list. */
  readonly reminder?: string;
  /**
   * Never recorded: set by a reader, with the reason why the value can't be read any more. The value is then null,
   * and counts as never set.
   */
  readonly lost?: string;
}

/** The usage of one request to a model, for any purpose. Recorded once for each request. */
export interface UsageRecord {
  readonly type: 'usage';
  readonly requestId: string;
  readonly purpose: 'turn' | 'classifier' | 'compaction' | 'side';
  readonly model: string;
  readonly usage: Usage;
  readonly usd: number;
  /** Where the request's price comes from. */
  readonly basis: 'list' | 'given' | 'unknown';
  readonly apiMs: number;
}

/** The summary replaces the conversation before entry `keepFrom`. */
export interface CompactedRecord {
  readonly type: 'compacted';
  readonly keepFrom: number;
  readonly summary: readonly MessageParam[];
  readonly trigger: 'manual' | 'auto' | 'overflow';
  /** Tokens of the conversation before and after the compaction, if they are known. */
  readonly preTokens?: number;
  readonly postTokens?: number;
  /** How long the summary took. */
  readonly durationMs?: number;
}

export interface ClearedCall {
  readonly id: string;
  readonly text: string;
  /**
   * The entry that has the result. It is needed because some servers use the same call ids in each reply. Left out:
   * any entry.
   */
  readonly source?: number;
}

/** From here on the model gets one line instead of the result of each of these calls. */
export interface ClearedRecord {
  readonly type: 'cleared';
  /** The calls, each with the text that replaces its result. */
  readonly calls: readonly ClearedCall[];
  /** Tokens of the conversation afterwards, if they are known. */
  readonly postTokens?: number;
}

/** These parts are removed from the conversation. The message replaces the first of them. */
export interface SnippedRecord extends SnippedHistory {
  readonly type: 'snipped';
  /** The call of Snip. */
  readonly callId: string;
  readonly message: MessageParam;
}

/**
 * A rewind: the conversation continues from entry `to`. The usage and the permissions of the entries between remain.
 */
export interface RewoundRecord {
  readonly type: 'rewound';
  readonly to: number;
  readonly files?: { readonly checkpoint: string; readonly undo: string };
  readonly vm?: boolean;
}

/** `/clear`: the person continues in a new session. Waiting prompts wait there. */
export interface MovedRecord {
  readonly type: 'moved';
  /** The new session's id. */
  readonly to: string;
  /** The uuids of the prompts that wait there. */
  readonly prompts: readonly string[];
  /** The mode with which the new session begins. */
  readonly mode: PermissionMode;
  /** The mode that an accepted plan restores there. */
  readonly modeBeforePlan?: PermissionMode;
}

/** The session is about to move to another place. Nothing of it runs here any more, unless `move-kept` follows. */
export interface MoveOutRecord {
  readonly type: 'move-out';
  /** The unique id of this move. */
  readonly move: string;
  /** The id of the target place. Before the move only its workspace knows it. */
  readonly place: string;
  /** How often the session was taken over, including this move. */
  readonly lease: number;
  /** The target, for people: an address, or the kind of place. */
  readonly to: string;
  /** For an open session that began here: the mode. At the target it counts as set by a person. */
  readonly mode?: PermissionMode;
}

/**
 * The session has moved here and runs here from this entry on. Recorded in one record of the workspace's log with the
 * files.
 */
export interface MoveInRecord extends Omit<MoveOutRecord, 'type' | 'to' | 'mode'> {
  readonly type: 'move-in';
  /** For people: where the session is now. */
  readonly at: string;
  /** True if rules that a person has allowed in another place also hold here. */
  readonly acceptsRules: boolean;
  /**
   * The last entry of this place's earlier copy of the session. Rules that were allowed by then hold. 0: the place
   * had no copy.
   */
  readonly since: number;
  /** The files that the model knows, with this workspace's versions. It knows no others. */
  readonly reads: readonly (readonly [path: string, version: Version])[];
  /** Known files that the entry's commit has written. */
  readonly writes: readonly string[];
}

/** A move has failed: the session continues where it was. */
export interface MoveKeptRecord extends Pick<MoveOutRecord, 'move' | 'place'> {
  readonly type: 'move-kept';
}

/** The first opening after a `move-in`, in which the model is told once of its new place. */
export interface ArrivedRecord {
  readonly type: 'arrived';
  readonly move: string;
  /** The text for the model. A context or a prompt adds it to the conversation. */
  readonly notification: MessageParam;
}

/** A change of a background task. */
export interface TaskRecord {
  readonly type: 'task';
  readonly id: string;
  readonly callId: string;
  readonly status: 'running' | TaskStatus;
  readonly taskType: string;
  readonly description: string;
  readonly outputPath: string;
  /** For a sub-agent whose caller doesn't wait: the conversation is notified of its end. */
  readonly isBackground?: true;
  /**
   * The task was lost with a Durable Object's instance. Nobody reopens an object as a person reopens a page, so the
   * task's end begins a turn.
   */
  readonly isLost?: true;
  readonly summary?: string;
  readonly decision?: CallDecision;
  /** The notification for the model. A context or a prompt adds it to the conversation. */
  readonly notification?: MessageParam;
}

/**
 * The agent of this entry starts a sub-agent. From here on the sub-agent's entries have its id. Its first prompt
 * follows.
 */
export interface AgentRecord {
  readonly type: 'agent';
  readonly id: string;
  /** The call that has started the agent. */
  readonly callId: string;
  /** The name of its definition, or `fork`. */
  readonly agentType: string;
  /** What the agent does, in a few words. */
  readonly description: string;
  /** The name by which other agents write to it. Left out: only its id. */
  readonly name?: string;
  /** The model's name, for people. Each opening chooses the model itself by the definition. */
  readonly model: string;
  /** 1 for a sub-agent of the main agent, and so on. */
  readonly depth: number;
  /** True if its caller doesn't wait for it. */
  readonly isBackground: boolean;
  /** Its caller waits for it, but could continue without its report. */
  readonly canBeBackgrounded?: true;
  /** The agent's own root of the workspace. Left out: it works in its caller's. */
  readonly root?: string;
  /** The agent's first working directory, if it isn't the one in which the session began. */
  readonly cwd?: string;
  /**
   * For a fork: it begins with the conversation of its caller's newest request, at most this number of messages, and
   * with a copy of its caller's sandbox.
   */
  readonly inherits?: number;
  /** The index of this agent, for a call that starts several agents and may end before they do. */
  readonly part?: number;
  /** The format of its answers. Left out: text. */
  readonly outputFormat?: OutputFormat;
}

/** An agent or a person writes to an agent. The reader gets the message with its next request. */
export interface MailRecord {
  readonly type: 'mail';
  readonly id: string;
  /** The sender's and the reader's agent ids. Undefined: the main agent. */
  readonly from?: string;
  readonly to?: string;
  /** The message that the reader gets. */
  readonly message: MessageParam;
}

/** A turn has ended. */
export interface ResultRecord {
  readonly type: 'result';
  /** The `result` message without the fields that every message gets. */
  readonly message: Omit<SDKResultMessage, 'uuid' | 'session_id' | 'type'> & {
    readonly [field: string]: unknown;
  };
  readonly error?: SerializedError;
}

/** A change of the session's title, its tags, or whether it is archived. A field that is left out is unchanged. */
export interface MetaRecord {
  readonly type: 'meta';
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly isArchived?: boolean;
}
