// Renames in merges, picks, reverts and stashes: what real git makes of the same two sides, by a seed.
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import type { GitMergeResult, LocalGit } from '../../../../src/workspace/git/git.ts';
import {
  exportFiles,
  gitVersion,
  importFiles,
  openDirectory,
} from '../../../support/git/git-export.ts';
import { gitText, openEmptyView, runGit } from '../../../support/git/real-git.ts';
import { createRandom, type Random } from '../../../support/random.ts';

const rounds = Number(process.env['HISTORIES'] ?? 3);
const first = Number(process.env['SEED'] ?? 1);
const author = { name: 'A', email: 'a@example.com' };

/** One side's deeds in a work tree of the disk. Paths of both sides meet: they are few. */
class Hand {
  readonly #directory: string;
  readonly #random: Random;
  #lines = 0;

  constructor(directory: string, random: Random) {
    this.#directory = directory;
    this.#random = random;
  }

  begin(): void {
    for (const place of ['', 'src/', 'src/deep/', 'lib/']) {
      for (const name of ['a.ts', 'b.ts', 'index.ts', 'read me.md']) {
        if (this.#random.chance(0.7)) this.#put(place + name, this.#newLines());
      }
    }
    this.#put('empty', []);
    this.#put('src/empty', []);
    symlinkSync('src/a.ts', join(this.#directory, 'link'));
  }

  work(): void {
    for (let count = 1 + this.#random.below(7); count > 0; count -= 1) this.#doOne();
  }

  commit(message: string): void {
    runGit(this.#directory, ['add', '-A']);
    runGit(this.#directory, ['commit', '-q', '--allow-empty', '-m', message]);
  }

  #doOne(): void {
    const random = this.#random;
    const files = listFiles(this.#directory);
    if (files.length === 0) return;
    const path = random.pick(files);
    const place = join(this.#directory, path);
    const kind = random.below(15);
    if (kind < 5) this.#move(path);
    if ([3, 4, 9, 10, 11].includes(kind) && isThere(place)) this.#edit(place);
    if (kind === 12 && path.includes('/')) this.#moveDirectory(dirname(path));
    if (kind > 12) this.#put(join(dirname(path), `fresh ${random.below(9)}`), this.#newLines());
    if (kind === 5) rmSync(place);
    if (kind === 6) this.#put(this.#newPath(), this.#newLines());
    if (kind === 7 && lstatSync(place).isFile()) chmodSync(place, random.pick([0o755, 0o644]));
    if (kind === 8) {
      rmSync(place);
      if (random.chance(0.5)) symlinkSync(random.pick(['a.ts', '../b']), place);
      else this.#put(`${path}/inside`, this.#newLines());
    }
  }

  #newPath(): string {
    const names = ['a.ts', 'c.ts', 'moved.md', 'lib', 'src/b.ts', 'src/moved.ts', 'lib/deep/x.ts'];
    return this.#random.pick([...names, 'src/deep', 'new/index.ts', 'new/a.ts', 'src.d']);
  }

  #move(path: string, target = this.#newPath()): void {
    const to = join(this.#directory, target);
    if (isBelowFile(this.#directory, target) || isThere(to)) return;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(join(this.#directory, path), to);
    if (this.#random.chance(0.4)) this.#edit(to);
    removeEmpty(this.#directory);
  }

  /** Its files one by one, as far as there is room. Some stay away, or are edited. */
  #moveDirectory(path: string): void {
    const random = this.#random;
    const target = random.pick(['new', 'src', 'src/other', 'lib', '.', 'lib/deep']);
    for (const name of listFiles(this.#directory).filter((its) => its.startsWith(`${path}/`))) {
      const own = random.chance(0.1) ? 'apart' : target;
      this.#move(name, join(own, name.slice(path.length + 1)));
    }
  }

  /** In one line, or more of them: edits of two sides meet, or don't. */
  #edit(place: string): void {
    if (!lstatSync(place).isFile()) return;
    const random = this.#random;
    const lines = readFileSync(place, 'utf8').split('\n');
    const fresh = () => {
      this.#lines += 1;
      return `edit ${this.#lines} of ${random.below(1e6)}`;
    };
    const at = random.chance(0.5) ? random.pick([2, 7, 12]) : random.below(lines.length);
    if (random.chance(0.5)) lines.splice(at, 1, fresh());
    else lines.splice(at, random.below(3), ...['{', fresh(), '}'].slice(random.below(3)));
    // Git before 2.44 doesn't count a last line without an end when it looks for renames.
    writeFileSync(place, lines.join('\n').replace(/\n?$/u, '\n'));
  }

  #put(path: string, lines: readonly string[]): void {
    const place = join(this.#directory, path);
    if (isBelowFile(this.#directory, path) || isThere(place)) return;
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, lines.join(''));
  }

  #newLines(): string[] {
    const name = this.#random.below(1e6);
    return Array.from({ length: 16 }, (_, line) => `line ${line} of ${name + line * 17}\n`);
  }
}

/** Links that lead nowhere are there, too. */
function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function isBelowFile(directory: string, path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return parts.some((_, at) => {
    const parent = join(directory, ...parts.slice(0, at + 1));
    return lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === false;
  });
}

function removeEmpty(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === '.git') continue;
    removeEmpty(join(directory, entry.name));
    if (readdirSync(join(directory, entry.name)).length === 0)
      rmSync(join(directory, entry.name), { recursive: true });
  }
}

function listFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => !path.startsWith('.git/'))
    .sort();
}

/** The index with its stages, the files, and the state as git tells it. */
function describeState(directory: string) {
  return {
    status: gitText(directory, 'status', '--porcelain').split('\n'),
    staged: gitText(directory, 'ls-files', '--stage').split('\n'),
    tree: gitText(directory, 'rev-parse', 'HEAD^{tree}'),
    files: listFiles(directory).map((path) => {
      const place = join(directory, path);
      if (lstatSync(place).isSymbolicLink()) return `${path} -> ${readlinkSync(place)}`;
      const mode = (statSync(place).mode & 0o100) === 0 ? 'file' : 'program';
      return `${path} ${mode}\n${readFileSync(place, 'utf8')}`;
    }),
  };
}

/** It ends with 1 at conflicts, some of which aren't in the index, and where there is nothing to commit. */
function runReal(directory: string, args: readonly string[]): 'conflict' | 'done' {
  try {
    runGit(directory, args);
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: Buffer };
    if (status !== 1) throw error;
    if (stdout?.includes('CONFLICT') === true) return 'conflict';
  }
  return gitText(directory, 'ls-files', '--unmerged') === '' ? 'done' : 'conflict';
}

interface Command {
  /** Does one side's work, and puts it where the command finds it. */
  readonly prepare: (directory: string, hand: Hand) => void;
  readonly real: readonly string[];
  readonly ours: (git: LocalGit) => Promise<GitMergeResult>;
}

const commands: readonly Command[] = [
  {
    prepare: workOnTopic,
    real: ['merge', '--no-ff', '--no-edit', 'topic'],
    ours: (git) => git.merge('topic', { fastForward: 'never' }),
  },
  {
    prepare: workOnTopic,
    real: ['cherry-pick', '--keep-redundant-commits', 'topic'],
    ours: (git) => git.cherryPick('topic'),
  },
  {
    prepare(directory, hand) {
      hand.work();
      hand.commit('to revert');
      runGit(directory, ['tag', 'topic']);
    },
    real: ['revert', '--no-edit', 'topic'],
    ours: (git) => git.revert('topic'),
  },
  {
    prepare(directory, hand) {
      hand.work();
      writeFileSync(join(directory, 'aside'), 'Something is stashed in any case.');
      runGit(directory, ['add', '-A']);
      runGit(directory, ['stash', 'push', '-q']);
    },
    real: ['stash', 'apply'],
    ours: (git) => git.stash.apply(),
  },
];

function workOnTopic(directory: string, hand: Hand): void {
  runGit(directory, ['checkout', '-qb', 'topic']);
  hand.work();
  hand.commit('on topic');
  runGit(directory, ['checkout', '-q', 'main']);
}

describe.skipIf(gitVersion === undefined)('a merge, pick, revert or stash with renames', () => {
  const seeds = Array.from({ length: rounds }, (_, at) => first + at);

  it.each(seeds)('comes to what git makes of it (seed %i)', async (seed) => {
    using real = openDirectory();
    using ours = openDirectory();
    const random = createRandom(seed);
    const hand = new Hand(real.path, random);
    runGit(real.path, ['init', '-q']);
    const settings = {
      'merge.conflictStyle': random.pick(['merge', 'diff3', 'zdiff3']),
      'merge.directoryRenames': random.pick(['conflict', 'conflict', 'true', 'false']),
    };
    for (const [name, value] of Object.entries(settings))
      runGit(real.path, ['config', name, value]);
    hand.begin();
    hand.commit('base');
    const command = random.pick(commands);
    command.prepare(real.path, hand);
    hand.work();
    hand.commit('on main');
    const view = await openEmptyView();
    importFiles(view.fs.sync, real.path, '/');
    const git = createGit(view, { author });
    const said = runReal(real.path, command.real);
    const { type } = await command.ours(git);
    exportFiles(view.fs.sync, ours.path);
    expect(type === 'conflict' ? 'conflict' : 'done').toBe(said);
    expect(describeState(ours.path)).toEqual(describeState(real.path));
    if (type !== 'conflict') return;
    // A stash's conflicts belong to no operation that could be aborted.
    await (command.real[0] === 'stash' ? git.reset({ mode: 'hard' }) : git.abort());
    expect((await git.status()).files).toEqual([]);
  });
});
