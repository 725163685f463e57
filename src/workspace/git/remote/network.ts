// What git needs of a host to talk to servers: a way for requests, and somebody who knows passwords.
import type { FetchPort } from '../../../core/host-ports/fetch-port.ts';
import type { GitErrand } from '../../../core/git/git-errand.ts';

/** A name with its password, or a token, which is sent as a password under a name of no meaning. */
export type GitCredentials =
  { readonly username: string; readonly password: string } | { readonly token: string };

/** How the user of a host proves who they are to one git server. */
export interface GitCredentialSource {
  /**
   * Asked when the server wants to know who asks (401), and again when it refuses what it was given: a
   * token may have run out. `host` is as URLs have it: `github.com`, `git.example.com:8443`. What it
   * gives is used for this command alone, and kept nowhere. Undefined: there are none.
   */
  credentials(
    host: string,
    options: { readonly signal: AbortSignal | undefined },
  ): Promise<GitCredentials | undefined>;
}

/** A proxy of the kind that `createGitProxy` makes: git's servers allow no page to read them. */
export interface GitProxyAddress {
  /** Such as `https://example.com/git-proxy`; in a page also `/git-proxy`, resolved by the host. */
  readonly url: string;
  /** For the proxy itself, such as who asks. Sent to nobody else. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The network as git may use it. Host rules and the egress policy hold inside `fetch`. */
export interface GitNetwork {
  readonly fetch: FetchPort;
  readonly credentials?: GitCredentialSource;
  readonly proxy?: GitProxyAddress;
  /**
   * Called once a command, with what it is about to do at which address, before its first request. Rejects
   * where it may not. Left out: nobody is asked.
   */
  readonly before?: (errand: GitErrand, url: string) => Promise<void>;
}
