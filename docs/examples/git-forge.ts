import { createGitHubForge, createServerFetch, type Forge } from 'rockpool/git';

/** GitHub, by a token that the host asks its user for. In a page: `createPageFetch`. */
export function openForge(
  askForToken: (host: string) => Promise<string | undefined>,
  api = 'https://api.github.com',
): Forge {
  return createGitHubForge({
    api,
    fetch: createServerFetch((target, init) => fetch(target, init)),
    credentials: {
      async credentials(host) {
        const token = await askForToken(host);
        return token === undefined ? undefined : { token };
      },
    },
  });
}
