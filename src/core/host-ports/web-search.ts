// Searches of the web: the port to a host's search, and the results that a call gets.

/** A checked query. */
export interface WebSearchQuery {
  readonly query: string;
  /** Only results of these domains and of those below them. Never together with `blockedDomains`. */
  readonly allowedDomains?: readonly string[];
  /** No results of these domains, nor of those below them. */
  readonly blockedDomains?: readonly string[];
}

/** One page that was found. */
export interface WebSearchResult {
  readonly title: string;
  /** An `http:` or `https:` URL. */
  readonly url: string;
  /** Some words of the page. */
  readonly snippet?: string;
}

/**
 * A host's search, for `options.webSearch`. It returns the best results first. Rockpool drops results that the
 * query's domains exclude. A rejection fails the call with its message. Aborting `signal` ends the wait for the
 * search.
 */
export type WebSearch = (
  asked: WebSearchQuery,
  options: { readonly signal: AbortSignal },
) => Promise<readonly WebSearchResult[]>;

/** The results of a search, in their order. */
export interface WebSearchAnswer {
  /** Pages that one search found, or words about them. */
  readonly results: readonly (WebSearchHits | string)[];
  readonly searchCount: number;
}

/** The pages of one search, best first. */
export interface WebSearchHits {
  /** The id of the call that the model's server made. Left out if the host searched. */
  readonly toolUseId?: string;
  readonly pages: readonly WebSearchResult[];
}
