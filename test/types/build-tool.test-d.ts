// The three promises of BuiltTool. A key that the definition gives keeps its exact type. One that
// it leaves out has the default's. Every other key is carried through verbatim. Checked by tsc.
import * as z from 'zod';
import { expectTypeOf } from 'vitest';
import { buildTool } from '../../src/core/tool/build-tool.ts';
import type { BuiltTool, ToolDef } from '../../src/core/tool/build-tool.ts';
import type { ToolPermissionResult } from '../../src/core/permissions/permission.ts';
import type { Tool } from '../../src/core/tool/tool.ts';

const inputSchema = z.strictObject({ file_path: z.string(), limit: z.number().optional() });
interface Output {
  readonly lines: number;
}

const tool = buildTool({
  name: 'Count',
  inputSchema,
  runsIn: 'worker',
  maxResultSizeChars: 30_000,
  description: () => Promise.resolve('Counts lines.'),
  prompt: () => Promise.resolve(''),
  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: String(output.lines),
  }),
  getPath: (input) => input.file_path,
  isReadOnly: (input) => input.limit !== undefined,
} as const satisfies ToolDef<typeof inputSchema, Output>);

// 1. What the definition gives, as it gives it.
expectTypeOf(tool.name).toEqualTypeOf<'Count'>();
expectTypeOf(tool.runsIn).toEqualTypeOf<'worker'>();
expectTypeOf(tool.maxResultSizeChars).toEqualTypeOf<30_000>();
expectTypeOf(tool.inputSchema).toEqualTypeOf<typeof inputSchema>();
expectTypeOf(tool.isReadOnly).parameters.toEqualTypeOf<
  [input: { file_path: string; limit?: number | undefined }]
>();
expectTypeOf(tool.getPath).returns.toEqualTypeOf<string>();

// 2. What it leaves out, as the default has it: of the default's arity, and never missing.
expectTypeOf(tool.isEnabled).toEqualTypeOf<() => boolean>();
expectTypeOf(tool.isConcurrencySafe).toEqualTypeOf<() => boolean>();
expectTypeOf(tool.isDestructive).toEqualTypeOf<() => boolean>();
expectTypeOf(tool.userFacingName).toEqualTypeOf<() => string>();
expectTypeOf(tool.toAutoClassifierInput).toEqualTypeOf<() => unknown>();
expectTypeOf(tool.checkPermissions).toEqualTypeOf<() => Promise<ToolPermissionResult>>();

// A key that may be undefined has the definition's type or the default's.
type MaybeGiven = BuiltTool<{ readonly isEnabled?: () => true }>;
expectTypeOf<MaybeGiven['isEnabled']>().toEqualTypeOf<(() => true) | (() => boolean)>();

// 3. Everything else verbatim: optionality, literals, members that no tool has.
type Carried = BuiltTool<{
  readonly name: 'X';
  readonly searchHint?: 'hint';
  readonly own: (a: 1, b: 2) => 3;
}>;
expectTypeOf<Carried['own']>().toEqualTypeOf<(a: 1, b: 2) => 3>();
expectTypeOf<Carried['searchHint']>().toEqualTypeOf<'hint' | undefined>();
expectTypeOf<Pick<Carried, 'searchHint'>>().toEqualTypeOf<{ readonly searchHint?: 'hint' }>();
// @ts-expect-error -- what the definition doesn't have, the tool doesn't have
expectTypeOf(tool.searchHint).toBeAny();

// A built tool is a tool.
expectTypeOf(tool).toExtend<Tool<typeof inputSchema, Output>>();

const shared = {
  name: 'Other',
  inputSchema,
  description: () => Promise.resolve(''),
  prompt: () => Promise.resolve(''),
  mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID: string) =>
    ({ type: 'tool_result', tool_use_id: toolUseID }) as const,
};

// A literal name stays one without `as const`, and a name that is made stays a string.
const plain = buildTool({
  ...shared,
  name: 'Plain',
  runsIn: 'worker',
} satisfies ToolDef<typeof inputSchema>);
expectTypeOf(plain.name).toEqualTypeOf<'Plain'>();
const given: string = shared.name;
const made = buildTool({
  ...shared,
  name: given,
  runsIn: 'worker',
} satisfies ToolDef<typeof inputSchema>);
expectTypeOf(made.name).toEqualTypeOf<string>();

// One of runsIn and call, never neither, never both.
// @ts-expect-error -- there is nothing that could do its work
buildTool(shared satisfies ToolDef<typeof inputSchema>);
const call = () => Promise.resolve({ data: 1 });
// @ts-expect-error -- it can't be known which of the two is meant
buildTool({ ...shared, runsIn: 'worker', call } satisfies ToolDef<typeof inputSchema>);
buildTool({ ...shared, call } satisfies ToolDef<typeof inputSchema>);

// The references' form: the built tool is held to the definition's type, and its literals stay.
const built = buildTool({
  ...shared,
  name: 'Built',
  call,
  isReadOnly: (input: { readonly file_path: string }) => input.file_path !== '',
}) satisfies ToolDef<typeof inputSchema, number>;
expectTypeOf(built.name).toEqualTypeOf<'Built'>();
expectTypeOf(built.isEnabled).toEqualTypeOf<() => boolean>();

// An instance of a class has what its class says.
class Counter {
  readonly name = 'Counter';
  readonly inputSchema = inputSchema;
  description = () => Promise.resolve('');
  prompt = () => Promise.resolve('');
  mapToolResultToToolResultBlockParam(_output: unknown, toolUseID: string) {
    return { type: 'tool_result', tool_use_id: toolUseID } as const;
  }
  call() {
    return Promise.resolve({ data: 1 });
  }
}
const counter = buildTool(new Counter());
expectTypeOf<(typeof counter)['name']>().toEqualTypeOf<'Counter'>();
expectTypeOf(counter).toExtend<Tool<typeof inputSchema, number>>();
