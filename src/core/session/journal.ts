// The journal of a session: what has happened in it, entry by entry, as plain data. All that a session
// knows is a fold over its entries (agent/journal/fold.ts). docs/sessions.md has the format.
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
import type { SDKResultMessage, SDKUserMessage } from '../messages/sdk-message.ts';
import type { TaskStatus } from '../tool/background.ts';
import type { SnippedHistory } from './session-history.ts';
import type { McpMeta } from '../tool/tool.ts';

/** The newest format that this version writes and reads. A newer one is refused untouched. */
export const journalFormat = 1;

/**
 * One entry. `n` counts from 1 without a gap; `time` is the host's clock, in milliseconds since the epoch.
 * `agent` names the sub-agent whose entry it is; left out for the session's own.
 */
export type JournalEntry = JournalRecord & {
  readonly n: number;
  readonly time: number;
  readonly agent?: string;
  /** The number of the commit that it was recorded with. Left out where it was recorded alone. */
  readonly seq?: Version;
};

/** What is to be recorded, and for which agent. */
export type AgentJournalRecord = JournalRecord & Pick<JournalEntry, 'agent'>;

/** What is recorded. Readers keep and skip kinds that they don't know. */
export type JournalRecord =
  | SessionRecord
  | OpenedRecord
  | PromptRecord
  | TurnRecord
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

/** The first entry of every journal. From `seed` follow its ids and the randomness of its cells. */
export interface SessionRecord {
  readonly type: 'session';
  readonly format: number;
  readonly id: string;
  readonly seed: string;
  readonly cwd: string;
  /** The version of this package that began it. */
  readonly version: string;
  readonly forkedFrom?: { readonly id: string; readonly n: number };
  /** The session that was left for this one by `/clear`. */
  readonly clearedFrom?: string;
  /** The sessions that were left in a row before that one, the newest first. Left out: none. */
  readonly clearedBefore?: readonly string[];
}

/** A tab or a host runs the loop from here on. `owner` tells two openings apart. */
export interface OpenedRecord {
  readonly type: 'opened';
  readonly owner: string;
  readonly why: 'start' | 'resume' | 'woken' | 'fork' | 'takeover' | 'import';
  /** For a fork, whose earlier entries are another session's: its own id and seed. */
  readonly fork?: Pick<SessionRecord, 'id' | 'seed'>;
}

/** A prompt. It is part of the conversation once a turn takes it up. */
export interface PromptRecord {
  readonly type: 'prompt';
  readonly uuid: string;
  readonly message: Extract<MessageParam, { role: 'user' }>;
  /** The origin of a prompt that isn't a person's. */
  readonly origin?: SDKUserMessage['origin'];
  /** It is no command, whatever it begins with. */
  readonly client_composed?: true;
  /** See {@link ContextRecord}. */
  readonly tells?: readonly string[];
  /** Keys of the due states of which the prompt tells. */
  readonly fires?: readonly string[];
}

/** A turn begins with this prompt, which stands in the conversation from here on. */
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
  /** What the model is given in the prompt's place: a command's text, as it was expanded for this prompt. */
  readonly message?: Extract<MessageParam, { role: 'user' }>;
  /** The prompt is a person's cell, with this code. It is run, and no model is asked. */
  readonly cell?: string;
  /** Which of the query's `models` answers, by its name: a command's own. Left out: the session's. */
  readonly model?: string;
  /** The id of the workspace's checkpoint from before the turn. */
  readonly checkpoint?: string;
}

/** A person stops the turn that is open. Recorded before it takes effect. */
export interface StoppedRecord {
  readonly type: 'stopped';
}

/**
 * Whatever else is appended to the conversation. `source`: `hook`, `tool`, `memory`, `names`, …; `sent-back`: why a
 * Stop hook, or the session's goal, doesn't let the model rest.
 */
export interface ContextRecord {
  readonly type: 'context';
  readonly source: string;
  readonly messages: readonly MessageParam[];
  /** The ids of the mail and of the ended tasks of which it tells. Neither is told again. */
  readonly tells?: readonly string[];
}

/** Recorded before it is sent. Its body follows from the entries before it. */
export interface RequestRecord {
  readonly type: 'request';
  /** Counts the session's requests, from 1. */
  readonly step: number;
  readonly model: string;
  /** Over all that is sent: see agent/journal/request-hash.ts. */
  readonly hash: string;
  /** How many messages it has. */
  readonly messages: number;
  /** Left out: the same as of the request before. */
  readonly head?: RequestHead;
}

/** What stands before a request's messages, as hashes of 16 hexadecimal digits: agent/journal/request-hash.ts. */
export interface RequestHead {
  readonly system: string;
  /** In the order in which they are sent. */
  readonly tools: readonly (readonly [name: string, hash: string])[];
}

/** A block of a reply is whole, and its reply isn't yet. */
export interface BlockRecord {
  readonly type: 'block';
  readonly step: number;
  readonly index: number;
  readonly block: ContentBlock;
  /** For a call whose streamed input isn't a JSON object: the message for the model. */
  readonly inputError?: string;
}

/** A reply has ended. `cut`: its whole blocks stay. `void`: nothing of it stays in the conversation. */
export interface ReplyRecord {
  readonly type: 'reply';
  readonly step: number;
  readonly uuid: string;
  readonly end: 'whole' | 'cut' | 'void';
  /** The blocks that are complete; in a void message only the blocks of calls whose work stays. */
  readonly message: AssistantMessage;
  /** The inputs that viewers see, by call, where a tool fills fields for them. */
  readonly observed?: Readonly<Record<string, unknown>>;
  /** Never recorded: why the inputs of these calls can't be read any more. These calls don't run. */
  readonly lostInputs?: Readonly<Record<string, string>>;
}

/** A person is asked. */
export interface QuestionRecord {
  readonly type: 'question';
  readonly requestId: string;
  readonly callId: string;
  readonly question: Omit<CanUseToolOptions, 'signal' | 'requestId'> & {
    readonly toolName: string;
    readonly input: Record<string, unknown>;
  };
}

/** Recorded before it takes effect. Null: the question is withdrawn, or was answered elsewhere. */
export interface AnswerRecord {
  readonly type: 'answer';
  readonly requestId: string;
  readonly result: PermissionResult | null;
}

/** A call is about to run, as it was allowed. */
export interface CallRecord {
  readonly type: 'call';
  readonly id: string;
  /** The call whose code makes this one. */
  readonly parent?: string;
  readonly origin: 'model' | 'code' | 'tool' | 'app' | 'background';
  readonly tool: string;
  /** The input, with what a person, a hook or the tool has changed. */
  readonly input: unknown;
  readonly decision?: CallDecision;
  /** Whether it may be run a second time after a kill: see core/tool/restart-rules.ts. */
  readonly repeatable: boolean;
  /** From 1: how often it was begun. */
  readonly attempt: number;
}

/** A call's one end. In the same record of the workspace's log as what it changed. */
export interface SettledRecord {
  readonly type: 'settled';
  readonly id: string;
  readonly parent?: string;
  readonly tool: string;
  readonly state: Extract<CallState, 'output-available' | 'output-error' | 'output-denied'>;
  readonly result: ToolResultBlock;
  readonly output?: unknown;
  /** For a nested call that never began, which has no {@link CallRecord}. */
  readonly input?: unknown;
  /** What the tool appends to the conversation, after the results of its message. */
  readonly newMessages?: readonly MessageParam[];
  /** What the model knows of files now: path and version; 0 forgets the path. */
  readonly reads: readonly (readonly [path: string, version: Version])[];
  /** Paths that the model knows as the entry's own commit has left them: see `seq` of an entry. */
  readonly writes?: readonly string[];
  readonly changes?: readonly Pick<Change, 'type' | 'path'>[];
  /** The changed files that the session itself has made, as the entry's commit left them. */
  readonly own?: readonly string[];
  /** The names that the sandbox keeps now. Left out where the call kept no state. */
  readonly kept?: readonly string[];
  /** With `kept`: the ports on which servers in the sandbox listen now. Left out: none. */
  readonly ports?: readonly number[];
  readonly vm?: VmChange;
  readonly isStopped?: true;
  /** A hook put it off: it hasn't run, and the turn ends with it. */
  readonly isDeferred?: true;
  /**
   * Hooks have yet to hear of it. Its result and output are as the tool gave them; neither the model nor a
   * viewer is told before an {@link AmendedRecord}.
   */
  readonly isOpen?: true;
  readonly denial?: {
    readonly reason: DecisionReason;
    readonly message: string;
    readonly interrupt: boolean;
    /** The turn ends with it, and this is its result. */
    readonly result?: string;
  };
  readonly decision?: CallDecision;
  readonly mcpMeta?: McpMeta;
  /**
   * What hooks have said to the model about this call of its own, and about calls below it. Told
   * with the message's results.
   */
  readonly notes?: readonly string[];
}

/**
 * What hooks made of a settled call that was open. Its fields replace those; what is left out is gone, but for
 * `notes`: what was said stays said.
 */
export interface AmendedRecord extends Pick<
  SettledRecord,
  'id' | 'state' | 'result' | 'output' | 'newMessages' | 'mcpMeta' | 'notes'
> {
  readonly type: 'amended';
}

/** The saved state of a session's sandbox: whole, or as the difference to the one before. */
export interface VmChange {
  readonly tool: string;
  readonly form: 'whole' | 'delta';
  /** Stored beside the entry. */
  readonly bytes: JournalBytes;
  /** How many bytes these are. */
  readonly size: number;
}

/** Bytes as they are recorded, or where they stand once they are. */
export type JournalBytes = Uint8Array | { readonly contentId: number };

/** The results of a message's calls, as they are sent. */
export interface ResultsRecord {
  readonly type: 'results';
  readonly step: number;
  readonly message: Extract<MessageParam, { role: 'user' }>;
  /** Corrections of what the model knows of files: the message's budget left nothing of one. */
  readonly reads?: readonly (readonly [path: string, version: Version])[];
}

/** Left out: unchanged. */
export interface PermissionsRecord {
  readonly type: 'permissions';
  readonly updates: readonly PermissionUpdate[];
  readonly mode?: PermissionMode;
  /** The mode came along from the place of that id, and doesn't hold there. */
  readonly home?: string;
  readonly taintedBy?: string;
  /** Text from outside may be in files or variables since this number of the workspace. */
  readonly downloadedAt?: Version;
  /** Rules that allow until the turn ends, in the place of those before. None: it has ended. */
  readonly turn?: readonly PermissionRuleValue[];
}

/** A value that a feature keeps under its own key. */
export interface StateRecord {
  readonly type: 'state';
  readonly key: string;
  readonly value: unknown;
  /** What the model is told of it after a compaction: the whole of a plan, or of what is to be done. */
  readonly reminder?: string;
  /** Never recorded: why the value can't be read any more. It is null then, and counts as never set. */
  readonly lost?: string;
}

/** One request to a model, for whatever it was made. Counts once. */
export interface UsageRecord {
  readonly type: 'usage';
  readonly requestId: string;
  readonly purpose: 'turn' | 'classifier' | 'compaction' | 'side';
  readonly model: string;
  readonly usage: Usage;
  readonly usd: number;
  /** Where the request's price is from. */
  readonly basis: 'list' | 'given' | 'unknown';
  readonly apiMs: number;
}

/** What came before entry `keepFrom` is replaced by the summary. */
export interface CompactedRecord {
  readonly type: 'compacted';
  readonly keepFrom: number;
  readonly summary: readonly MessageParam[];
  readonly trigger: 'manual' | 'auto' | 'overflow';
  /** Tokens of the conversation before and after it, as far as they are known. */
  readonly preTokens?: number;
  readonly postTokens?: number;
  /** How long it took to write the summary. */
  readonly durationMs?: number;
}

export interface ClearedCall {
  readonly id: string;
  readonly text: string;
  /**
   * The entry that has the result, as some servers give the calls of each reply the same ids. Left
   * out: any entry.
   */
  readonly source?: number;
}

/** The results of these calls are shown as one line each from here on. */
export interface ClearedRecord {
  readonly type: 'cleared';
  /** What stands in the place of each. */
  readonly calls: readonly ClearedCall[];
  /** Tokens of the conversation after it, as far as they are known. */
  readonly postTokens?: number;
}

/** These parts leave the conversation, and the message stands where the first of them stood. */
export interface SnippedRecord extends SnippedHistory {
  readonly type: 'snipped';
  /** The call that has asked for it. */
  readonly callId: string;
  readonly message: MessageParam;
}

/** The conversation goes on from entry `to`. What the entries between have spent and allowed stays. */
export interface RewoundRecord {
  readonly type: 'rewound';
  readonly to: number;
  readonly files?: { readonly checkpoint: string; readonly undo: string };
  readonly vm?: boolean;
}

/** The person goes on in a new session. What waited here waits there. */
export interface MovedRecord {
  readonly type: 'moved';
  /** The new session's id. */
  readonly to: string;
  /** The uuids of the prompts that wait there. */
  readonly prompts: readonly string[];
  /** What the new session begins with. */
  readonly mode: PermissionMode;
  /** What plan mode is to give back there. */
  readonly modeBeforePlan?: PermissionMode;
}

/** The session is about to go on elsewhere: nothing of it runs here any more, unless `move-kept` follows. */
export interface MoveOutRecord {
  readonly type: 'move-out';
  /** The move's id: of this one and no other. */
  readonly move: string;
  /** The place's own id, which only its workspace knows before. */
  readonly place: string;
  /** How often the session was taken over, with this move. */
  readonly lease: number;
  /** Where to, for people: an address, or what kind of place. */
  readonly to: string;
  /** For an open session that began here: the mode that counts elsewhere as one that a person has set. */
  readonly mode?: PermissionMode;
}

/** The session runs here from this entry on. Recorded with the files, in one record of the workspace's log. */
export interface MoveInRecord extends Omit<MoveOutRecord, 'type' | 'to' | 'mode'> {
  readonly type: 'move-in';
  /** For people: where it is now. */
  readonly at: string;
  /** What a person has allowed elsewhere holds here, too. */
  readonly acceptsRules: boolean;
  /**
   * The entry up to which this place's own copy was the session. What was allowed by then holds. 0:
   * the place had no copy.
   */
  readonly since: number;
  /** What the model knows of files, by this workspace's versions. It knows nothing of all others. */
  readonly reads: readonly (readonly [path: string, version: Version])[];
  /** Known files that the entry's own commit has written. */
  readonly writes: readonly string[];
}

/** A move has come to nothing: the session goes on where it was. */
export interface MoveKeptRecord extends Pick<MoveOutRecord, 'move' | 'place'> {
  readonly type: 'move-kept';
}

/** The first opening after a `move-in`: what the model is told of its new place, once. */
export interface ArrivedRecord {
  readonly type: 'arrived';
  readonly move: string;
  /** What the model is told. A context or a prompt brings it into the conversation. */
  readonly notification: MessageParam;
}

/** What is going on with a background task. */
export interface TaskRecord {
  readonly type: 'task';
  readonly id: string;
  readonly callId: string;
  readonly status: 'running' | TaskStatus;
  readonly taskType: string;
  readonly description: string;
  readonly outputPath: string;
  /** For a sub-agent that nobody waits for: its end is told to the conversation. */
  readonly isBackground?: true;
  /**
   * It was lost with an object's instance. Nobody comes back to an object as to a page, so its end
   * begins a turn.
   */
  readonly isLost?: true;
  readonly summary?: string;
  readonly decision?: CallDecision;
  /** What the model is told of it; it enters the conversation by a context or a prompt. */
  readonly notification?: MessageParam;
}

/**
 * A sub-agent is begun, by the agent whose entry this is. Its own entries bear its id from here on; its first
 * prompt follows.
 */
export interface AgentRecord {
  readonly type: 'agent';
  readonly id: string;
  /** The call that has begun it. */
  readonly callId: string;
  /** The name of its definition, or `fork`. */
  readonly agentType: string;
  /** What it does, in a few words. */
  readonly description: string;
  /** The name by which other agents write to it. Left out: only its id. */
  readonly name?: string;
  /** The model's name, for people. The model itself follows from the definition, again in each opening. */
  readonly model: string;
  /** From 1: a sub-agent of the session's own agent. */
  readonly depth: number;
  /** Its caller doesn't wait for it. */
  readonly isBackground: boolean;
  /** Its caller waits for it, and can go on without its report. */
  readonly canBeBackgrounded?: true;
  /** The workspace's root that it works in, where it has one of its own. */
  readonly root?: string;
  /** Where it works at first, where that isn't where the session began. */
  readonly cwd?: string;
  /**
   * It begins with what its caller's newest request was sent with, at most so many messages of the conversation, and
   * with its caller's sandbox.
   */
  readonly inherits?: number;
  /** For a call that starts several agents, and may have its result before they end: which one this is. */
  readonly part?: number;
  /** The form of its answers. Left out: text. */
  readonly outputFormat?: OutputFormat;
}

/** An agent, or a person, writes to an agent. It is told with the reader's next request. */
export interface MailRecord {
  readonly type: 'mail';
  readonly id: string;
  /** The ids of agents; undefined: the session's own. */
  readonly from?: string;
  readonly to?: string;
  /** The message that the reader gets. */
  readonly message: MessageParam;
}

/** A turn has ended. */
export interface ResultRecord {
  readonly type: 'result';
  /** Without the fields that every message gets. */
  readonly message: Omit<SDKResultMessage, 'uuid' | 'session_id' | 'type'> & {
    readonly [field: string]: unknown;
  };
  readonly error?: SerializedError;
}

/** Left out: unchanged. */
export interface MetaRecord {
  readonly type: 'meta';
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly isArchived?: boolean;
}
