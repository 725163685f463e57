// ScheduleWakeup, in whole sessions by a clock that is moved by hand.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import { scheduleWakeupTool } from '../../src/tools/schedule-wakeup/tool.ts';
import { openByClock, settle } from '../support/sessions/clocked-session.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, says, type Reply } from '../support/turns/play-turns.ts';

const wakes = (input: object, id = 'wake-1') => asks(toolUse(id, 'ScheduleWakeup', input));

/** Its first turn is over. */
async function openWaiting(replies: readonly Reply[], options: Partial<QueryOptions> = {}) {
  const allowed = { triggers: { timeZone: 'UTC' }, allowedTools: ['ScheduleWakeup'] } as const;
  const opened = await openByClock(replies, { ...allowed, ...options });
  await opened.session.send('Wait for the release.');
  await opened.ended(1);
  await settle(opened.session);
  return opened;
}

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [String(block.content)] : [],
    );
  });

const ten = { delaySeconds: 600, reason: 'The release builds.', prompt: 'Look at the release.' };

describe('ScheduleWakeup', () => {
  it('begins one turn when its time is over, with its prompt as a note of the model’s own', async () => {
    const replies = [wakes(ten), says('Later.'), says('Released.')];
    const { clock, model, session, messages, ended } = await openWaiting(replies);
    expect(told(messages)).toEqual(['You are woken in 600 s, once the session rests.']);
    clock.advance(599_999);
    await settle(session);
    expect(model.requests).toHaveLength(2);
    clock.advance(1);
    await ended(2);
    const text = JSON.stringify(model.requests[2]?.messages.at(-1));
    expect(text).toContain('<system-reminder>');
    expect(text).toContain('You wanted to be woken now:\\nLook at the release.');
    await settle(session);
    clock.advance(86_400_000);
    await settle(session);
    expect(model.requests).toHaveLength(3);
  });

  it('keeps its time from a minute to an hour', async () => {
    const replies = [wakes({ delaySeconds: 1 }), wakes({ delaySeconds: 9_999 }, 'wake-2')];
    const { messages } = await openWaiting([...replies, says('Later.')]);
    expect(told(messages)).toEqual([
      'You are woken in 60 s, as it may be 60 to 3600, once the session rests.',
      'You are woken in 3600 s, as it may be 60 to 3600, once the session rests.',
    ]);
  });

  it('takes the place of the one before', async () => {
    const replies = [wakes(ten), wakes({ ...ten, delaySeconds: 1_200 }, 'wake-2'), says('Later.')];
    const { clock, model, session, ended } = await openWaiting([...replies, says('Released.')]);
    clock.advance(1_199_999);
    await settle(session);
    expect(model.requests).toHaveLength(3);
    clock.advance(1);
    await ended(2);
  });

  it('takes its place also where a server gives the same call id in its next reply', async () => {
    const replies = [wakes(ten, 'call_0'), wakes({ ...ten, delaySeconds: 60 }, 'call_0')];
    const opened = await openWaiting([...replies, says('Later.'), says('Out.')]);
    const { clock, model, session } = opened;
    clock.advance(60_000);
    await settle(session);
    expect(model.requests).toHaveLength(4);
  });

  it('cancels what is set, and says where nothing was', async () => {
    const stop = { stop: true };
    const replies = [wakes(ten), wakes(stop, 'stop-1'), wakes(stop, 'stop-2'), says('No.')];
    const { clock, model, session, messages } = await openWaiting(replies);
    expect(told(messages).slice(1)).toEqual(['The wake-up is cancelled.', 'No wake-up was set.']);
    clock.advance(3_600_000);
    await settle(session);
    expect(model.requests).toHaveLength(4);
  });

  it('is over once the session was closed', async () => {
    const first = await openWaiting([wakes(ten), says('Later.')], { sessionId: 's1' });
    await first.session.close();
    first.clock.advance(700_000);
    const again = { host: first.host, resume: 's1', triggers: true };
    const next = await openByClock([], again, first.clock);
    await settle(next.session);
    first.clock.advance(700_000);
    await settle(next.session);
    expect(next.model.requests).toEqual([]);
  });

  it.each<[object, string]>([
    [{ reason: 'The release builds.' }, 'Say when, by delaySeconds, or stop: true'],
    [
      { delaySeconds: 60, stop: true },
      'stop cancels the wake-up: leave delaySeconds out, or stop.',
    ],
  ])('refuses %o', async (input, sentence) => {
    const { messages } = await openWaiting([wakes(input), says('No.')]);
    expect(told(messages)).toEqual([expect.stringContaining(sentence)]);
  });

  it('asks a person for what costs something, and nobody to cancel it', async () => {
    const behaviors = [ten, { stop: true }].map(
      async (input) => (await scheduleWakeupTool.checkPermissions(input)).behavior,
    );
    expect(await Promise.all(behaviors)).toEqual(['passthrough', 'allow']);
    expect([ten, { stop: true }].map(scheduleWakeupTool.changesOnlySession)).toEqual([false, true]);
  });
});
