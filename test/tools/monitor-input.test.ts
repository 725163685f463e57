// What Monitor's input may be, and the sentence for what it may not.
import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../src/core/tool/context.ts';
import { monitorInputSchema } from '../../src/tools/monitor/schema.ts';
import { monitorTool } from '../../src/tools/monitor/tool.ts';

describe("Monitor's input", () => {
  const files = { pattern: 'src/**' };
  it.each<[object, string]>([
    [{}, 'Give one source: command, ws or files.'],
    [{ command: '1', files }, 'Give one source: command, ws or files.'],
    [{ command: ' ' }, 'command is empty: there is nothing to run.'],
    [{ files: { pattern: '' } }, 'files.pattern is empty: say which files.'],
    [{ ws: { url: 'https://a.example/' } }, 'the whole address of a WebSocket'],
    [{ ws: { url: 'wss://ann:secret@a.example/' } }, 'no user name, no password'],
    [{ ws: { url: 'wss://a%2A.example/' } }, 'names no host'],
    [{ ws: { url: 'wss://a.example/', protocols: ['a b'] } }, 'different names'],
    [{ ws: { url: 'wss://a.example/', protocols: ['a', 'a'] } }, 'different names'],
  ])('is refused as %j', async (source, message) => {
    const input = { description: 'x', ...source };
    const refused = await monitorTool.validateInput(input, { cwd: '/workspace' } as CallContext);
    expect(refused).toMatchObject({ result: false, message: expect.stringContaining(message) });
  });

  it('has half an hour at most', () => {
    const parse = (timeout_ms: number) =>
      monitorInputSchema().safeParse({ description: 'x', command: '1', timeout_ms }).success;
    expect([1_800_000, 1_800_001, 999].map(parse)).toEqual([true, false, false]);
  });
});
