// Git with servers over an empty workspace in memory, for tests beside a git server.
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { createGit, type Git } from '../../../src/workspace/git/commands/create-git.ts';
import type { GitNetwork } from '../../../src/workspace/git/remote/network.ts';

/** Node's own fetch, as a server has it. */
const serverFetch = createServerFetch((url, init) => fetch(url, init));

/** Git over the view, in `directory`. */
export function openRemoteGit(
  view: WorkspaceView,
  network: Partial<GitNetwork> = {},
  directory = '/',
): Git {
  return createGit(view, {
    directory,
    author: { name: 'B', email: 'b@example.com' },
    network: { fetch: serverFetch, ...network },
  });
}
