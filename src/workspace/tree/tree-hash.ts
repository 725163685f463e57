// One hash over a whole tree: every path, kind, mode and content. Tests and tools use it to compare
// trees.
import { toHex } from '../../core/bytes/hex.ts';
import type { ContentSource } from '../state/content-source.ts';
import { visitTree } from './tree.ts';
import type { DirectoryNode, FileNode } from './tree.ts';

// 64 files: also the batch size in which replicas fetch contents.
const batchFiles = 64;

/**
 * Returns a SHA-256 in lower-case hexadecimal digits. Times and versions don't count. Reads every
 * file.
 */
export async function hashTree(root: DirectoryNode, contents: ContentSource): Promise<string> {
  const lines: string[] = [];
  const files: { readonly at: number; readonly file: FileNode }[] = [];
  visitTree('/', root, (path, node) => {
    const about = JSON.stringify([path, node.kind, node.kind === 'symlink' ? 0 : node.mode]);
    if (node.kind === 'file') files.push({ at: lines.length, file: node });
    lines.push(node.kind === 'symlink' ? `${about} ${JSON.stringify(node.target)}` : about);
  });
  for (let start = 0; start < files.length; start += batchFiles) {
    const batch = files.slice(start, start + batchFiles);
    const digests = await hashFiles(
      batch.map(({ file }) => file),
      contents,
    );
    batch.forEach(({ at }, index) => {
      lines[at] += ` ${digests[index]}`;
    });
  }
  return sha256(new TextEncoder().encode(lines.join('\n')));
}

async function hashFiles(files: readonly FileNode[], contents: ContentSource): Promise<string[]> {
  const ids = files.flatMap(({ content }) => (typeof content === 'number' ? [content] : []));
  const loaded = await contents.readMany(ids);
  let next = 0;
  const bytes = files.map(({ content }) => {
    if (typeof content !== 'number') return content;
    next += 1;
    return loaded[next - 1] ?? new Uint8Array(0);
  });
  return Promise.all(bytes.map(sha256));
}

async function sha256(bytes: Uint8Array): Promise<string> {
  // A copy, because some engines refuse a view of a shared buffer.
  const digest = await crypto.subtle.digest('SHA-256', bytes.slice());
  return toHex(new Uint8Array(digest));
}
