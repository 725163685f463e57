// Small tools for tests of the stages. Their work is the fake executor's.
import * as z from 'zod';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { InputSchema, Tool } from '../../../src/core/tool/tool.ts';

const pathSchema = z.strictObject({ path: z.string() });
const anySchema = z.strictObject({ value: z.number().optional() });

type PathDef = ToolDef<typeof pathSchema, unknown>;
type AnyDef = ToolDef<typeof anySchema, unknown>;

const shared = {
  runsIn: 'worker',
  description: () => Promise.resolve('A tool of the tests.'),
  prompt: () => Promise.resolve(''),
  mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) =>
    ({ type: 'tool_result', tool_use_id: toolUseID, content: String(output) }) as const,
} as const;

/** Reads the file that it names: read-only and concurrency-safe. */
export function lookTool(changes: Partial<PathDef> = {}): Tool {
  return buildTool({
    ...shared,
    name: 'Look',
    inputSchema: pathSchema,
    getPath: (input) => input.path,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    ...changes,
  } as PathDef) as Tool;
}

/** Writes the file that it names. */
export function changeTool(changes: Partial<PathDef> = {}): Tool {
  return buildTool({
    ...shared,
    name: 'Change',
    inputSchema: pathSchema,
    getPath: (input) => input.path,
    ...changes,
  } as PathDef) as Tool;
}

/** Does anything; what it changes is judged at commit. */
export function cellTool(changes: Partial<AnyDef> = {}): Tool {
  return buildTool({
    ...shared,
    name: 'Cell',
    inputSchema: anySchema,
    authorizesChangesAt: 'commit',
    ...changes,
  } as AnyDef) as Tool;
}

/** Neither reads nor writes files, and says nothing about itself. */
export function plainTool(changes: Partial<AnyDef> = {}): Tool {
  return buildTool({
    ...shared,
    name: 'Plain',
    inputSchema: anySchema,
    ...changes,
  } as AnyDef) as Tool;
}

/** A tool that does its work on the page, for cells to call. */
export function pageTool<Input extends InputSchema>(
  name: string,
  inputSchema: Input,
  work: (input: z.output<Input>) => unknown,
): Tool {
  return buildTool({
    name,
    inputSchema,
    description: shared.description,
    prompt: shared.prompt,
    mapToolResultToToolResultBlockParam: shared.mapToolResultToToolResultBlockParam,
    call: async (input) => ({ data: await work(input) }),
  } satisfies ToolDef<Input>) as unknown as Tool;
}
