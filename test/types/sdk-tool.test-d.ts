// What the handler of tool() gets, by what its input is written in. Checked by tsc.
import * as z from 'zod';
import { expectTypeOf } from 'vitest';
import { buildTool } from '../../src/core/tool/build-tool.ts';
import { standardInput } from '../../src/core/schema/standard-schema.ts';
import type { StandardSchema } from '../../src/core/schema/standard-schema.ts';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../src/mcp/tool.ts';

const done = { content: [] };

const byShape = tool('a', '', { city: z.string(), days: z.number().optional() }, async (args) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
  return done;
});
const byObject = tool('b', '', z.strictObject({ city: z.string() }), async (args, { signal }) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string }>();
  expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
  return done;
});
declare const foreign: StandardSchema<{ city: string }>;
const byStandard = tool('c', '', foreign, async (args) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string }>();
  return done;
});

// Tools of different inputs are one server's.
createSdkMcpServer({ name: 'x', tools: [byShape, byObject, byStandard] });

// @ts-expect-error -- a result has content
tool('d', '', {}, async () => 'text');

const built = buildTool({
  name: 'Trip',
  ...standardInput('Trip', foreign),
  description: () => Promise.resolve(''),
  prompt: () => Promise.resolve(''),
  mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID: string) =>
    ({ type: 'tool_result', tool_use_id: toolUseID }) as const,
  call: (input: { city: string }) => Promise.resolve({ data: input.city }),
});
expectTypeOf<z.output<typeof built.inputSchema>>().toEqualTypeOf<{ city: string }>();
