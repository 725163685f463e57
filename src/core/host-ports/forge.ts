// The port to a forge, where pull requests are: a host gives one as `options.forge`. The tools SubscribePr and
// SuggestPr work by it; agent/forge/ polls it.

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
  /** How many there are by now, as far as the forge has said. */
  readonly counts: { readonly comments: number; readonly reviews: number; readonly checks: number };
  /** What has happened since `cursor`, oldest first; without one nothing. */
  readonly events: readonly ForgeEvent[];
  /** Where the next poll goes on: plain data. The same where nothing has changed. */
  readonly cursor: Readonly<Record<string, unknown>>;
  /** The next poll comes no sooner. From 1 000; a poll with less has failed. More than a day counts as a day. */
  readonly waitMs: number;
}

/** What an agent proposes to be merged. */
export interface PullRequestProposal {
  /** `owner/name`. */
  readonly repository: string;
  /** The branch on the server, to which it was pushed before. */
  readonly branch: string;
  /** What it is to be merged into. Left out: the repository's usual branch. */
  readonly base?: string;
  readonly title: string;
  /** In Markdown. */
  readonly body: string;
  /** What it changes, as `git diff` shows it; empty where it can't be said. */
  readonly diff: string;
}

/** What became of a proposal. */
export type ProposedPullRequest =
  | { readonly type: 'made'; readonly number: number; readonly url: string }
  /** The host has taken it, and decides by itself. */
  | { readonly type: 'noted' };

/**
 * Both reject with an SdkError whose sentence says what to do, and without any credential. Its code
 * is one of these:
 *
 * - `permission-denied`;
 * - `ENOENT` for what isn't there;
 * - `limit-exceeded` with `data.retryAfterMs` where the forge wants to be left alone for so long;
 * - `tool-failed` where it fails;
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
  /** Called when rules, or a person, have said yes. A host may ask once more, or only note it. */
  propose(
    proposal: PullRequestProposal,
    options: { readonly signal: AbortSignal },
  ): Promise<ProposedPullRequest>;
}

/** What tools may ask of the session about pull requests. */
export interface PullRequests {
  /**
   * From now on what happens to it is told to the session's own agent, once each, until it is closed. A
   * subscription outlives the page. Gives what the pull request is now. @throws as {@link Forge.poll};
   * SdkError `limit-exceeded` for too many
   */
  subscribe(name: PullRequestName, signal: AbortSignal): Promise<ForgePoll>;
  /** False: there was no such subscription. */
  unsubscribe(name: PullRequestName): Promise<boolean>;
  propose(proposal: PullRequestProposal, signal: AbortSignal): Promise<ProposedPullRequest>;
}
