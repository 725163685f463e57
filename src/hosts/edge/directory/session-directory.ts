// The port of an owner's directory: the requests of the owner's sessions, page and model proxy. It is implemented by
// create-session-directory.ts in the owner's object; connect-directory.ts is its remote client.
import type { Usage } from '../../../core/messages/messages.ts';
import type { ModelAccount } from '../proxy/model-account.ts';

/** A session as the directory knows it. */
export interface DirectoryEntry {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When it was registered, renamed, or its last turn began or ended. */
  readonly updatedAt: number;
  /** Its turn runs. One that has run, or waited, for an hour isn't counted as running any more. */
  readonly isRunning: boolean;
  /** Its turn waits for a person's answer, for however long. */
  readonly isAsking: boolean;
  readonly isArchived: boolean;
  /**
   * Its deletion was begun and has failed, or was cut: it has no turns any more, and counts for the quotas. Call
   * `delete` again to complete it.
   */
  readonly isHalfDeleted: boolean;
  /** What its object stores, as it was told last. */
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

/** May it be? A refusal is a sentence for a person. */
export type DirectoryAdmission =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** What a turn came to. */
export interface TurnReport {
  readonly session: string;
  /** Rises with each turn of the session's object. A number that isn't above the last one counts nothing. */
  readonly n: number;
  /** The usage of all requests since the previous turn. */
  readonly usage: Usage;
  /** Null where a price isn't known. */
  readonly usd: number | null;
  /** What the session's object stores now. */
  readonly bytes?: number;
}

/** What was used of the budget. */
export interface DirectorySpending {
  readonly tokens: number;
  readonly usd: number;
  /** Tokens of requests under way: they count as spent until they are settled. */
  readonly reservedTokens: number;
  readonly reservedUsd: number;
  /** When the budget begins again, in milliseconds since the epoch; null: never. */
  readonly renewsAt: number | null;
}

/** What a session's object tells its owner's. Each may be said twice and counts once. */
export interface DirectoryPort {
  /**
   * Makes a session known, or gives a known one another title. Refused over the quota of sessions or bytes. `bytes`: what its
   * object stores, and `isAsking`, whether its turn waits for a person, are recorded of a known one also where that is refused.
   * `onlyAsks`: whether it would be; nothing is made known.
   */
  register(session: {
    readonly id: string;
    readonly title?: string;
    readonly bytes?: number;
    readonly isAsking?: boolean;
    readonly onlyAsks?: boolean;
  }): Promise<DirectoryAdmission>;
  /**
   * Before a turn: refused over a quota or the budget. A session has at most one turn. `behind`: the number of the
   * session's newest report; of those up to it, one that is told late doesn't end this turn. `waits`: where other turns
   * are too many, the session is told when one has ended, if the directory knows how.
   */
  beginTurn(turn: {
    readonly session: string;
    readonly behind?: number;
    readonly waits?: boolean;
  }): Promise<DirectoryAdmission>;
  /** After it, whether its beginning was told or not. A report of an unknown or removed session doesn't count. */
  endTurn(report: TurnReport): Promise<void>;
}

/** An owner's sessions, quotas and budget. Its `reserve` and `settle` are a model proxy's account. */
export interface SessionDirectory extends DirectoryPort, ModelAccount {
  /** The newest first. To look for one session there is {@link find}. */
  list(options?: DirectoryListOptions): Promise<readonly DirectoryEntry[]>;
  /** One of them by its id, archived or not; undefined: the owner has no such session, or it is being deleted. */
  find(id: string): Promise<DirectoryEntry | undefined>;
  /** Rejects with `bad-usage` for a session that isn't known, as the next three do. */
  rename(id: string, title: string): Promise<void>;
  /**
   * Marks it, and has its object put it away where the directory knows how. Its turns are refused until it is brought
   * back. Where the object can't be reached it rejects; said again it goes on.
   */
  archive(id: string): Promise<void>;
  /** Takes the mark away. */
  restore(id: string): Promise<void>;
  /**
   * Has the session's object delete itself, then forgets it. It isn't listed meanwhile. Where the object can't be
   * reached it rejects, and lists the session as `isHalfDeleted`; said again it goes on. An unknown one is deleted already.
   */
  delete(id: string): Promise<void>;
  spending(): Promise<DirectorySpending>;
}
