// What a merge of trees begins with: its trees, how the sides differ, and each path's stages. merge-trees.ts makes it.
import type { Oid } from './git.ts';
import type { Stages } from './merge-content.ts';
import type { EntryPair } from './trees.ts';

/** One path in a merge. Renames move stages from path to path. */
export interface MergePath {
  readonly stages: Stages;
  /** Where each side has the file. */
  readonly names: Stages<string>;
  /** Which two were the same before renames were followed: one side and the base, or both sides. */
  readonly same: 'base-ours' | 'base-theirs' | 'sides' | null;
  /** The file is in conflict whatever its content is: where it belongs isn't clear. */
  isDisputed: boolean;
  /** The file went on to another path. */
  isGone: boolean;
}

export type MergePaths = Map<string, MergePath>;

/** The trees that are merged. */
export interface MergedTrees {
  readonly base: Oid;
  readonly ours: Oid;
  readonly theirs: Oid;
}

export interface MergeInput {
  readonly trees: MergedTrees;
  /** From the base to each side. */
  readonly differences: {
    readonly ours: readonly EntryPair[];
    readonly theirs: readonly EntryPair[];
  };
  /** Every path that isn't the same on both sides and in the base. */
  readonly paths: MergePaths;
}
