// What a stage of the Repl bench gives, and how the stages' figures come together.
import { setTimeout } from 'node:timers/promises';

/** Metrics by their names; null where something couldn't be measured, and a note then says why. */
export type Figures = Readonly<Record<string, number | null>>;

export interface Stage {
  readonly figures: Figures;
  readonly notes?: readonly string[];
}

// 3 min: the longest stage is the kernels with about one. What doesn't answer must not stop the rest.
const stageLimitMs = 180_000;

/** A stage that fails leaves its metrics out and says why: the others are worth knowing. */
export async function attempt(name: string, measure: () => Promise<Stage>): Promise<Stage> {
  // On the way, so that a person sees that it goes on.
  console.error(`bench: ${name}`);
  try {
    const tooLong = setTimeout(stageLimitMs, undefined, { ref: false }).then(() => {
      throw new Error(`It took longer than ${stageLimitMs / 1000} s.`);
    });
    return await Promise.race([measure(), tooLong]);
  } catch (error) {
    console.error(error);
    return { figures: {}, notes: [`${name}: not measured, because of: ${firstLine(error)}`] };
  }
}

export function together(stages: readonly Stage[]): Required<Stage> {
  return {
    figures: Object.assign({}, ...stages.map(({ figures }) => figures)) as Figures,
    notes: stages.flatMap(({ notes = [] }) => notes),
  };
}

function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.replace(/^page\.evaluate: /u, '');
}
