// The port of an owner's directory, for the owner's sessions, page and model proxy. It is
// implemented by create-session-directory.ts in the owner's object; connect-directory.ts is its
// remote client.
import type { Usage } from '../../../core/messages/messages.ts';
import type { ModelAccount } from '../proxy/model-account.ts';

/** A session's entry in the directory. */
export interface DirectoryEntry {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When it was registered, renamed, or its last turn began or ended. */
  readonly updatedAt: number;
  /**
   * True while its turn runs. A turn that has run or waited for an hour doesn't count as running
   * any more.
   */
  readonly isRunning: boolean;
  /** True while its turn waits for a person's answer, without a time limit. */
  readonly isAsking: boolean;
  readonly isArchived: boolean;
  /**
   * True if its deletion was begun but has failed or was interrupted. It gets no turns any more,
   * but counts for the quotas. Call `delete` again to complete it.
   */
  readonly isHalfDeleted: boolean;
  /** The bytes that its object stores, as reported last. */
  readonly bytes: number;
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Which sessions to list. */
export interface DirectoryListOptions {
  /** Only archived sessions, or only the others. @defaultValue both */
  readonly archived?: boolean;
  /** @defaultValue 100, which is the most */
  readonly limit?: number;
  /** How many of the newest to leave out. @defaultValue 0 */
  readonly offset?: number;
}

/** Whether a session or a turn is admitted. A refusal has a reason for a person. */
export type DirectoryAdmission =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** The report of an ended turn. */
export interface TurnReport {
  readonly session: string;
  /**
   * Rises with each turn of the session's object. A report whose number isn't above the last one is
   * ignored.
   */
  readonly n: number;
  /** The usage of all requests since the previous turn. */
  readonly usage: Usage;
  /** Null if a price is unknown. */
  readonly usd: number | null;
  /** The bytes that the session's object stores now. */
  readonly bytes?: number;
}

/** How much of the budget is used. */
export interface DirectorySpending {
  readonly tokens: number;
  readonly usd: number;
  /** Tokens of requests in progress. They count as spent until they are settled. */
  readonly reservedTokens: number;
  readonly reservedUsd: number;
  /** When the budget is renewed, in milliseconds since the epoch; null: never. */
  readonly renewsAt: number | null;
}

/**
 * The calls of a session's object to its owner's directory. All are idempotent: a repeated call
 * counts once.
 */
export interface DirectoryPort {
  /**
   * Registers a session, or changes the title of a registered one. Refused if the quota of sessions
   * or bytes is exceeded. `bytes`: what its object stores. `isAsking`: whether its turn waits for a
   * person. Both are recorded for a registered session even if the call is refused. `onlyAsks`:
   * only checks whether it would be refused, and registers nothing.
   */
  register(session: {
    readonly id: string;
    readonly title?: string;
    readonly bytes?: number;
    readonly isAsking?: boolean;
    readonly onlyAsks?: boolean;
  }): Promise<DirectoryAdmission>;
  /**
   * Call it before a turn. Refused if a quota or the budget is exceeded. A session has at most one
   * turn. `behind`: the number of the session's newest report; a late report up to that number
   * doesn't end this turn. `waits`: if too many turns run, the session is notified when one has
   * ended, provided the directory has `continueSession`. `unpriced`: the model, if no price of the
   * session's models is known. Refused then if the turns count for a budget of dollars.
   */
  beginTurn(turn: {
    readonly session: string;
    readonly behind?: number;
    readonly waits?: boolean;
    readonly unpriced?: string;
  }): Promise<DirectoryAdmission>;
  /**
   * Call it after a turn, even if `beginTurn` wasn't called. A report of an unknown or removed
   * session is ignored.
   */
  endTurn(report: TurnReport): Promise<void>;
}

/** An owner's sessions, quotas and budget. `reserve` and `settle` are for a model proxy. */
export interface SessionDirectory extends DirectoryPort, ModelAccount {
  /** Lists sessions, the newest first. Use {@link find} for one session. */
  list(options?: DirectoryListOptions): Promise<readonly DirectoryEntry[]>;
  /**
   * Resolves to the session with that id, archived or not. Undefined: the owner has no such
   * session, or it is being deleted.
   */
  find(id: string): Promise<DirectoryEntry | undefined>;
  /** Rejects with `bad-usage` if the session isn't known. So do `archive` and `restore`. */
  rename(id: string, title: string): Promise<void>;
  /**
   * Marks the session as archived, and has its object archive itself if `archiveSession` is given.
   * Its turns are refused until it is restored. Rejects if the object can't be reached; call it
   * again to continue.
   */
  archive(id: string): Promise<void>;
  /** Removes the archived mark. */
  restore(id: string): Promise<void>;
  /**
   * Has the session's object delete itself, then removes its entry. The session isn't listed
   * meanwhile. If the object can't be reached, it rejects and the session is listed as
   * `isHalfDeleted`; call it again to continue. Does nothing if the session is unknown.
   */
  delete(id: string): Promise<void>;
  spending(): Promise<DirectorySpending>;
}
