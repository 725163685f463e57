// Clones a repository into a workspace of its own, beside the project that is open: nothing of that waits.
import type { GitCloneOptions } from 'rockpool/git';
import { isEmpty, openHost } from '../project/project.ts';
import type { Project } from '../project/project.ts';
import type { TokenDesk } from './token-desk.ts';

export interface CloneProjectOptions extends Pick<
  GitCloneOptions,
  'full' | 'signal' | 'onProgress'
> {
  /** What this browser has of it is deleted first. */
  readonly isAnew: boolean;
}

/** The project that an address comes to. Null: it names no repository. */
export function toGitProject(address: string): (Project & { readonly kind: 'git' }) | null {
  const text = address.trim();
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const name = decodeURIComponent(url.pathname.split('/').filter(Boolean).at(-1) ?? '');
  return { kind: 'git', name: name.replace(/\.git$/u, '') || url.host, url: text };
}

/**
 * `there`: this browser has a copy already, perhaps with changes, and nothing was done.
 *
 * @throws SdkError what git says, `aborted`; then nothing of it stays
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
