// SuggestPr by itself; that it is asked about and made is shown in test/unit/agent/pull-requests.
import { describe, expect, it } from 'vitest';
import { suggestPrInputSchema } from '../../src/tools/suggest-pr/schema.ts';
import { suggestPrTool } from '../../src/tools/suggest-pr/tool.ts';

const input = { repository: 'ann/tides', branch: 'down', title: 'Round down', body: 'Why' };

describe("SuggestPr's definition", () => {
  it('takes a proposal, and refuses one that says nothing or too much', async () => {
    expect(suggestPrInputSchema().safeParse(input).success).toBe(true);
    expect(suggestPrInputSchema().safeParse({ ...input, diff: 'x' }).success).toBe(false);
    const results = await Promise.all(
      [input, { ...input, title: ' ' }, { ...input, body: 'x'.repeat(65_537) }].map((one) =>
        suggestPrTool.validateInput(one),
      ),
    );
    expect(results.map((one) => one.result)).toEqual([true, false, false]);
  });

  it('is asked about by its title', () => {
    expect(suggestPrTool.genToolPermission({ ...input, base: 'main' })).toEqual({
      title: 'Make the pull request "Round down"?',
      summary: 'Propose down into main in ann/tides: Round down',
      content: 'Why',
    });
    expect([suggestPrTool.isReadOnly(), suggestPrTool.isOpenWorld()]).toEqual([false, true]);
  });
});
