// The table of deferred tools: written from the definitions, and small enough for fifty.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { isListable, toRow, writeDeferredFiles } from '../../../scripts/deferred-tools.ts';
import { buildTool, type ToolDef } from '../../../src/core/tool/build-tool.ts';
import { isListedTool } from '../../../src/core/tool/listed-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { deferredTable } from '../../../src/tools/deferred-table.ts';
import { loadBuiltInTools } from '../../../src/tools/definitions.ts';
import { taskStopTool } from '../../../src/tools/task-stop/tool.ts';

it('is what the definitions say: else run `node scripts/deferred-tools.ts`', async () => {
  for (const [path, text] of await writeDeferredFiles()) {
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

it('lists each built-in tool that may be deferred, and gives its definition', async () => {
  const [whole, known] = await Promise.all([loadBuiltInTools(), loadBuiltInTools('listed')]);
  expect(known.map(({ name }) => name)).toEqual(whole.map(({ name }) => name));
  const listed = known.filter(isListedTool);
  expect(listed.map(({ name }) => name)).toEqual(deferredTable.map(({ name }) => name));
  for (const tool of listed) {
    const definition = whole.find(({ name }) => name === tool.name);
    expect(await tool.load()).toBe(definition);
    expect(await tool.description()).toBe(await definition?.description());
  }
});

it('leaves out a tool with an isEnabled of its own, which must be asked', () => {
  const asked = { ...taskStopTool, isEnabled: () => true } as unknown as Tool;
  expect([taskStopTool as unknown as Tool, asked].map(isListable)).toEqual([true, false]);
});

it('refuses a deferred tool that nobody could find', async () => {
  const { searchHint: _, ...bare } = taskStopTool;
  await expect(toRow(buildTool(bare as ToolDef) as unknown as Tool)).rejects.toThrow(
    'TaskStop is deferred: give it a searchHint.',
  );
});

it('has at most 3 kB gzipped for fifty tools', () => {
  // Names and hints as different as those of fifty real tools; digests compress worse than words.
  const words = (at: number) => gzipSync(`${at}`).toString('hex').slice(20, 44).match(/.{4}/gu);
  const rows = Array.from({ length: 50 }, (_, at) => ({
    name: `Tool${words(at * 7919)
      ?.slice(0, 2)
      .join('')}`,
    searchHint: words(at * 104_729)?.join(' '),
    tokens: 100 + ((at * 37) % 400),
  }));
  expect(gzipSync(JSON.stringify(rows)).length).toBeLessThanOrEqual(3_000);
});
