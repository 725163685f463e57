// Random histories that real git makes: one stream for `git fast-import`, then packs with deltas, packed
// refs, work trees and a shallow clone of it.
import { execFileSync } from 'node:child_process';
import { runGit } from './git-export.ts';
import { createRandom, type Random } from '../random.ts';

const names = ['a', 'b.txt', 'dir/a', 'dir/deep/c', 'dir.d/x', 'ü', 'z/a/b/c', 'big'];

/** Makes a repository at `directory`/real with work trees, and a shallow clone at `directory`/shallow. */
export function makeRealHistory(directory: string, seed: number): { readonly worktrees: string[] } {
  const random = createRandom(seed);
  const real = `${directory}/real`;
  runGit(directory, 'init', '-q', '-b', 'main', 'real');
  execFileSync('git', ['fast-import', '--quiet'], { cwd: real, input: stream(random, 30) });
  runGit(real, 'reset', '-q', '--hard', 'main');
  runGit(real, 'repack', '-q', '-a', '-d', '-f', '--depth=20', '--window=20');
  runGit(real, 'pack-refs', '--all');
  if (random.chance(0.5)) runGit(real, 'update-index', '--index-version', '4');
  runGit(real, 'commit', '-q', '--allow-empty', '-m', 'Loose, above the pack');
  runGit(real, 'worktree', 'add', '-q', '-b', 'linked', '../linked', 'side0');
  runGit(directory, 'clone', '-q', '--depth', '3', `file://${real}`, 'shallow');
  return { worktrees: ['linked'] };
}

/** Commits on four branches that merge each other, with renames, modes, links and tags. */
function stream(random: Random, commits: number): string {
  const lines: string[] = [];
  const branches = ['main', 'side0', 'side1', 'side2'];
  const tips = new Map<string, number>();
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  let clock = 1_600_000_000;
  for (let mark = 1; mark <= commits; mark += 1) {
    const branch = mark <= branches.length ? (branches[mark - 1] ?? 'main') : random.pick(branches);
    clock += random.below(3);
    lines.push(`commit refs/heads/${branch}\n`, `mark :${mark}\n`);
    lines.push(`author Ann <ann@example.org> ${clock} +0130\n`);
    lines.push(`committer Bö <bo@example.org> ${clock} -0800\n`, data(`Commit ${mark}\n\nBody\n`));
    const own = tips.get(branch) ?? (mark > 1 ? 1 : undefined);
    if (own !== undefined) lines.push(`from :${own}\n`);
    const other = tips.get(random.pick(branches));
    if (own !== undefined && other !== undefined && other !== own && random.chance(0.3)) {
      lines.push(`merge :${other}\n`);
    }
    if (mark === 1) for (const name of names) lines.push(write('100644', name, body(random, name)));
    for (let count = random.below(3); count >= 0; count -= 1) lines.push(change(random));
    tips.set(branch, mark);
    if (random.chance(0.2)) {
      lines.push(`tag v${mark}\nfrom :${mark}\ntagger Ann <ann@example.org> ${clock} +0000\n`);
      lines.push(data(`Version ${mark}\n`));
    }
  }
  return lines.join('');
}

function change(random: Random): string {
  const name = random.pick(names);
  const kind = random.below(8);
  if (kind === 0) return `D ${name}\n`;
  if (kind === 1) return write('120000', name, random.pick(['a', '../out', 'dir']));
  return write(kind === 2 ? '100755' : '100644', name, body(random, name));
}

/** Long texts that are alike, so that packs hold deltas of them. */
function body(random: Random, name: string): string {
  const lines = Array.from({ length: name === 'big' ? 3000 : 60 }, (_, at) => `${name} line ${at}`);
  for (let count = 0; count < 3; count += 1) lines[random.below(lines.length)] = `${random.next()}`;
  return `${lines.join('\n')}\n`;
}

function write(mode: string, name: string, text: string): string {
  return `M ${mode} inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}
