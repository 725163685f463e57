// A session as whoever opened it holds it. `open-session.ts` makes it; `query.ts` reads one.
import type { FileChange } from '../core/change-set.ts';
import type { PermissionResult } from '../core/permission.ts';
import type {
  SDKControlInterruptResponse,
  SDKMessage,
  SDKUserMessage,
} from '../core/sdk-message.ts';

/** `requires_action`: a question waits for a person. */
export type SessionState = 'idle' | 'running' | 'requires_action';

/** Who runs the loop: this side, or another tab, which this one watches and speaks through. */
export type SessionRole = 'owner' | 'viewer';

/** Where a prompt stands in the journal. */
export interface SentPrompt {
  readonly uuid: string;
  /** The entry that records it. */
  readonly n: number;
}

/** How a rewind is done. */
export interface RewindOptions {
  /** The files go back too. @defaultValue true */
  readonly files?: boolean;
  /** The Repl's variables go back too. @defaultValue true */
  readonly repl?: boolean;
  /** `user`: files that a person has changed since stay as they are. */
  readonly keep?: 'user';
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean;
}

/** What a rewind has done, or would do. */
export interface RewindResult {
  /** What `undo` takes back. Left out of a dry run. */
  readonly n?: number;
  /** Files as they were before and are afterwards. */
  readonly changes: readonly FileChange[];
  /** What `keep` left as it is. */
  readonly kept: readonly string[];
  /** Why the files stay, where they were to go back: no checkpoint of them is left. */
  readonly filesNote?: string;
}

/** One conversation, journalled before it acts. Close it: another tab may then take it over. */
export interface AgentSession extends AsyncDisposable {
  readonly id: string;
  /**
   * Resolves once the prompt is recorded; its turn begins when those before it have ended. Idempotent: a
   * prompt whose uuid was sent before isn't sent again.
   */
  send(prompt: string | SDKUserMessage): Promise<SentPrompt>;
  /**
   * The kept messages of entries after number `after`, oldest first, and then all that happens, until the
   * session is closed. Any number of readers, each at its own pace.
   */
  messages(options?: { readonly after?: number }): AsyncGenerator<SDKMessage, void, undefined>;
  /** Answers a question that is open, by its `requestId`. Rejects with `bad-usage` for another one. */
  answer(requestId: string, result: PermissionResult): Promise<void>;
  /** As the query's: stops the turn that runs, and resolves when it has come to rest. */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  /** Sums the conversation up now. `instructions`: what the summary must have. */
  compact(instructions?: string): Promise<void>;
  /** Goes back to before the prompt of that uuid: conversation, files and variables, as one record. */
  rewind(promptUuid: string, options?: RewindOptions): Promise<RewindResult>;
  /** Takes the last rewind back. */
  undo(): Promise<RewindResult>;
  /** A session of its own that begins as this one is, or as it was at entry `at`. */
  fork(options?: { readonly at?: number }): Promise<{ readonly sessionId: string }>;
  state(): SessionState;
  role(): SessionRole;
  /** Stops what runs, and lets the session go. What was recorded stays. Idempotent. */
  close(): Promise<void>;
}
