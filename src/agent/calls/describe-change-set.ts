// Writes the texts of a question about changes: git commands by their meaning, files by their
// paths. All texts are limited; omitted items are counted. Called by authorize-changes.ts.
import { isGitOwnPath } from '../../core/access/git-store.ts';
import type { ChangeSet, FileChange } from '../../core/change-set.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import { relativePath } from '../../core/path.ts';

// 200: more than a person reads. A checkout of 20 000 files had led to a question of 418 kB.
const maxLines = 200;

/** 500: as many as a result has. Each may have a patch. */
export const maxChangesShown = 500;

/**
 * The title names the most important git command: one that discards work, otherwise one that
 * records something permanently.
 */
export function writeTitle(toolName: string, deeds: readonly GitDeed[]): string {
  const first =
    deeds.find(({ isDestructive }) => isDestructive) ??
    deeds.find(({ command }) => command !== 'add' && command !== 'init') ??
    deeds[0];
  if (!first) return `Keep what ${toolName} changed?`;
  const more = deeds.length > 1 ? ` (and ${deeds.length - 1} more)` : '';
  return `git ${first.told}${more}?`;
}

/**
 * Security: git's worker reports its commands. The effects on refs and objects, and all other
 * paths, are taken from the change set. So the text mentions everything that would be committed.
 */
export function describeChangeSet(
  changeSet: ChangeSet,
  changes: readonly FileChange[],
  deeds: readonly GitDeed[],
  cwd: string,
): string {
  const lines = [
    ...deeds.map(({ told }) => `git ${told}`),
    ...describeStores(changeSet, cwd),
    ...changes.map(({ type, path }) => `${type} ${relativePath(cwd, path)}`),
  ];
  const more = lines.length - maxLines;
  const rest = more > 0 ? [`and ${more} more: ${countByDirectory(changes, cwd)}`] : [];
  return [...lines.slice(0, maxLines), ...rest].join('\n');
}

/** One line per repository: which refs change, and how much is stored. */
function describeStores({ changes }: ChangeSet, cwd: string): string[] {
  const stores = new Map<string, { refs: string[]; others: number }>();
  for (const { path, type } of changes) {
    if (type === 'mkdir' || !isGitOwnPath(path)) continue;
    const end = path.indexOf('/.git/') + '/.git'.length;
    const name = path.slice(end + 1);
    const store = stores.get(path.slice(0, end)) ?? { refs: [], others: 0 };
    stores.set(path.slice(0, end), store);
    const ref = /^(?:worktrees\/[^/]+\/)?(?:HEAD|packed-refs|refs\/.+)$/u.test(name);
    if (ref) store.refs.push(type === 'remove' ? `${name} (removed)` : name);
    else store.others += 1;
  }
  return [...stores].map(([path, { refs, others }]) => {
    const more = refs.length > 10 ? ` and ${refs.length - 10} more` : '';
    const named = refs.length > 0 ? `${refs.slice(0, 10).join(', ')}${more}; ` : '';
    return `in ${relativePath(cwd, path)}: ${named}${others} ${others === 1 ? 'file' : 'files'} of git's own`;
  });
}

/** Lists the directories that contain most of the files. */
function countByDirectory(changes: readonly FileChange[], cwd: string): string {
  const counts = new Map<string, number>();
  for (const { path } of changes) {
    const [top = '', ...below] = relativePath(cwd, path).split('/');
    const directory = below.length > 0 ? `${top}/` : '.';
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const largest = [...counts].sort(([, left], [, right]) => right - left).slice(0, 8);
  return largest.map(([directory, count]) => `${count} in ${directory}`).join(', ');
}
