import { createGitProxy } from 'rockpool/edge';
import { createGit, createServerFetch, type GitNetwork } from 'rockpool/git';
import type { WorkspaceView } from 'rockpool/workspace';

/** A project from its server, changed, and sent back as a branch of its own. */
export async function contribute(
  view: WorkspaceView,
  url: string,
  options: {
    readonly askForToken: (host: string) => Promise<string | undefined>;
    readonly work: (directory: string) => Promise<void>;
  },
): Promise<string> {
  const network: GitNetwork = {
    fetch: createServerFetch((target, init) => fetch(target, init)),
    credentials: {
      async credentials(host) {
        const token = await options.askForToken(host);
        return token === undefined ? undefined : { token };
      },
    },
  };
  const author = { name: 'Ann', email: 'ann@example.org' };
  const { directory } = await createGit(view, { network, author }).clone(url);
  const git = createGit(view, { network, author, directory });
  await git.switch('improve', { create: true });
  await options.work(directory);
  await git.add('.');
  await git.commit({ message: 'Improve' });
  const { ref } = await git.push();
  return ref;
}

/** The `fetch` of a Worker that pages of one site reach GitHub by, each user with a key of theirs. */
export function createSiteProxy(findUser: (key: string | null) => Promise<string | null>) {
  return createGitProxy({
    path: '/git-proxy',
    hosts: ['github.com', 'codeload.github.com'],
    origins: ['https://app.example.org'],
    authenticate: ({ headers }) => findUser(headers.get('x-app-key')),
  });
}
