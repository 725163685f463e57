import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMessageBudget, applyResultBudget } from '../../../src/agent/budget.ts';
import type { SpillStore } from '../../../src/agent/budget.ts';
import { createSessionSpill } from '../../../src/agent/session/session-files.ts';
import type { ToolResultBlock } from '../../../src/core/blocks.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

function memorySpill(): SpillStore & { readonly texts: string[] } {
  const texts: string[] = [];
  return {
    texts,
    write: (id, text) => {
      texts.push(text);
      return Promise.resolve(`/session/1/tool-results/${id}.txt`);
    },
  };
}

const block = (content: ToolResultBlock['content']): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: 'call-1',
  ...(content !== undefined && { content }),
});
const tool = (maxResultSizeChars?: number) => ({
  name: 'Look',
  ...(maxResultSizeChars !== undefined && { maxResultSizeChars }),
});

describe('applyResultBudget', () => {
  it.each([
    ['no content', block(undefined), tool()],
    ['a short text', block('short'), tool()],
    ['a text at the limit', block('x'.repeat(50_000)), tool()],
    ['a text of a tool without limit', block('x'.repeat(399_999)), tool(Infinity)],
  ])('leaves %s as it is', async (_, given, of) => {
    const spill = memorySpill();
    expect(await applyResultBudget(given, of, spill)).toEqual({ block: given });
    expect(spill.texts).toEqual([]);
  });

  it('gives head, tail, sizes and the path of what is too long', async () => {
    const text = `${'h'.repeat(5_000)}\n${'m'.repeat(20_000)}\n${'t'.repeat(5_000)}`;
    const spill = memorySpill();
    const result = await applyResultBudget(block(text), tool(30_000), spill);
    const path = '/session/1/tool-results/call-1.txt';
    expect(result.persisted).toEqual({ path, size: 30_002 });
    expect(result.block).toEqual(
      block(
        [
          'The result is too long to show (30002 characters in 3 lines). All of it is in /session/1/tool-results/call-1.txt: Read it by offset and limit, or search it with Grep. Its beginning and end:',
          'h'.repeat(4_000),
          '[… 24002 characters left out …]',
          't'.repeat(2_000),
        ].join('\n\n'),
      ),
    );
    expect(spill.texts).toEqual([text]);
  });

  it('keeps images beside the preview', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    } as const;
    const content = [{ type: 'text', text: 'x'.repeat(60_000) } as const, image];
    const result = await applyResultBudget(block(content), tool(), memorySpill());
    expect(result.block.content).toEqual([{ type: 'text', text: expect.any(String) }, image]);
  });

  it('holds the ceiling in bytes for tools without a limit', async () => {
    const text = 'é'.repeat(200_001);
    const spill = memorySpill();
    await applyResultBudget(block(text), tool(Infinity), spill);
    expect(spill.texts).toEqual([text]);
  });

  it('says so when the text can’t be kept', async () => {
    const spill: SpillStore = { write: () => Promise.reject(new Error('The disk is full.')) };
    const result = await applyResultBudget(block('x'.repeat(60_000)), tool(), spill);
    expect(result.persisted).toBeUndefined();
    expect(String(result.block.content).split('\n')[0]).toBe(
      'The result is too long to show (60000 characters in 1 lines), and could not be kept (Error: The disk is full.). Its beginning and end:',
    );
  });

  it('never gives more than the limit and a preview, nor half a character', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((part) => part.repeat(9_000 / part.length + 1));
    await fc.assert(
      fc.asyncProperty(text, fc.nat(20_000), async (given, limit) => {
        const result = await applyResultBudget(block(given), tool(limit), memorySpill());
        const { content } = result.block;
        expect(String(content).length).toBeLessThanOrEqual(Math.max(limit, 6_500));
        expect(() => encodeURIComponent(String(content))).not.toThrow();
      }),
      { numRuns: 50 },
    );
  });
});

describe('applyMessageBudget', () => {
  const named = (id: string, length: number, limit?: number) => ({
    block: { ...block(id.repeat(length)), tool_use_id: id },
    tool: tool(limit),
  });
  const lengths = (blocks: readonly ToolResultBlock[]) =>
    blocks.map(({ content }) => String(content).length);

  it('leaves a message that fits as it is', async () => {
    const results = [named('a', 100_000), named('b', 100_000)];
    const blocks = await applyMessageBudget(results, memorySpill());
    expect(blocks).toEqual(results.map((result) => result.block));
  });

  it('spills the largest first, and no more than it must', async () => {
    const spill = memorySpill();
    const results = [
      named('a', 90_000),
      named('b', 100_000),
      named('c', 5_000),
      named('d', 95_000),
    ];
    const blocks = await applyMessageBudget(results, spill);
    expect(spill.texts).toEqual(['b'.repeat(100_000)]);
    expect(lengths(blocks)).toEqual([90_000, expect.any(Number), 5_000, 95_000]);
    expect(blocks.map(({ tool_use_id }) => tool_use_id)).toEqual(['a', 'b', 'c', 'd']);
    expect(String(blocks[1]?.content)).toContain('/session/1/tool-results/b.txt');
  });

  it('never spills a preview, whose file holds the whole text', async () => {
    const spill = memorySpill();
    const { block: preview, isPreview } = await applyResultBudget(
      block('p'.repeat(90_000)),
      tool(),
      spill,
    );
    const paged = Array.from({ length: 5 }, (_, at) => named(`${at}`, 45_000, Infinity));
    const results = [{ block: preview, tool: tool(), ...(isPreview && { isPreview }) }, ...paged];
    expect((await applyMessageBudget(results, spill))[0]).toBe(preview);
    expect(spill.texts).toEqual(['p'.repeat(90_000)]);
  });

  it('never spills what pages by itself, though it counts', async () => {
    const spill = memorySpill();
    const results = [named('a', 300_000, Infinity), named('b', 50_000), named('c', 6_000)];
    expect(lengths(await applyMessageBudget(results, spill))[0]).toBe(300_000);
    expect(spill.texts).toEqual(['b'.repeat(50_000)]);
  });
});

describe('createSessionSpill', () => {
  it('keeps the text under a name that can’t climb out of the session', async () => {
    const workspace = await createMemoryWorkspace();
    const spill = createSessionSpill(workspace, '/session/1');
    const path = await spill.write('../../workspace/a', 'text');
    expect(path).toBe('/session/1/tool-results/______workspace_a.txt');
    expect(await workspace.fs.readFile(path, 'utf8')).toBe('text');
  });
});
