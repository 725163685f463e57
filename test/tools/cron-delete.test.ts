// CronDelete: a job that it takes back runs no more.
import { describe, expect, it } from 'vitest';
import { cronDeleteTool } from '../../src/tools/cron-delete/tool.ts';
import { openByClock, settle } from '../support/sessions/clocked-session.ts';
import { createDirectedModel } from '../support/models/directed-model.ts';

const hour = 3_600_000;

async function openDirected() {
  const model = createDirectedModel();
  const allowed = { triggers: { timeZone: 'UTC' }, allowedTools: ['CronCreate'] } as const;
  const opened = await openByClock([], { ...allowed, model });
  return { ...opened, model };
}

describe('CronDelete', () => {
  it('ends a job by its id, which is then unknown', async () => {
    const { clock, model, session, messages, ended } = await openDirected();
    await session.send('Every day at nine. No, never.');
    const input = { cron: '0 9 * * *', prompt: 'Look.' };
    (await model.next()).call({ id: 'c1', name: 'CronCreate', input });
    const made = await model.next();
    const id = /The job ([0-9a-f]{8}) /u.exec(made.news)?.[1] ?? '';
    made.call({ id: 'd1', name: 'CronDelete', input: { id } });
    const deleted = await model.next();
    expect(deleted.news).toBe(`The job ${id} runs no more.`);
    deleted.call({ id: 'd2', name: 'CronDelete', input: { id } });
    const again = await model.next();
    expect(again.news).toContain(
      `No job ${id} is scheduled: it may have run, or have ended. There is none.`,
    );
    again.say('Gone.');
    await ended(1);
    await settle(session);
    clock.advance(30 * hour);
    await settle(session);
    expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  it('names those that there are', async () => {
    const { model, session } = await openDirected();
    await session.send('Twice.');
    const input = { cron: '0 9 * * *', prompt: 'Look.' };
    (await model.next()).call({ id: 'c1', name: 'CronCreate', input });
    const made = await model.next();
    const id = /The job ([0-9a-f]{8}) /u.exec(made.news)?.[1] ?? '';
    made.call({ id: 'd1', name: 'CronDelete', input: { id: 'other' } });
    const refused = await model.next();
    expect(refused.news).toContain(`No job other is scheduled`);
    expect(refused.news).toContain(`There are ${id}.`);
  });

  it('asks nobody, and may be used in plan mode', async () => {
    expect((await cronDeleteTool.checkPermissions()).behavior).toBe('allow');

    expect([cronDeleteTool.changesOnlySession(), cronDeleteTool.isReadOnly()]).toEqual([
      true,
      false,
    ]);
  });
});
