// Sessions that meet what nobody wishes for: another format, a clock that jumps, tools that are gone.
// Files that were cut or edited: stored-sessions/session-file and journal/journal-file. Two writers and a full
// disk: open-session.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { listBreaches } from '../../support/models/api-rules.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { isResult, quickHost, readUntil, texts } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { callOf } from '../../support/stages/run-calls.ts';

describe('a session of a newer format', () => {
  it('is refused with a sentence, and left as it is', async () => {
    const host = await quickHost();
    const session = { id: 's1', seed: 's', cwd: '/workspace', version: '9' };
    const value = { type: 'session', format: 2, n: 1, time: 1, ...session };
    await host.workspace.streams.append('session/s1', [{ value }], { at: 0 });
    const model = listModel('claude-test', [says('One.')]);
    await expect(openSession({ host, model, resume: 's1' })).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringMatching(/written in format 2.*left untouched\. Update Rockpool/u),
    });
    const kept: unknown[] = [];
    for await (const entry of host.workspace.streams.read('session/s1')) kept.push(entry.value);
    expect(kept).toEqual([value]);
  });
});

describe('a clock that jumps', () => {
  /** It begins at that time, and goes back by an hour each time that it is asked. */
  function withJumps(host: Host, begin: number): Host {
    let time = begin;
    const now = () => (time -= 3_600_000);
    return Object.create(host, { clock: { value: { ...host.clock, now } } }) as Host;
  }

  it('changes nothing of what is said, done and counted, also after another opening', async () => {
    await using whole = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const host = withJumps(whole, 1e12);
    const cell = (id: string, code: string) => asks(callOf('Repl', { code }, id));
    const write = asks(callOf('Write', { file_path: 'a.txt', content: 'one' }, 'w1'));
    const options = { host, sessionId: 's1', permissionMode: 'bypassPermissions' } as const;
    const first = await openSession({
      ...options,
      model: listModel('claude-test', [write, cell('c1', 'let x = 1; x'), says('Done.')]),
    });
    await first.send('Go.');
    const told = await readUntil(first, isResult);
    await first.close();
    const model = listModel('claude-test', [cell('c2', 'x + 1'), says('Again.')]);
    await using second = await openSession({
      // A year later.
      host: withJumps(whole, 1.03e12),
      permissionMode: 'bypassPermissions',
      model,
      resume: 's1',
    });
    const { n } = await second.send('Go on.');
    const later = await readUntil(second, isResult, n);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('one');
    expect(texts(told).at(-1)).toBe('assistant: Done.');
    expect(JSON.stringify(later)).toContain('=> 2');
    expect(texts(later).at(-1)).toBe('assistant: Again.');
    for (const result of [told.at(-1), later.at(-1)]) {
      const { duration_ms, duration_api_ms } = result as {
        readonly duration_ms: number;
        readonly duration_api_ms: number;
      };
      expect([duration_ms >= 0, duration_api_ms >= 0]).toEqual([true, true]);
    }
    const entries = await readEntries(host.workspace, 's1');
    expect(entries.map((entry) => entry.n)).toEqual(entries.map((__, at) => at + 1));
  });
});

describe('other tools at the resume', () => {
  const toTool = (name: string, rest: Partial<Tool>): Tool =>
    buildTool({
      name,
      inputSchema: z.strictObject({}),
      description: () => Promise.resolve('A tool of the tests.'),
      prompt: () => Promise.resolve(''),
      mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) => ({
        type: 'tool_result',
        tool_use_id: toolUseID,
        content: String(output),
      }),
      ...rest,
    } as never) as unknown as Tool;
  const calls: readonly ContentBlock[] = [callOf('Done', {}, 'd1'), callOf('Look', {}, 'l1')];
  const breaches: string[] = [];
  const model: Model = {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      breaches.push(...listBreaches(messages));
      const isAnswered = messages.some(
        ({ content }) => typeof content !== 'string' && content.some(isToolResultBlock),
      );
      const content = isAnswered ? [{ type: 'text', text: 'So be it.' } as const] : calls;
      const stop_reason = isAnswered ? 'end_turn' : 'tool_use';
      yield* toEvents(assistantMessage(content, { stop_reason }));
    },
  };
  const done = toTool('Done', { call: async () => ({ data: 'done' }) });
  /** It only reads: as long as it is there, it runs again. */
  const toLook = (rest: Partial<Tool> = {}) =>
    toTool('Look', { isReadOnly: () => true, call: async () => ({ data: 'seen' }), ...rest });

  it.each<[string, readonly Tool[], string]>([
    ['as they were', [done, toLook()], 'seen'],
    ['gone', [], 'Look was interrupted: the session was cut off while it ran.'],
    [
      'of another input',
      [toLook({ inputSchema: z.strictObject({ where: z.string() }) as never })],
      'Look was interrupted: the session was cut off while it ran.',
    ],
    // What it was then has left nothing behind.
    ['of another kind', [toLook({ isReadOnly: () => false })], 'seen'],
  ])('%s: what has ended stays, and the turn goes on', async (_, tools, told) => {
    const options = { prompts: ['Go.'], model, permissionMode: 'bypassPermissions' } as const;
    const before = { ...options, tools: [done, toLook()] };
    const { entries } = await playSession(createDisk(), before);
    const begun = entries.find((entry) => entry.type === 'call' && entry.id === 'l1');
    const disk = createDisk();
    await playSession(disk, { ...before, freezeAfter: begun?.n ?? 0 });
    const { fold } = await playSession(disk, { ...options, tools });
    const results = fold.messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText),
    );
    expect(results).toEqual(['done', expect.stringContaining(told)]);
    expect(fold.lastResult?.message).toMatchObject({ subtype: 'success', result: 'So be it.' });
    expect(breaches).toEqual([]);
  });
});
