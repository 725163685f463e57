// The budget never changes what was already sent: however long results are, and however many of them a
// message has, each request begins with all that the one before it held.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../../src/core/build-tool.ts';
import type { ToolDef } from '../../../src/core/build-tool.ts';
import type { Tool } from '../../../src/core/tool.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { openHost, runHooked } from '../../support/run-hooked.ts';

const schema = z.strictObject({ chars: z.number() });

/** Gives as many characters as it is asked for. */
function longTool(name: string, maxResultSizeChars?: number): Tool {
  return buildTool({
    name,
    inputSchema: schema,
    ...(maxResultSizeChars !== undefined && { maxResultSizeChars }),
    description: async () => 'Says much.',
    prompt: async () => '',
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    call: async ({ chars }) => ({ data: 'x'.repeat(chars) }),
    mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(content),
    }),
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
}

const call = fc.record({
  name: fc.constantFrom('Long', 'Short', 'Paged'),
  chars: fc.oneof(fc.nat(60_000), fc.constantFrom(0, 49_999, 50_001, 150_000, 399_999, 500_000)),
});

it('each request begins with what the one before it held, and no message exceeds the budget', async () => {
  await using host = await openHost();
  const tools = [longTool('Long'), longTool('Short', 1_000), longTool('Paged', Infinity)];
  const turn = fc.array(call, { minLength: 1, maxLength: 6 });
  let spilled = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
      let id = 0;
      const script = turns.map((calls): ScriptTurn => ({
        blocks: calls.map(({ name, chars }) => ({
          type: 'tool_use',
          id: `call-${(id += 1)}`,
          name,
          input: { chars },
        })),
      }));
      const { requests } = await runHooked(host, script, { tools });
      expect(requests).toHaveLength(turns.length + 1);
      for (const [at, request] of requests.entries()) {
        const before = requests[at - 1] ?? [];
        expect(JSON.stringify(request.slice(0, before.length))).toBe(JSON.stringify(before));
      }
      for (const { content } of requests.at(-1) ?? []) {
        if (typeof content === 'string') continue;
        const sizes = content.flatMap((block) =>
          block.type === 'tool_result' && 'content' in block ? [String(block.content)] : [],
        );
        const isPaged = sizes.some((text) => text.length > 50_000);
        const total = sizes.reduce((sum, text) => sum + text.length, 0);
        if (!isPaged) expect(total).toBeLessThanOrEqual(200_000);
        if (sizes.some((text) => text.includes('too long to show'))) spilled += 1;
      }
    }),
    { numRuns: 40 },
  );
  expect(spilled).toBeGreaterThan(10);
});
