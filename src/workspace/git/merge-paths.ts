// The input of a tree merge: its trees, the differences of the sides, and the stages of each path.
// Created by merge-trees.ts.
import type { Oid } from './git.ts';
import type { Stages } from './merge-content.ts';
import type { EntryPair } from './trees.ts';

/** One path in a merge. Renames move stages between paths. */
export interface MergePath {
  readonly stages: Stages;
  /** Where the file is on each side. */
  readonly names: Stages<string>;
  /**
   * Which two versions were equal before renames were followed: one side and the base, or both
   * sides.
   */
  readonly same: 'base-ours' | 'base-theirs' | 'sides' | null;
  /** True if the file is in conflict whatever its content, because its place isn't clear. */
  isDisputed: boolean;
  /** True if the file has moved to another path. */
  isGone: boolean;
}

export type MergePaths = Map<string, MergePath>;

/** The trees to merge. */
export interface MergedTrees {
  readonly base: Oid;
  readonly ours: Oid;
  readonly theirs: Oid;
}

export interface MergeInput {
  readonly trees: MergedTrees;
  /** The differences from the base to each side. */
  readonly differences: {
    readonly ours: readonly EntryPair[];
    readonly theirs: readonly EntryPair[];
  };
  /** Every path that differs between the base and the two sides. */
  readonly paths: MergePaths;
}
