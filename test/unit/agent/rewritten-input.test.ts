// No rewritten input escapes validation. A hook or a person's answer may put anything in an input's
// place. A tool is run with what its schema makes of it, or not at all.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { HooksOption } from '../../../src/agent/hooks/hooks.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { runsHere } from '../../support/runs-here.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const schema = z.strictObject({
  path: z.string().max(20),
  depth: z.number().int().min(0).max(3).default(1),
  flags: z.array(z.enum(['a', 'b'])).optional(),
});

const hostile = ['__proto__', 'constructor', 'path', 'depth', 'flags', 'toString', 'approved'];
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom('x', 'secret/a', 1, 3, 4, ['a'], ['c'], null),
);
const wrong = fc
  .array(fc.tuple(fc.constantFrom(...hostile), value), { maxLength: 5 })
  // As JSON gives it: `__proto__` is then a key like any other.
  .map((entries) => {
    const fields = entries.map(([key, given]) => `${JSON.stringify(key)}:${JSON.stringify(given)}`);
    return JSON.parse(`{${fields.join()}}`) as Record<string, unknown>;
  });
const right = fc.record(
  { path: fc.string({ maxLength: 20 }), depth: fc.nat(3) },
  { requiredKeys: ['path'] },
);
const input = fc.oneof(right, wrong);

const rewriting = fc.record({
  hook: fc.option(input, { nil: undefined }),
  request: fc.option(input, { nil: undefined }),
  answer: fc.option(input, { nil: undefined }),
});

it('runs a tool with nothing that its schema would refuse', async () => {
  await using host = await openHost();
  const numRuns = runsHere(450);
  const counts = { ran: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(rewriting, async ({ hook, request, answer }) => {
      const ran: unknown[] = [];
      const own = buildTool({
        name: 'Own',
        inputSchema: schema,
        description: async () => 'Runs.',
        prompt: async () => '',
        call: async (given) => {
          ran.push(given);
          return { data: 'ran' };
        },
        mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
          type: 'tool_result',
          tool_use_id,
          content: String(content),
        }),
      } satisfies ToolDef<typeof schema>) as unknown as Tool;
      const specific = (hookEventName: 'PreToolUse' | 'PermissionRequest', fields: object) => ({
        hooks: [async () => ({ hookSpecificOutput: { hookEventName, ...fields } })],
      });
      const hooks = {
        ...(hook && { PreToolUse: [specific('PreToolUse', { updatedInput: hook })] }),
        ...(request && {
          PermissionRequest: [
            specific('PermissionRequest', {
              decision: { behavior: 'allow', updatedInput: request },
            }),
          ],
        }),
      } as HooksOption;
      const canUseTool: CanUseTool = async () => ({
        behavior: 'allow',
        ...(answer && { updatedInput: answer }),
      });
      const turns = [callTool('Own', { path: 'x' })];
      const { messages } = await runHooked(host, turns, { tools: [own], hooks, canUseTool });
      // One result, whatever was put in the input's place.
      expect(toResults(messages)).toHaveLength(1);
      for (const given of ran) {
        // What the schema gives is what it takes: nothing is left to refuse, and nothing to add.
        expect(schema.parse(given)).toEqual(given);
        expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
      }
      counts[ran.length > 0 ? 'ran' : 'refused'] += 1;
      expect(({} as Record<string, unknown>)['approved']).toBeUndefined();
    }),
    { numRuns },
  );
  // Both must have been seen, or the property says nothing.
  expect(Math.min(counts.ran, counts.refused)).toBeGreaterThan(numRuns / 45);
});
