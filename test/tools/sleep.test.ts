// Sleep and the ticks of proactive mode, in whole sessions by a clock that is moved by hand.
import { describe, expect, it } from 'vitest';
import { query } from '../../src/agent/query.ts';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { ProactiveOptions } from '../../src/agent/turn/ticks.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import type { SDKUserMessage } from '../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../src/hosts/inline/virtual-clock.ts';
import { sleepTool } from '../../src/tools/sleep/tool.ts';
import { openByClock, settle, start } from '../support/sessions/clocked-session.ts';
import { isResult } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says, type Reply } from '../support/turns/play-turns.ts';

const open = (
  replies: readonly Reply[],
  proactive: boolean | ProactiveOptions = true,
  options: Partial<QueryOptions> = {},
) => openByClock(replies, { proactive, ...options });

const sleeps = (seconds?: number) =>
  asks(toolUse('sleep', 'Sleep', seconds === undefined ? {} : { seconds }));

describe('proactive mode', () => {
  it('begins a turn by a tick when nobody has written for a while, and marks it as nobody’s words', async () => {
    const { clock, model, session, messages, ended } = await open([says('Hello.'), says('Again.')]);
    await session.send('Go.');
    await ended(1);
    await settle(session);
    clock.advance(59_999);
    await settle(session);
    expect(model.requests).toHaveLength(1);
    clock.advance(1);
    await ended(2);
    const told = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(told).toContain('<system-reminder>');
    expect(told).toContain('Tick. It is 2026-01-01T00:01:00.000Z. Nobody has written');
    expect(
      messages.find((one) => one.type === 'user' && one.origin?.kind === 'tick'),
    ).toMatchObject({ isSynthetic: true });
  });

  it('ends a turn by Sleep without another request, and ticks when that time is over', async () => {
    const { clock, model, session, messages, ended } = await open([sleeps(300), says('Up.')]);
    await session.send('Go.');
    await ended(1);
    await settle(session);
    expect(model.requests).toHaveLength(1);
    expect(messages.find(isResult)).toMatchObject({
      subtype: 'success',
      result: 'The next tick comes in 300 s, unless the user writes.',
    });
    clock.advance(299_999);
    await settle(session);
    expect(model.requests).toHaveLength(1);
    clock.advance(1);
    await ended(2);
  });

  it('comes to an end after so many ticks, until the person writes', async () => {
    const replies = Array.from({ length: 8 }, (_, at) => says(`${at}`));
    const { clock, model, session, ended } = await open(replies, { tickMs: 1_000, maxTicks: 2 });
    await session.send('Go.');
    for (const count of [1, 2, 3]) {
      await ended(count);
      await settle(session);
      clock.advance(1_000);
    }
    await settle(session);
    clock.advance(100_000);
    await settle(session);
    expect(model.requests).toHaveLength(3);
    await session.send('More.');
    await ended(4);
    await settle(session);
    clock.advance(1_000);
    await ended(5);
  });

  it.each<[string, Reply, Partial<QueryOptions>]>([
    ['has failed', new Error('The server is gone.'), {}],
    [
      'has met the limit of its requests',
      asks(toolUse('g', 'Glob', { pattern: '*' })),
      { maxTurns: 1 },
    ],
  ])('leaves the word to the person after a turn that %s', async (_what, reply, options) => {
    const { clock, model, session, ended } = await open([reply, says('No.')], true, options);
    await session.send('Go.');
    await ended(1);
    await settle(session);
    clock.advance(1_000_000);
    await settle(session);
    expect(model.requests).toHaveLength(1);
  });

  it('leaves the word to the person after an interrupt', async () => {
    const clock = createVirtualClock(start);
    const host = await createInlineHost({ clock });
    let requests = 0;
    const model = {
      name: 'slow',
      apiKeySource: 'none',
      // oxlint-disable-next-line require-yield -- it never answers
      async *stream(_request: unknown, { signal }: { readonly signal: AbortSignal }) {
        requests += 1;
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    } as unknown as QueryOptions['model'];
    const { session, ended } = await open([], true, { host, model });
    await session.send('Go.');
    while (requests === 0) await Promise.resolve();
    await session.interrupt();
    await ended(1);
    await settle(session);
    clock.advance(1_000_000);
    await settle(session);
    expect(requests).toBe(1);
  });

  it('puts ticks off while the host says that nobody looks', async () => {
    let away = true;
    const proactive = { tickMs: 5_000, isAway: () => away };
    const { clock, model, session, ended } = await open([says('1'), says('2')], proactive);
    await session.send('Go.');
    await ended(1);
    await settle(session);
    for (let at = 0; at < 5; at += 1) clock.advance(5_000);
    await settle(session);
    expect(model.requests).toHaveLength(1);
    away = false;
    clock.advance(5_000);
    await ended(2);
  });

  it('ends, and says why, where the host can’t say whether somebody looks', async () => {
    const isAway = () => {
      throw new Error('No page.');
    };
    const { clock, model, session, messages, ended } = await open([says('1')], { isAway });
    await session.send('Go.');
    await ended(1);
    await settle(session);
    clock.advance(60_000);
    await settle(session);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('proactive.isAway failed');
  });

  it('goes on when the session is opened again, at the time that Sleep has set', async () => {
    const first = await open([sleeps(300)], true, { sessionId: 's1' });
    await first.session.send('Go.');
    await first.ended(1);
    await settle(first.session);
    await first.session.close();
    first.clock.advance(100_000);
    const model = listModel('next', [says('Up.')]);
    const next = await open([], true, { host: first.host, resume: 's1', model });
    await settle(next.session);
    first.clock.advance(199_999);
    await settle(next.session);
    expect(model.requests).toHaveLength(0);
    first.clock.advance(1);
    await next.ended(2);
    expect(model.requests).toHaveLength(1);
  });

  it('is for the session alone: its agents end with their reports', async () => {
    const { session, messages, ended } = await open([
      asks(toolUse('one', 'Agent', { description: 'x', prompt: 'Do.', run_in_background: false })),
      ...[sleeps(), says('Reported.'), says('Done.')],
    ]);
    await session.send('Go.');
    await ended(1);
    expect(JSON.stringify(messages)).toContain(
      'No ticks come to you: end with your report instead.',
    );
    expect(messages.findLast(isResult)).toMatchObject({ result: 'Done.' });
  });

  it('ticks in a query that waits for its next prompt, too', async () => {
    const clock = createVirtualClock(start);
    const host = await createInlineHost({ clock });
    const model = listModel('list', [says('1'), says('2')]);
    const { promise: over, resolve: end } = createDeferred();
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      yield { type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null };
      await over;
    }
    // The tick is set once the reader asks for more.
    const passTime = () => {
      clock.advance(60_000);
      if (model.requests.length < 2) setTimeout(passTime);
    };
    let results = 0;
    const talk = query({ prompt: prompts(), options: { host, model, proactive: true } });
    for await (const message of talk) {
      if (message.type !== 'result') continue;
      results += 1;
      if (results === 2) end();
      else passTime();
    }
    expect(model.requests).toHaveLength(2);
  });

  it.each<[unknown, string]>([
    [1, 'proactive is true, or { tickMs, maxTicks, isAway }.'],
    [{ tickMs: 10 }, 'proactive.tickMs is a number from 1000 to 86400000.'],
    [{ maxTicks: 0 }, 'proactive.maxTicks is a whole number above 0.'],
    [{ isAway: true }, 'proactive.isAway is a function: () => document.hidden, say.'],
    [{ every: 1 }, 'proactive has no every: it has tickMs, maxTicks and isAway.'],
  ])('refuses %o', async (proactive, sentence) => {
    await expect(open([], proactive as boolean)).rejects.toThrow(sentence);
  });
});

describe("Sleep's definition", () => {
  it('is there in proactive mode alone, and not deferred there', async () => {
    const { model, session, ended } = await open([says('1')], true, { toolSearch: true });
    await session.send('Go.');
    await ended(1);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toContain('Sleep');
    const other = await open([says('1')], false);
    await other.session.send('Go.');
    await other.ended(1);
    expect(other.model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('Sleep');
  });

  it('only reads, and refuses times that no timer bears', () => {
    expect(sleepTool.isReadOnly()).toBe(true);
    const isGood = (seconds: number) => sleepTool.inputSchema.safeParse({ seconds }).success;
    expect([0, 1, 86_400, 86_401].map(isGood)).toEqual([false, true, true, false]);
  });
});
