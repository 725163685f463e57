// `npm run bench -- git`: our git beside stock isomorphic-git, in real Chromium. What each metric is
// stands in git/notes.ts.
import type { BenchResult } from '../../scripts/bench.ts';
import { besideGoals, cloneGoals, localGoals } from './git/goals.ts';
import { makeRepository } from './git/make-repository.ts';
import { measureBeside } from './git/measure-beside.ts';
import { measureClone } from './git/measure-clone.ts';
import { measureLocal } from './git/measure-local.ts';
import { besideNotes, cloneNotes, localNotes } from './git/notes.ts';
import { describeLoad } from './repl/describe-load.ts';

const sizes = [
  { files: 2500, prefix: 'small_' },
  { files: 25_000, prefix: '' },
];

export async function bench(): Promise<BenchResult> {
  const metrics: Record<string, number> = {};
  for (const { files, prefix } of sizes) {
    using repository = makeRepository(files);
    say(`status, commit and switch of ${files} files`);
    Object.assign(metrics, await measureLocal(repository, prefix));
    say(`clones of ${files} files`);
    Object.assign(metrics, await measureClone(repository, prefix));
    say(`calls beside a clone of ${files} files`);
    Object.assign(metrics, await measureBeside(repository, prefix));
    metrics[`${prefix}files`] = repository.files;
    metrics[`${prefix}mb`] = repository.bytes / 1e6;
  }
  return {
    metrics,
    notes: [...localNotes, ...cloneNotes, ...besideNotes, describeLoad()],
    goals: [...localGoals, ...cloneGoals, ...besideGoals],
  };
}

/** On the way, so that a person sees that it goes on. */
function say(stage: string): void {
  console.error(`bench: ${stage}`);
}
