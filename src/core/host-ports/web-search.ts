// Searches of the web: what a host's own search is, and what a call is given of one.

/** What is looked for, after its check. */
export interface WebSearchQuery {
  readonly query: string;
  /** Results of these and of what is below them alone. Never together with `blockedDomains`. */
  readonly allowedDomains?: readonly string[];
  /** No results of these, nor of what is below them. */
  readonly blockedDomains?: readonly string[];
}

/** One page that was found. */
export interface WebSearchResult {
  readonly title: string;
  /** An address with `http:` or `https:`. */
  readonly url: string;
  /** Some words of the page. */
  readonly snippet?: string;
}

/**
 * A host's own search, as `options.webSearch`. The best come first; what the domains of the query leave out is dropped
 * here as well. A rejection fails the call with its message. Aborting `signal` ends the wait for it.
 */
export type WebSearch = (
  asked: WebSearchQuery,
  options: { readonly signal: AbortSignal },
) => Promise<readonly WebSearchResult[]>;

/** What a search came to, in its order. */
export interface WebSearchAnswer {
  /** Pages that one search found, or words about them. */
  readonly results: readonly (WebSearchHits | string)[];
  readonly searchCount: number;
}

/** The pages of one search, best first. */
export interface WebSearchHits {
  /** The id of the server's own call. Left out if the host searched. */
  readonly toolUseId?: string;
  readonly pages: readonly WebSearchResult[];
}
