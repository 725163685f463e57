// Clones a repository into its own workspace, while the open project continues to work.
import type { GitCloneOptions } from 'rockpool/git';
import { isEmpty, openHost } from '../project/project.ts';
import type { Project } from '../project/project.ts';
import type { TokenDesk } from './token-desk.ts';

export interface CloneProjectOptions extends Pick<
  GitCloneOptions,
  'full' | 'signal' | 'onProgress'
> {
  /** True: this browser's copy of the repository is deleted first. */
  readonly isAnew: boolean;
}

/** The project for an address. Null if the address doesn't name a repository. */
export function toGitProject(address: string): (Project & { readonly kind: 'git' }) | null {
  const text = address.trim();
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const name = decodeURIComponent(url.pathname.split('/').filter(Boolean).at(-1) ?? '');
  return { kind: 'git', name: name.replace(/\.git$/u, '') || url.host, url: text };
}

/**
 * Clones the repository. `there`: this browser already has a copy, perhaps with changes, and nothing was done.
 *
 * @throws SdkError of git, or `aborted`; then nothing of the clone stays
 */
export async function cloneProject(
  project: Project & { readonly kind: 'git' },
  desk: TokenDesk,
  { isAnew, ...options }: CloneProjectOptions,
): Promise<'cloned' | 'there'> {
  let host = await openHost(project, desk);
  let isKept = true;
  try {
    if (!(await isEmpty(host))) {
      if (!isAnew) return 'there';
      await host.destroy();
      host = await openHost(project, desk);
    }
    isKept = false;
    await host.git.clone(project.url, { directory: host.cwd, ...options });
    isKept = true;
    return 'cloned';
  } finally {
    if (isKept) await host[Symbol.asyncDispose]();
    else await host.destroy();
  }
}
