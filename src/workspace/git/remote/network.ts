// What git needs from a host to talk to servers: a way to send requests, and credentials.
import type { FetchPort } from '../../../core/host-ports/fetch-port.ts';
import type { GitErrand } from '../../../core/git/git-errand.ts';

/** A user name and password, or a token, which is sent as a password with a fixed user name. */
export type GitCredentials =
  { readonly username: string; readonly password: string } | { readonly token: string };

/** Provides credentials for git servers. */
export interface GitCredentialSource {
  /**
   * Called when the server requires authentication (401), and again when it refuses the
   * credentials, because a token may have expired. `host` is as in URLs: `github.com`,
   * `git.example.com:8443`. The result is used for this command only and not stored. Undefined:
   * there are none.
   */
  credentials(
    host: string,
    options: { readonly signal: AbortSignal | undefined },
  ): Promise<GitCredentials | undefined>;
}

/**
 * A proxy made by `createGitProxy`. A page needs one, because git servers don't allow cross-origin
 * reads.
 */
export interface GitProxyAddress {
  /**
   * For example `https://example.com/git-proxy`. In a page also `/git-proxy`, which the host
   * resolves.
   */
  readonly url: string;
  /** Headers for the proxy itself, such as its authentication. Not sent to any other server. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Git's access to the network. Host rules and the egress policy are applied inside `fetch`. */
export interface GitNetwork {
  readonly fetch: FetchPort;
  readonly credentials?: GitCredentialSource;
  readonly proxy?: GitProxyAddress;
  /**
   * Called once before a command's first request, with what it is about to do at which address.
   * Reject to refuse it. Left out: nobody is asked.
   */
  readonly before?: (errand: GitErrand, url: string) => Promise<void>;
}
