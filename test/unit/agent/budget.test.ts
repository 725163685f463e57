import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMessageBudget, applyResultBudget } from '../../../src/agent/calls/budget.ts';
import {
  createSessionFiles,
  createSessionSpill,
} from '../../../src/agent/session/files/session-files.ts';
import type { SpillStore } from '../../../src/agent/calls/spill-text.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { ToolResultBlock } from '../../../src/core/messages/blocks.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { runsHere } from '../../support/runs-here.ts';

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
    ['a text of a tool without limit', block('x'.repeat(200_000)), tool(Infinity)],
  ])('leaves %s as it is', async (_, given, of) => {
    const spill = memorySpill();
    expect(await applyResultBudget({ block: given, tool: of }, spill)).toEqual({ block: given });
    expect(spill.texts).toEqual([]);
  });

  it('gives head, tail, sizes and the path of what is too long', async () => {
    const text = `${'h'.repeat(5_000)}\n${'m'.repeat(20_000)}\n${'t'.repeat(5_000)}`;
    const spill = memorySpill();
    const result = await applyResultBudget({ block: block(text), tool: tool(30_000) }, spill);
    const path = '/session/1/tool-results/call-1.txt';
    expect(result.preview?.persisted).toEqual({ path, size: 30_002 });
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
    const result = await applyResultBudget({ block: block(content), tool: tool() }, memorySpill());
    expect(result.block.content).toEqual([{ type: 'text', text: expect.any(String) }, image]);
  });

  it.each([
    ['the ceiling in bytes', 'é'.repeat(200_001)],
    ['what one message may hold', 'x'.repeat(200_001)],
  ])('cuts what pages by itself at %s, and never spills it', async (_, text) => {
    const spill = memorySpill();
    const { block: cut } = await applyResultBudget(
      { block: block(text), tool: tool(Infinity) },
      spill,
    );
    const shown = toResultText(cut);
    expect(shown.length).toBeLessThanOrEqual(200_000);
    expect(new TextEncoder().encode(shown).length).toBeLessThanOrEqual(400_000);
    expect(shown).toContain('Call Look again for less, or in a message of its own.');
    expect(spill.texts).toEqual([]);
  });

  it('holds the ceiling in bytes for tools with a higher limit of their own', async () => {
    const text = 'é'.repeat(200_001);
    const spill = memorySpill();
    await applyResultBudget({ block: block(text), tool: tool(1e9) }, spill);
    expect(spill.texts).toEqual([text]);
  });

  it('says so when the text can’t be kept', async () => {
    const spill: SpillStore = { write: () => Promise.reject(new Error('The disk is full.')) };
    const result = await applyResultBudget(
      { block: block('x'.repeat(60_000)), tool: tool() },
      spill,
    );
    expect(result.preview?.persisted).toBeUndefined();
    expect(String(result.block.content).split('\n')[0]).toBe(
      'The result is too long to show (60000 characters in 1 lines), and could not be kept (Error: The disk is full.). Its beginning and end:',
    );
  });

  it('gives an excerpt, or at least the path, in as little room as there is', async () => {
    const path = '/session/1/tool-results/call-1.txt';
    const given = { block: block('x'.repeat(5_900)) };
    const room = async (limit: number) => {
      const { block: cut } = await applyResultBudget(
        { ...given, tool: tool(limit) },
        memorySpill(),
      );
      return toResultText(cut);
    };
    const excerpt = await room(1_000);
    expect(excerpt).toContain('Its beginning and end:\n\nxxx');
    expect(excerpt.length).toBe(1_000);
    expect(await room(300)).toBe(
      `The result is too long to show (5900 characters in 1 lines). All of it is in ${path}: Read it by offset and limit, or search it with Grep.`,
    );
    expect(await room(100)).toBe(`Too long to show. All of it is in ${path}`);
    expect(await room(40)).toBe(path);
    expect(await room(0)).toBe('');
  });

  it('never gives more than the limit, nor half a character', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((part) => part.repeat(9_000 / part.length + 1));
    await fc.assert(
      fc.asyncProperty(text, fc.nat(20_000), async (whole, limit) => {
        const given = { block: block(whole), tool: tool(limit) };
        const { content } = (await applyResultBudget(given, memorySpill())).block;
        expect(String(content).length).toBeLessThanOrEqual(limit);
        expect(() => encodeURIComponent(String(content))).not.toThrow();
      }),
      { numRuns: runsHere(100) },
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
    const results = [named('a', 100_000, 100_000), named('b', 100_000, 100_000)];
    const blocks = await applyMessageBudget(results, memorySpill());
    expect(blocks).toEqual(results.map((result) => result.block));
  });

  it('spills the largest first, and no more than it must', async () => {
    const spill = memorySpill();
    const results = [
      named('a', 90_000, 100_000),
      named('b', 100_000, 100_000),
      named('c', 5_000),
      named('d', 95_000, 100_000),
    ];
    const blocks = await applyMessageBudget(results, spill);
    expect(spill.texts).toEqual(['b'.repeat(100_000)]);
    expect(lengths(blocks)).toEqual([90_000, expect.any(Number), 5_000, 95_000]);
    expect(blocks.map(({ tool_use_id }) => tool_use_id)).toEqual(['a', 'b', 'c', 'd']);
    expect(String(blocks[1]?.content)).toContain('/session/1/tool-results/b.txt');
  });

  it('spills a preview that becomes shorter no second time', async () => {
    const spill = memorySpill();
    const given = { ...named('p', 90_000), block: block('p'.repeat(90_000)) };
    const first = { ...given, ...(await applyResultBudget(given, spill)) };
    const rest = Array.from({ length: 20 }, (_, at) => named(`${at}`, 4_990));
    const [preview] = await applyMessageBudget(
      [first, ...rest.flatMap((one) => [one, one])],
      spill,
    );
    expect(toResultText(preview ?? {}).length).toBeLessThan(toResultText(first.block).length);
    expect(toResultText(preview ?? {})).toContain('/session/1/tool-results/call-1.txt');
    expect(spill.texts.filter((text) => text.startsWith('p'))).toHaveLength(1);
  });

  it('gives what pages by itself what the others leave, in the order of the calls', async () => {
    const spill = memorySpill();
    const page = `${'x'.repeat(99)}\n`.repeat(1_000);
    const paged = (id: string) => ({
      block: { ...block(page), tool_use_id: id },
      tool: { ...tool(Infinity), tellRest: (_: unknown, shown: number) => `On from ${shown}.` },
      output: id,
    });
    const results = [named('a', 40_000), paged('b'), named('c', 6_000), paged('d'), paged('e')];
    const texts = (await applyMessageBudget(results, spill)).map(toResultText);
    expect(spill.texts).toEqual(['a'.repeat(40_000)]);
    expect(texts[1]).toBe(page);
    expect(texts[3]).toMatch(/^(?:x{99}\n)+\n\(Cut: .* On from 8\d\d\.\)$/u);
    expect(texts[4]).toBe(
      '(Cut: the results of one message have at most 200000 characters together. On from 0.)',
    );
    const total = texts.reduce((sum, { length }) => sum + length, 0);
    expect(total).toBeGreaterThan(199_000);
    expect(total).toBeLessThanOrEqual(200_000);
  });

  it('never exceeds the budget nor a limit, and says how to get what it cuts', async () => {
    const sizes = fc.oneof(
      fc.nat(300),
      fc.nat(7_000),
      fc.nat(60_000),
      fc.constantFrom(0, 5_900, 100_000, 250_000),
    );
    const limits = fc.oneof(fc.constantFrom(undefined, Infinity, 1_000, 100_000), fc.nat(60_000));
    const unit = fc.constantFrom('x', 'xxxxxxx\n', 'é', '\u{1F600}');
    const result = fc.tuple(sizes, limits, unit, fc.boolean());
    const many = fc.tuple(fc.array(result, { minLength: 1, maxLength: 8 }), fc.nat(12));
    await fc.assert(
      fc.asyncProperty(many, async ([kinds, times]) => {
        const list = Array.from({ length: times + 1 }, () => kinds).flat();
        const results = list.map(([size, limit, part, isList], at) => {
          const text = part.repeat(size / part.length);
          const content = isList && text !== '' ? [{ type: 'text' as const, text }] : text;
          return { block: { ...block(content), tool_use_id: `id-${at}` }, tool: tool(limit) };
        });
        const blocks = await applyMessageBudget(results, memorySpill());
        const texts = blocks.map(toResultText);
        expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(200_000);
        for (const [at, text] of texts.entries()) {
          const { tool: of, block: before } = results[at] ?? { tool: tool(), block: block('') };
          const limit = of.maxResultSizeChars ?? 50_000;
          const whole = toResultText(before);
          expect(blocks[at]?.tool_use_id).toBe(before.tool_use_id);
          expect(text.length).toBeLessThanOrEqual(limit);
          if (text === whole || text.length < 40) continue;
          expect(() => encodeURIComponent(text)).not.toThrow();
          const isSpilled = text.includes(`/tool-results/${before.tool_use_id}.txt`);
          expect(isSpilled || /ask for fewer|Call Look again/u.test(text)).toBe(true);
        }
      }),
      { numRuns: runsHere(100) },
    );
  });

  it('fits however many results there are', async () => {
    const results = Array.from({ length: 12_000 }, (_, at) => named(`${at}`, 20));
    const blocks = await applyMessageBudget(results, memorySpill());
    const total = blocks.map(toResultText).reduce((sum, { length }) => sum + length, 0);
    expect(total).toBeLessThanOrEqual(200_000);
  });
});

describe('createSessionSpill', () => {
  it('keeps the text under a name that can’t climb out of the session', async () => {
    const workspace = await createMemoryWorkspace();
    const spill = createSessionSpill(createSessionFiles(workspace, '1'));
    const path = await spill.write('../../workspace/a', 'text');
    expect(path).toBe('/session/1/tool-results/______workspace_a.txt');
    expect(await workspace.fs.readFile(path, 'utf8')).toBe('text');
  });
});
