// Branches that mirror mounts (mounts/mirror.ts): which path a branch mirrors, and since which
// record its tree is the common state of both sides.
import { nodeAt } from '../tree/tree.ts';
import type { NamedRoot } from './state.ts';

const prefix = 'mount:';

/** Returns the id of the branch that mirrors the mount at the path. */
export function mirrorIdOf(path: string): string {
  return `${prefix}${path}`;
}

/**
 * The permission bits of the mount's directory in its mirror. They become `read` once the source
 * was completely read and can be written. The version of that change tells when.
 */
export const mirrorModes = { unread: 0o755, read: 0o700 } as const;

/**
 * Returns the paths of mounts whose tree in the checkpoint isn't that of their source: it wasn't
 * read yet, or is read-only. A rewind to that tree would remove a person's files outside.
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
    // A checkpoint may be older than its record, such as one that was moved with a session.
    const isEmpty = then?.kind !== 'directory' || then.entries.size === 0;
    if (isEmpty || !isRead || mirrored.version > checkpoint.baseSeq) paths.push(path);
  }
  return paths;
}
