// Our Grep beside ripgrep, query by query and in turn, so that both meet the same machine. That both
// find the same is checked on the way: a figure of another answer would be none.
import { median } from '../workspace/statistics.ts';
import type { CommandTimer } from './command-timer.ts';
import { grepModes, queries, toRipgrepArguments, type BenchMode } from './queries.ts';

/** As much of Grep's answer as tells whether it is ripgrep's. */
export interface GrepFound {
  readonly ms: number;
  readonly files: number;
  readonly lines: number;
  readonly matches: number;
}

export type RunGrep = (input: object) => Promise<GrepFound>;

export interface Ripgrep {
  readonly timer: CommandTimer;
  readonly command: string;
  /** Where the same files are. */
  readonly folder: string;
}

/** What ripgrep takes by what we take, of each query, and what was found otherwise. */
export interface Ratios {
  readonly ratios: readonly number[];
  readonly differences: readonly string[];
}

/** Medians of so many rounds. */
export async function measureMode(
  mode: BenchMode,
  run: RunGrep,
  { timer, command, folder }: Ripgrep,
  rounds = 3,
): Promise<Ratios> {
  const ratios: number[] = [];
  const differences: string[] = [];
  for (const query of queries) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const found = await run({ ...query, ...grepModes[mode] });
      const timed = await timer.time(command, toRipgrepArguments(query, mode), folder);
      ours.push(found.ms);
      theirs.push(timed.ms);
      const [mine, wanted] = toComparable(mode, found, timed);
      if (round === 0 && mine !== wanted) {
        differences.push(`${mode} ${query.pattern}: ${mine}, and ripgrep has ${wanted}`);
      }
    }
    ratios.push(median(theirs) / median(ours));
  }
  return { ratios, differences };
}

/** What both counted, which must be the same. */
function toComparable(
  mode: BenchMode,
  found: GrepFound,
  timed: { readonly lines: number; readonly sum: number },
): [ours: number, theirs: number] {
  switch (mode) {
    case 'files':
      return [found.files, timed.lines];
    case 'limited':
      return [found.lines, Math.min(timed.lines, grepModes.limited.head_limit)];
    case 'count':
      return [found.matches, timed.sum];
    case 'unlimited':
      return [found.lines, timed.lines];
  }
}

/** Of each query the ratio, as two metrics. */
export function toFigures(prefix: string, { ratios }: Ratios): Record<string, number> {
  return {
    [`${prefix}_median`]: median(ratios),
    [`${prefix}_min`]: Math.min(...ratios),
  };
}
