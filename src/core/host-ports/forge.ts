// The port to a forge, such as GitHub, which has pull requests. A host gives it as `options.forge`. The tools
// SubscribePr and SuggestPr use it; agent/forge/ polls it.

/** A pull request, by its repository's name on the forge and its number there. */
export interface PullRequestName {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
}

/** Something that has happened to a pull request. All of it is text from outside. */
export interface ForgeEvent {
  /** The event's id: the same in each poll, and unique within the pull request. */
  readonly id: string;
  readonly kind: 'comment' | 'review' | 'check' | 'state';
  /** The person who did it, as the forge names them. */
  readonly author: string;
  readonly text: string;
  readonly url?: string;
}

/** What a poll has found. */
export interface ForgePoll {
  readonly title: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** The numbers so far, as the forge reports them. */
  readonly counts: { readonly comments: number; readonly reviews: number; readonly checks: number };
  /** What has happened since `cursor`, oldest first. Empty without a cursor. */
  readonly events: readonly ForgeEvent[];
  /** Where the next poll continues: plain data. It is unchanged if nothing has happened. */
  readonly cursor: Readonly<Record<string, unknown>>;
  /**
   * The least time until the next poll. At least 1 000, or else the poll counts as failed. More than a day counts as
   * a day.
   */
  readonly waitMs: number;
}

/** A pull request that an agent proposes. */
export interface PullRequestProposal {
  /** `owner/name`. */
  readonly repository: string;
  /** The branch on the server, to which it was pushed before. */
  readonly branch: string;
  /** The branch to merge into. Left out: the repository's default branch. */
  readonly base?: string;
  readonly title: string;
  /** In Markdown. */
  readonly body: string;
  /** The changes, as `git diff` shows them. Empty if they aren't known. */
  readonly diff: string;
}

/** The outcome of a proposal. */
export type ProposedPullRequest =
  | { readonly type: 'made'; readonly number: number; readonly url: string }
  /** The host has accepted it, and decides later. */
  | { readonly type: 'noted' };

/**
 * A forge. Both methods reject with an SdkError whose message says what to do and has no credentials. Its code is one
 * of these:
 *
 * - `permission-denied`;
 * - `ENOENT` if the repository or the pull request doesn't exist;
 * - `limit-exceeded` with `data.retryAfterMs`, if the forge accepts no requests for that time;
 * - `tool-failed` if the forge fails;
 * - `aborted`.
 */
export interface Forge {
  poll(
    name: PullRequestName,
    options: {
      /** The cursor of the previous poll. Left out in the first. */
      readonly cursor?: Readonly<Record<string, unknown>>;
      readonly signal: AbortSignal;
    },
  ): Promise<ForgePoll>;
  /** Called after rules or a person have allowed the proposal. A host may ask again, or only note the proposal. */
  propose(
    proposal: PullRequestProposal,
    options: { readonly signal: AbortSignal },
  ): Promise<ProposedPullRequest>;
}

/** The requests of tools to the session about pull requests. */
export interface PullRequests {
  /**
   * From now on the session's main agent is told of each event once, until the pull request is closed. A subscription
   * survives the end of the page. Returns the present state of the pull request. @throws as {@link Forge.poll};
   * SdkError `limit-exceeded` for too many subscriptions
   */
  subscribe(name: PullRequestName, signal: AbortSignal): Promise<ForgePoll>;
  /** Resolves to false if there was no such subscription. */
  unsubscribe(name: PullRequestName): Promise<boolean>;
  propose(proposal: PullRequestProposal, signal: AbortSignal): Promise<ProposedPullRequest>;
}
