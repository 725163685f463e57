// Lists all files below a directory that a search should visit, ordered by path. Ignored, hidden
// and denied entries are skipped with everything below them.
import { dirname } from '../../core/path.ts';
import { sessionsDirectory } from '../../core/session/session-path.ts';
import type { ContentSource } from '../state/content-source.ts';
import { compileGlobs } from '../../core/glob/search-glob.ts';
import type { GlobSet } from '../../core/glob/search-glob.ts';
import { childPath, nodeAt } from '../tree/tree.ts';
import type { DirectoryNode, TreeNode } from '../tree/tree.ts';
import type { WalkEntry, WalkOptions } from './file-system.ts';
import { createFsError } from './fs-error.ts';
import { enterIgnoreFiles, findIgnoreFiles } from './ignore-files.ts';
import { IgnoreRules, isHiddenName } from './ignore-rules.ts';
import { findIn, visibleEntries } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';
import { sizeOf } from './stats.ts';

/**
 * Walks the tree that the draft has at the time of the call. The directory itself is entered even
 * if a rule ignores it, as ripgrep does with a path that it is given.
 */
export async function walkTree(
  scope: FileScope,
  contents: ContentSource,
  directory: string,
  options: WalkOptions = {},
): Promise<WalkEntry[]> {
  const call = { syscall: 'scandir', path: directory };
  const found = findIn(scope, directory, { follow: true, call });
  if (found.node.kind !== 'directory') throw createFsError('ENOTDIR', call);
  const walk: Walk = {
    scope,
    contents,
    root: scope.draft.root,
    respectIgnore: options.respectIgnore ?? true,
    includeHidden: options.includeHidden ?? false,
    globs: compileGlobs(options.globs?.root ?? '/', options.globs?.patterns ?? []),
    entries: [],
  };
  const base = nodeAt(scope.draft.base, found.path);
  await enterDirectory(walk, found.path, found.node, base, await rulesAbove(walk, found.path));
  return walk.entries;
}

interface Walk {
  readonly scope: FileScope;
  readonly contents: ContentSource;
  readonly root: DirectoryNode;
  readonly respectIgnore: boolean;
  readonly includeHidden: boolean;
  readonly globs: GlobSet;
  readonly entries: WalkEntry[];
}

async function enterDirectory(
  walk: Walk,
  path: string,
  directory: DirectoryNode,
  base: TreeNode | undefined,
  rulesOutside: IgnoreRules,
): Promise<void> {
  const rules = await rulesInside(walk, path, directory, rulesOutside);
  for (const [name, node] of visibleEntries(walk.scope, path, directory)) {
    // `.git` is a directory, or a file in a work tree. It never contains the user's own files.
    if (name === '.git') continue;
    const entryPath = childPath(path, name);
    // Session files aren't part of the workspace. They are found only if the caller names their
    // directory.
    if (entryPath === sessionsDirectory) continue;
    if (isLeftOut(walk, rules, entryPath, node.kind === 'directory')) continue;
    const baseNode = base?.kind === 'directory' ? base.entries.get(name) : undefined;
    if (node.kind === 'directory') {
      await enterDirectory(walk, entryPath, node, baseNode, rules);
    } else {
      walk.entries.push({
        path: entryPath,
        type: node.kind,
        size: sizeOf(node),
        mtimeMs: node.mtimeMs,
        version: baseNode?.version ?? 0,
      });
    }
  }
}

/** Given globs decide first, then ignore files, then whether the name is hidden. */
function isLeftOut(walk: Walk, rules: IgnoreRules, path: string, isDirectory: boolean): boolean {
  const asked = walk.globs.verdict(path, isDirectory);
  if (asked !== 'none') return asked === 'excluded';
  const verdict = rules.verdict(path, isDirectory, doNothing);
  if (verdict !== 'none') return verdict === 'ignored';
  return isHiddenName(path) && !walk.includeHidden;
}

/** Returns the rules of the directories above a path, as far as this view may see them. */
async function rulesAbove(walk: Walk, path: string): Promise<IgnoreRules> {
  const above: string[] = [];
  for (let at = path; at !== '/'; at = dirname(at)) above.unshift(dirname(at));
  let rules = IgnoreRules.none;
  for (const directory of above) {
    const node = nodeAt(walk.root, directory);
    if (node?.kind === 'directory') rules = await rulesInside(walk, directory, node, rules);
  }
  return rules;
}

async function rulesInside(
  { scope, contents, respectIgnore }: Walk,
  path: string,
  directory: DirectoryNode,
  rulesOutside: IgnoreRules,
): Promise<IgnoreRules> {
  if (!respectIgnore) return rulesOutside;
  const found = findIgnoreFiles(scope.gate, path, directory);
  return enterIgnoreFiles(contents, path, found, rulesOutside);
}

function doNothing(): void {}
