// Files that both sides changed: what real git makes of the same three versions, byte by byte, by a seed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import type { GitMergeResult, LocalGit } from '../../../../src/workspace/git/git.ts';
import { gitVersion, importFiles, openDirectory } from '../../../support/git/git-export.ts';
import { createRandom, type Random } from '../../../support/random.ts';
import { gitText, openEmptyView, runGit } from '../../../support/git/real-git.ts';

const rounds = Number(process.env['HISTORIES'] ?? 3);
const first = Number(process.env['SEED'] ?? 1);
const filesEach = 20;
const author = { name: 'A', email: 'a@example.com' };
const styles = ['merge', 'diff3', 'zdiff3'];

/** The versions of a file. Few lines are rare, so that there is more than one way to tell what changed. */
class Author {
  readonly #random: Random;
  readonly #end: string;
  readonly #words: readonly string[];

  constructor(random: Random) {
    this.#random = random;
    this.#end = random.chance(0.2) ? '\r\n' : '\n';
    const code = ['a', 'b', 'c', '{', '}', '  }', '', 'return'];
    this.#words = random.pick([code.slice(0, 3), code, []]);
  }

  write(): { readonly base: string; readonly ours: string; readonly theirs: string } {
    const random = this.#random;
    const base = this.#newLines(random.below(50));
    const isTold = random.chance(0.3);
    const shared = isTold ? this.#edit(base) : base;
    const [ours, theirs] = [this.#edit(shared), this.#edit(shared)];
    const isConverted = random.chance(0.05);
    return {
      base: this.#join(base),
      ours: this.#join(ours),
      theirs: isConverted ? this.#join(theirs).replaceAll('\r\n', '\n') : this.#join(theirs),
    };
  }

  #newLines(count: number): string[] {
    return Array.from({ length: count }, () =>
      this.#words.length === 0 || this.#random.chance(0.2)
        ? `line ${this.#random.below(1e6)}`
        : this.#random.pick(this.#words),
    );
  }

  #edit(lines: readonly string[]): string[] {
    const random = this.#random;
    const edited = [...lines];
    for (let count = 1 + random.below(5); count > 0; count -= 1) {
      const at = random.below(edited.length + 1);
      const kind = random.below(4);
      const removed = edited.splice(at, kind === 0 ? 0 : random.below(4));
      if (kind < 2) edited.splice(at, 0, ...this.#newLines(1 + random.below(4)));
      if (kind === 2) edited.splice(random.below(edited.length + 1), 0, ...removed);
    }
    return edited;
  }

  #join(lines: readonly string[]): string {
    const isOpen = this.#random.chance(0.2);
    return lines.join(this.#end) + (isOpen || lines.length === 0 ? '' : this.#end);
  }
}

interface Command {
  readonly real: readonly string[];
  readonly ours: (git: LocalGit) => Promise<GitMergeResult>;
}

const commands: readonly Command[] = [
  { real: ['merge', '--no-edit', 'topic'], ours: (git) => git.merge('topic') },
  { real: ['cherry-pick', 'topic'], ours: (git) => git.cherryPick('topic') },
  { real: ['revert', '--no-edit', 'undone'], ours: (git) => git.revert('undone') },
  { real: ['stash', 'apply'], ours: (git) => git.stash.apply() },
];

describe.skipIf(gitVersion === undefined)('a file that both sides changed', () => {
  const seeds = Array.from({ length: rounds }, (_, at) => first + at);

  it.each(seeds)('has the bytes that git gives it (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const style = styles[seed % styles.length] ?? 'merge';
    const command = random.pick(commands);
    const versions = Array.from({ length: filesEach }, () => new Author(random).write());
    using real = openDirectory();
    const git = (...args: readonly string[]) => runGit(real.path, args);
    const put = (side: 'base' | 'ours' | 'theirs') => {
      for (const [at, version] of versions.entries()) {
        // Some files are new on both sides.
        if (side === 'base' && at % 5 === 0) continue;
        writeFileSync(join(real.path, `file ${at}`), version[side]);
      }
      git('add', '.');
    };
    const commit = (side: 'base' | 'ours' | 'theirs') => {
      put(side);
      git('commit', '-q', '--allow-empty', '-m', `${side} of ${seed}`);
    };
    git('init', '-q');
    git('config', 'merge.conflictStyle', style);
    if (command.real[0] === 'revert') commit('theirs');
    commit('base');
    git('tag', 'undone');
    git('checkout', '-qb', 'topic');
    if (command.real[0] === 'stash') {
      put('theirs');
      git('stash', '-q');
    } else commit('theirs');
    git('checkout', '-q', 'main');
    commit('ours');

    const view = await openEmptyView();
    importFiles(view.fs.sync, real.path, '/');
    const { type } = await command.ours(createGit(view, { author }));
    try {
      git(...command.real);
    } catch (error) {
      // Conflicts.
      if ((error as { status?: number }).status !== 1) throw error;
    }
    expect(type === 'conflict').toBe(gitText(real.path, 'ls-files', '--unmerged') !== '');
    for (const at of versions.keys()) {
      const held = Buffer.from(view.fs.sync.readFileSync(`/file ${at}`)).toString('latin1');
      expect(held).toBe(readFileSync(join(real.path, `file ${at}`), 'latin1'));
    }
  });
});
