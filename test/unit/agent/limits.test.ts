// Whole turns whose results are too long: what the next request holds of them. The arithmetic alone is in
// budget.test.ts.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import { ToolError } from '../../../src/core/errors.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { ScriptBlock, ScriptTurn } from '../../../src/model/script.ts';
import { openHost, runHooked } from '../../support/turns/run-hooked.ts';
import type { HookedRun } from '../../support/turns/run-hooked.ts';

const schema = z.strictObject({ chars: z.number(), fails: z.boolean().optional() });

function longTool(name: string, maxResultSizeChars?: number): Tool {
  return buildTool({
    name,
    inputSchema: schema,
    ...(maxResultSizeChars !== undefined && { maxResultSizeChars }),
    description: async () => 'Says much.',
    prompt: async () => '',
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    call: async ({ chars, fails }) => {
      if (fails) throw new ToolError('e'.repeat(chars), { code: 'invalid-input' });
      return { data: 'x'.repeat(chars) };
    },
    mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(content),
    }),
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
}

const calls = (
  name: string,
  count: number,
  input: (at: number) => Record<string, unknown>,
): ScriptTurn => ({
  blocks: Array.from({ length: count }, (_, at) => ({
    type: 'tool_use' as const,
    id: `call-${at}`,
    name,
    input: input(at),
  })),
});

/** The results of the turn's only message of calls, as the next request has them. */
function toSent({ requests }: HookedRun): string[] {
  const [, , { content } = { content: '' }] = requests.at(-1) ?? [];
  return typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText);
}

const sum = (texts: readonly string[]) => texts.reduce((total, { length }) => total + length, 0);

describe('what the next request holds of long results', () => {
  it('holds a limit of 1 000 characters for a result of 5 900, and says where all of it is', async () => {
    await using host = await openHost();
    const tools = [longTool('Look', 1_000)];
    const run = await runHooked(host, [calls('Look', 1, () => ({ chars: 5_900 }))], { tools });
    const [text = ''] = toSent(run);
    expect(text.length).toBeLessThanOrEqual(1_000);
    const [path = ''] = /\/session\/\S+\.txt/u.exec(text) ?? [];
    expect(await host.workspace.fs.readFile(path, 'utf8')).toBe('x'.repeat(5_900));
  });

  it('holds the limit of an error’s text, too', async () => {
    await using host = await openHost();
    const tools = [longTool('Look', 1_000)];
    const script = [calls('Look', 1, () => ({ chars: 5_900, fails: true }))];
    const [text = ''] = toSent(await runHooked(host, script, { tools }));
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toContain('/session/');
  });

  it('fits 60 results of 5 900 characters into the 200 000 of a message', async () => {
    await using host = await openHost();
    const tools = [longTool('Look')];
    const script = [calls('Look', 60, () => ({ chars: 5_900 }))];
    const texts = toSent(await runHooked(host, script, { tools }));
    expect(texts).toHaveLength(60);
    expect(sum(texts)).toBeLessThanOrEqual(200_000);
    for (const text of texts) if (text.length < 5_900) expect(text).toContain('/session/');
  });

  it('fits 60 previews into the 200 000 of a message', async () => {
    await using host = await openHost();
    const tools = [longTool('Look')];
    const script = [calls('Look', 60, () => ({ chars: 60_000 }))];
    const texts = toSent(await runHooked(host, script, { tools }));
    expect(sum(texts)).toBeLessThanOrEqual(200_000);
    for (const text of texts) expect(text).toContain('/session/');
  });

  it('cuts eight Reads of 100 kB at what is left, and says from which line to go on', async () => {
    await using host = await openHost();
    const line = 'l'.repeat(90);
    const file = `${line}\n`.repeat(1_000);
    for (let at = 0; at < 8; at += 1)
      await host.workspace.fs.writeFile(`${host.cwd}/long-${at}.txt`, file);
    const script = [calls('Read', 8, (at) => ({ file_path: `long-${at}.txt` }))];
    const texts = toSent(await runHooked(host, script, {}));
    expect(sum(texts)).toBeLessThanOrEqual(200_000);
    // In the order of the calls: two are whole, the third in part, and of the others there is one line.
    const shown = texts.map((text) => text.match(/^ *\d+\tl{90}$/gmu)?.length ?? 0);
    expect(shown).toEqual([1_000, 1_000, expect.any(Number), 0, 0, 0, 0, 0]);
    for (const [at, text] of texts.slice(2).entries()) {
      const next = (shown[at + 2] ?? 0) + 1;
      expect(text.endsWith(`Read on with offset: ${next}.)`)).toBe(true);
    }
    expect(shown[2]).toBeGreaterThan(10);
    expect(texts.at(-1)?.split('\n')).toHaveLength(1);
    // Nothing of it was spilled.
    await expect(host.workspace.fs.readdir('/session')).rejects.toThrow('ENOENT');
  });

  it('counts a file as read only where something of it was shown', async () => {
    await using host = await openHost();
    const { fs } = host.workspace;
    const names = [0, 1, 2, 3, 4].map((at) => `${host.cwd}/long-${at}.txt`);
    for (const name of names)
      await fs.writeFile(name, `first\n${`${'l'.repeat(90)}\n`.repeat(1_000)}`);
    const read = (at: number, id: string, limit?: number): ScriptBlock => {
      const input = { file_path: names[at] ?? '', ...(limit !== undefined && { limit }) };
      return { type: 'tool_use', id: `read-${id}`, name: 'Read', input };
    };
    const edit = (at: number, id = `${at}`): ScriptBlock => {
      const input = { file_path: names[at] ?? '', old_string: 'first', new_string: 'x' };
      return { type: 'tool_use', id: `edit-${id}`, name: 'Edit', input };
    };
    const script: ScriptTurn[] = [
      // Two are whole, the third in part. Of the last three, one was shown by the first call.
      { blocks: [4, 0, 1, 2, 3, 4].map((at, call) => read(at, `${call}`)) },
      { blocks: [0, 1, 2, 3, 4].map((at) => edit(at)) },
      { blocks: [read(3, 'again', 1)] },
      { blocks: [edit(3, 'again')] },
    ];
    const { requests } = await runHooked(host, script, { permissionMode: 'acceptEdits' });
    const refusals = JSON.stringify(requests[2]).match(/hasn't been read|Read it first/gu);
    expect(refusals).toHaveLength(2);
    const texts = await Promise.all(names.map((name) => fs.readFile(name, 'utf8')));
    expect(texts.map((text) => text.split('\n', 1)[0])).toEqual(['x', 'x', 'first', 'x', 'x']);
  });
});
