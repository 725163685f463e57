// What a Repl session makes of some hundred cells: the same value, error and files in each runtime.
import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../src/repl/cell/cell-request.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { bindings } from './repl-cells/bindings.ts';
import type { CellExpectation, CellOutcome, CellSession } from './repl-cells/cell-session.ts';
import { functions } from './repl-cells/functions.ts';
import { language } from './repl-cells/language.ts';
import { modules } from './repl-cells/modules.ts';
import { sessions } from './repl-cells/sessions.ts';
import { values } from './repl-cells/values.ts';

export const cellSessions: readonly CellSession[] = [
  ...bindings,
  ...values,
  ...functions,
  ...language,
  ...sessions,
  ...modules,
];

/** A session over a workspace whose working directory is `/work`. */
export interface CellSubject {
  readonly workspace: Workspace;
  run(code: string): Promise<CellResult>;
}

export function describeCells(
  name: string,
  open: (files: CellSession['files']) => Promise<CellSubject>,
): void {
  describe(`${name}: cells`, () => {
    it.each(cellSessions)('$title', async ({ cells, files: initial }) => {
      const { workspace, run } = await open(initial);
      let files = initial;
      for (const [code, outcome] of cells) {
        const expected = toExpectation(outcome);
        files = expected.files ?? files;
        const result = await run(code);
        // Softly: one report of all the cells of a session that differ.
        expect
          .soft(
            { code, ...toOutcome(result, expected), files: await readFiles(workspace) },
            result.error?.stack,
          )
          .toEqual({ code, ...expected, files });
      }
    });
  });
}

/** With `value` and `throws` as they were; of the rest what is asked for. */
function toOutcome(result: CellResult, expected: CellExpectation): CellExpectation {
  const { error } = result;
  return {
    ...(result.display !== undefined && { value: result.display }),
    ...(error && { throws: error.name }),
    ...('message' in expected && error && { message: error.message }),
    ...('line' in expected && error?.line !== undefined && { line: error.line }),
    ...('stdout' in expected && { stdout: result.stdout }),
  };
}

export function toExpectation(outcome: CellOutcome): CellExpectation {
  if (typeof outcome === 'object') return outcome;
  return outcome === undefined ? {} : { value: outcome };
}

async function readFiles(workspace: Workspace): Promise<Record<string, string>> {
  const { fs } = workspace;
  const files: Record<string, string> = {};
  for (const path of await fs.readdir('/work', { recursive: true })) {
    if ((await fs.stat(`/work/${path}`)).isFile()) {
      files[path] = await fs.readFile(`/work/${path}`, 'utf8');
    }
  }
  return files;
}
