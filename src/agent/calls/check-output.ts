// In development builds: does a tool's output look as its own `outputSchema` says? Loaded by `settle.ts`
// for the first such output.
import { describeThrown } from '../../core/errors.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { listIssues } from './describe-mistake.ts';

/**
 * What the model is told where it doesn't; undefined where it does. The output itself is never changed:
 * it must be the same in production, where nobody looks. Never rejects.
 */
export async function findOutputMistake(tool: Tool, output: unknown): Promise<string | undefined> {
  try {
    // As in validate.ts: zod's compiled parsers need what a strict page refuses.
    const parsed = await tool.outputSchema?.safeParseAsync(output, { jitless: true });
    if (!parsed || parsed.success) return undefined;
    return blame(
      tool,
      `isn't what its outputSchema says:\n${listIssues(parsed.error.issues, 'output')}\n`,
    );
  } catch (error) {
    return blame(tool, `could not be checked by its outputSchema (${describeThrown(error)}). `);
  }
}

function blame({ name }: Tool, what: string): string {
  return `The output of ${name} ${what}Nothing that it changed was kept. This is a mistake of the tool's author, not of the call, and only development builds look for it; try another way.`;
}
