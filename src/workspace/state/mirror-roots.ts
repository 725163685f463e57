// Mirrors of mounts among a workspace's roots (mounts/mirror.ts): which path a branch mirrors, and since which record that
// path's tree is what both sides have.
import { nodeAt } from '../tree/tree.ts';
import type { NamedRoot } from './state.ts';

const prefix = 'mount:';

/** The id of the branch that mirrors a mount's source. */
export function mirrorIdOf(path: string): string {
  return `${prefix}${path}`;
}

/**
 * The permission bits of the mount's directory in its mirror. Once the source was read as a whole, and can be
 * written, it has those of `read`. The version of that change is when it was.
 */
export const mirrorModes = { unread: 0o755, read: 0o700 } as const;

/**
 * Paths of mounts whose tree in the checkpoint isn't what their source had then: it wasn't read by then, or can
 * only be read. Going back to that would remove a person's files outside.
 */
export function listUnreadMounts(
  roots: ReadonlyMap<string, NamedRoot>,
  checkpoint: Pick<NamedRoot, 'root' | 'baseSeq'>,
): string[] {
  const paths: string[] = [];
  for (const { id, kind, root } of roots.values()) {
    if (kind !== 'branch' || !id.startsWith(`${prefix}/`)) continue;
    const path = id.slice(prefix.length);
    const mirrored = nodeAt(root, path);
    const isRead = mirrored?.kind === 'directory' && mirrored.mode === mirrorModes.read;
    const then = nodeAt(checkpoint.root, path);
    // A checkpoint may be older than the record that made it: one that came along with a moved session is.
    const isEmpty = then?.kind !== 'directory' || then.entries.size === 0;
    if (isEmpty || !isRead || mirrored.version > checkpoint.baseSeq) paths.push(path);
  }
  return paths;
}
