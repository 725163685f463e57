// The budget never changes what was already sent. However long results are, and however many of
// them a message has, each request begins with all that the one before it held.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { ToolResultBlock } from '../../../src/core/messages/blocks.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { openHost, runHooked } from '../../support/turns/run-hooked.ts';
import { runsHere } from '../../support/runs-here.ts';

const schema = z.strictObject({ chars: z.number() });

type Content = NonNullable<ToolResultBlock['content']>;

const asText = (text: string): Content => text;
/** As several blocks, one of which is no text. */
const asBlocks = (text: string): Content => [
  { type: 'text', text: text.slice(0, text.length / 3) },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
  { type: 'text', text: text.slice(text.length / 3) },
];

interface LongToolOptions {
  readonly maxResultSizeChars?: number;
  readonly toContent?: (text: string) => Content;
}

/** Gives as many characters as it is asked for. */
function longTool(
  name: string,
  { maxResultSizeChars, toContent = asText }: LongToolOptions = {},
): Tool {
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
      content: toContent(String(content)),
    }),
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
}

const tools = [
  longTool('Long'),
  longTool('Short', { maxResultSizeChars: 1_000 }),
  longTool('Paged', { maxResultSizeChars: Infinity }),
  longTool('Blocks', { toContent: asBlocks }),
  longTool('ShortBlocks', { toContent: asBlocks, maxResultSizeChars: 1_000 }),
  longTool('PagedBlocks', { toContent: asBlocks, maxResultSizeChars: Infinity }),
];

const call = fc.record({
  name: fc.constantFrom(...tools.map(({ name }) => name)),
  // Often just below what one result may have: five of them are more than a message may.
  chars: fc.oneof(
    fc.integer({ min: 40_000, max: 50_000 }),
    fc.nat(60_000),
    fc.constantFrom(0, 49_999, 50_001, 150_000, 399_999, 500_000),
  ),
});

it('each request begins with what the one before it held, and no message exceeds the budget', async () => {
  await using host = await openHost();
  const turn = fc.array(call, { minLength: 1, maxLength: 12 });
  const spilled = { text: 0, blocks: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
      let calls = 0;
      const script = turns.map((turnCalls): ScriptTurn => ({
        blocks: turnCalls.map(({ name, chars }) => {
          const id = `call-${(calls += 1)}`;
          return { type: 'tool_use', id, name, input: { chars } };
        }),
      }));
      const { requests } = await runHooked(host, script, { tools });
      expect(requests).toHaveLength(turns.length + 1);
      for (const [at, request] of requests.entries()) {
        const before = requests[at - 1] ?? [];
        expect(JSON.stringify(request.slice(0, before.length))).toBe(JSON.stringify(before));
      }
      for (const { content } of requests.at(-1) ?? []) {
        if (typeof content === 'string') continue;
        const results = content.filter(isToolResultBlock);
        const texts = results.map(toResultText);
        const total = texts.reduce((sum, text) => sum + text.length, 0);
        expect(total).toBeLessThanOrEqual(200_000);
        for (const [at, { content: parts }] of results.entries()) {
          const isList = typeof parts !== 'string';
          // What is no text stays, however much of the text is left out.
          if (isList) expect(parts?.filter(({ type }) => type === 'image')).toHaveLength(1);
          if (/too long to show|Cut: the results/iu.test(texts[at] ?? ''))
            spilled[isList ? 'blocks' : 'text'] += 1;
        }
      }
    }),
    { numRuns: runsHere(50) },
  );
  for (const count of Object.values(spilled)) expect(count).toBeGreaterThan(runsHere(50) / 6);
});
