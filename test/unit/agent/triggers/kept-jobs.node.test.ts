// What jobs outlive: a close, a kill, a fork, a rewind.
import { describe, expect, it } from 'vitest';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { openByClock, settle, start } from '../../../support/sessions/clocked-session.ts';
import { silentModel } from '../../../support/sessions/open-sessions.ts';
import { toolUse } from '../../../support/turns/plan-turns.ts';
import { asks, says, type Reply } from '../../../support/turns/play-turns.ts';

import {
  allowed,
  day,
  hour,
  isScheduled,
  nine,
  openScheduled,
  results,
  schedules,
  toText,
} from '../../../support/sessions/scheduled-turns.ts';

describe('a session with scheduled prompts that is opened again', () => {
  const reopen = (first: Awaited<ReturnType<typeof openScheduled>>, replies: readonly Reply[]) =>
    openByClock(replies, { ...allowed, host: first.host, resume: 's1' }, first.clock);

  it('goes on with durable ones, and tells once what they have missed', async () => {
    const first = await openScheduled({ ...nine, durable: true }, [], { sessionId: 's1' });
    await first.session.close();
    first.clock.advance(3 * day);
    const next = await reopen(first, [says('Late.'), says('On time.')]);
    await next.ended(2);
    await settle(next.session);
    const told = toText(next.model.requests[0]?.messages.at(-1));
    expect(told).toContain("was due at 2026-01-01 09:00; what it has missed since isn't made up");
    expect(next.messages.filter(isScheduled)).toHaveLength(1);
    first.clock.advance(9 * hour);
    await next.ended(3);
  });

  it('has none of those that aren’t durable, also after a rewind to before', async () => {
    const first = await openScheduled(nine, [], { sessionId: 's1' });
    await first.session.close();
    const next = await reopen(first, [says('Hello.'), says('Never.')]);
    await next.session.send({
      type: 'user',
      uuid: 'hello',
      message: { role: 'user', content: 'Hello?' },
      parent_tool_use_id: null,
    });
    await next.ended(2);
    await settle(next.session);
    first.clock.advance(2 * day);
    await settle(next.session);
    await next.session.rewind('hello');
    first.clock.advance(2 * day);
    await settle(next.session);
    expect(next.model.requests).toHaveLength(1);
  });

  it.each([
    ['once', { ...nine, recurring: false }],
    ['again and again', nine],
  ])('makes up for what a job that runs %s has missed, also behind a rewind', async (_, job) => {
    const first = await openScheduled({ ...job, durable: true }, [says('Hello.')], {
      sessionId: 's1',
    });
    const before = first.messages.findLast(({ type }) => type === 'assistant')?.uuid ?? '';
    await first.session.send('Hello?');
    await first.ended(2);
    await first.session.close();
    first.clock.advance(10 * hour);
    const options = { ...allowed, host: first.host, resume: 's1', resumeSessionAt: before };
    const next = await openByClock([says('Late.'), says('Twice.')], options, first.clock);
    await settle(next.session);
    expect(next.model.requests).toHaveLength(1);
    expect(toText(next.model.requests[0]?.messages.at(-1))).toContain(
      'was due at 2026-01-01 09:00',
    );
    // The run was had: another rewind doesn't repeat it.
    await next.session.close();
    const last = await openByClock([says('Twice.')], options, first.clock);
    await settle(last.session);
    expect(last.model.requests).toHaveLength(0);
  });

  it('leaves them to the session that it is a fork of', async () => {
    const first = await openScheduled({ ...nine, durable: true }, [says('Mine.')], {
      sessionId: 's1',
    });
    const { sessionId } = await first.session.fork();
    const fork = await openByClock(
      [asks(toolUse('list', 'CronList', {})), says('None.')],
      { ...allowed, host: first.host, resume: sessionId },
      first.clock,
    );
    await fork.session.send('What is there?');
    await fork.ended(2);
    expect(results(fork.messages).at(-1)).toContain('Nothing is scheduled.');
    await settle(fork.session);
    first.clock.advance(9 * hour);
    await first.ended(2);
    await settle(fork.session);
    expect([first.model.requests.length, fork.model.requests.length]).toEqual([3, 2]);
  });

  it('runs a prompt once whose process was killed in its turn', async () => {
    const medium = createMemoryMedium();
    const clock = createVirtualClock(start);
    const first = await openOver(medium, clock, 's1', [
      asks(schedules({ ...nine, durable: true })),
      says('Scheduled.'),
    ]);
    await first.session.send('Every day at nine.');
    await first.ended(1);
    await settle(first.session);
    await first.session.setModel(silentModel);
    clock.advance(9 * hour);
    while (first.session.state() === 'idle') await new Promise((resolve) => setTimeout(resolve));
    // It is just left: nobody closes it.
    const next = await openOver(medium, clock, 's1', [says('Low.')]);
    await next.ended(2);
    await settle(next.session);
    expect(next.messages.filter(isScheduled)).toHaveLength(1);
    expect(next.model.requests).toHaveLength(1);
  });

  async function openOver(
    medium: LogMedium,
    clock: ReturnType<typeof createVirtualClock>,
    sessionId: string,
    replies: readonly Reply[],
  ) {
    const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
    const host = await createInlineHost({ workspace, clock });
    const isKept = (await workspace.streams.list()).length > 0;
    const which = isKept ? { resume: sessionId } : { sessionId };
    return openByClock(replies, { ...allowed, host, ...which }, clock);
  }
});

describe('a rewind', () => {
  it('makes up for no run that it takes back', async () => {
    const { clock, model, session, ended } = await openScheduled(nine, [says('Low.'), says('No.')]);
    clock.advance(8 * hour);
    await session.send({
      type: 'user',
      uuid: 'before',
      message: { role: 'user', content: 'Say no.' },
      parent_tool_use_id: null,
    });
    await ended(2);
    await settle(session);
    clock.advance(hour);
    await ended(3);
    await settle(session);
    await session.rewind('before');
    await settle(session);
    clock.advance(23 * hour);
    await settle(session);
    // The job is there as it was: its next run is tomorrow's.
    expect(model.requests).toHaveLength(4);
  });
});
