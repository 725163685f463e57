// Moves new files of one side into a directory that the other side has renamed, as git's `ort`
// does. merge-renames.ts calls it when the renames of both sides are known.
import { SdkError } from '../../core/errors.ts';
import { readConfig } from './config.ts';
import { mayShow } from './difference.ts';
import { parentOf, type Side } from './directory-renames.ts';
import type { MergeInput } from './merge-paths.ts';
import type { Repository } from './repository.ts';
import { entryAt } from './trees.ts';

/**
 * Git's `merge.directoryRenames`. With `true` files move along; with `conflict` a person must
 * confirm.
 */
export type DirectoryRenames = 'true' | 'false' | 'conflict';

/** @throws SdkError `bad-usage` for a value that git doesn't have */
export function readDirectoryRenames(repository: Repository): DirectoryRenames {
  const value = readConfig(repository, 'merge.directoryRenames') ?? 'conflict';
  if (/^conflict$/iu.test(value)) return 'conflict';
  if (/^(?:true|yes|on|[1-9]\d*)$/iu.test(value)) return 'true';
  if (/^(?:false|no|off|0|)$/iu.test(value)) return 'false';
  throw new SdkError(
    'bad-usage',
    `merge.directoryRenames in the repository's config is ${JSON.stringify(value)}. It can be true, false or conflict.`,
  );
}

/** Old directory → new directory of one side, or null if it isn't clear. */
type Renamed = ReadonlyMap<string, string | null>;

export interface FollowedDirectories {
  /** Returns the current path of a side's file. */
  place(side: Side, path: string): string;
  /** New files that stay, and directories whose new place isn't clear. */
  readonly unclear: readonly string[];
}

/** Moves stages in `paths`. `ours` and `theirs` are the directories that each side has renamed. */
export function followDirectories(
  repository: Repository,
  input: MergeInput,
  { ours, theirs }: { readonly ours: Renamed; readonly theirs: Renamed },
  isAsked: boolean,
): FollowedDirectories {
  const follow = new Follow(repository, input, isAsked);
  const [byOurs, byTheirs] = [follow.select(ours, theirs), follow.select(theirs, ours)];
  follow.move(1, byTheirs, byOurs);
  follow.move(2, byOurs, byTheirs);
  return follow;
}

class Follow implements FollowedDirectories {
  readonly unclear: string[] = [];
  readonly #repository: Repository;
  readonly #input: MergeInput;
  readonly #isAsked: boolean;
  readonly #moves = { 1: new Map<string, string>(), 2: new Map<string, string>() } as const;

  constructor(repository: Repository, input: MergeInput, isAsked: boolean) {
    this.#repository = repository;
    this.#input = input;
    this.#isAsked = isAsked;
  }

  place(side: Side, path: string): string {
    return this.#moves[side].get(path) ?? path;
  }

  /** Returns directories with a clear new place, without those that both sides have renamed. */
  select(own: Renamed, others: Renamed): Map<string, string> {
    const selected = new Map<string, string>();
    for (const [directory, target] of own) {
      if (target === null) this.unclear.push(directory);
      else if ((others.get(directory) ?? null) === null) selected.set(directory, target);
    }
    return selected;
  }

  /**
   * Moves new files of `side` to where the other side renamed their directories. `own` are the
   * directories that this side renamed.
   */
  move(side: Side, others: ReadonlyMap<string, string>, own: ReadonlyMap<string, string>): void {
    if (others.size === 0) return;
    const { differences } = this.#input;
    const wanted = new Map<string, string[]>();
    for (const { path, before, after } of side === 1 ? differences.ours : differences.theirs) {
      if (before || !after || !mayShow(this.#repository, path)) continue;
      let directory = parentOf(path);
      while (directory !== '' && !others.has(directory)) directory = parentOf(directory);
      const target = others.get(directory);
      // The file would move to a directory that its own side has renamed away.
      if (target === undefined || own.has(target)) continue;
      const name = path.slice(directory.length + 1);
      const place = target === '' ? name : `${target}/${name}`;
      // Security: as for all renames, content never moves to a path with other rules.
      if (!mayShow(this.#repository, place)) continue;
      wanted.set(place, [...(wanted.get(place) ?? []), path]);
    }
    for (const [place, paths] of wanted) {
      const [path] = paths;
      const isOneOnly = path !== undefined && paths.length === 1 && !this.#isTaken(side, place);
      if (isOneOnly) this.#moveOne(side, path, place);
      else this.unclear.push(...paths);
    }
  }

  #isTaken(side: Side, place: string): boolean {
    const { trees } = this.#input;
    const tree = side === 1 ? trees.ours : trees.theirs;
    return !this.#moves[side].has(place) && entryAt(this.#repository, tree, place) !== undefined;
  }

  #moveOne(side: Side, path: string, place: string): void {
    const { paths } = this.#input;
    const old = paths.get(path);
    if (!old) return;
    const fresh = paths.get(place) ?? {
      stages: [null, null, null],
      names: [path, path, path],
      same: null,
      isDisputed: false,
      isGone: false,
    };
    fresh.stages[side] = old.stages[side];
    fresh.names[side] = path;
    if (this.#isAsked) fresh.isDisputed = true;
    old.isGone = true;
    paths.set(place, fresh);
    this.#moves[side].set(path, place);
  }
}
