// CronList: the jobs of a session, and what time it is.
import { expect, it } from 'vitest';
import { cronListTool } from '../../src/tools/cron-list/tool.ts';
import { openByClock } from '../support/sessions/clocked-session.ts';
import { createDirectedModel } from '../support/models/directed-model.ts';

it('shows each job in a line, the oldest first, by the clocks of its time zone', async () => {
  const model = createDirectedModel();
  const { session } = await openByClock([], {
    triggers: { timeZone: 'Europe/Berlin' },
    allowedTools: ['CronCreate'],
    model,
  });
  await session.send('Plan my days.');
  const jobs = [
    { cron: '0 9 * * 1-5', prompt: 'Look at the tides.', durable: true },
    { cron: '30 14 2 1 *', prompt: 'Call Ann.', recurring: false },
  ];
  (await model.next()).call(
    ...jobs.map((input, at) => ({ id: `c${at}`, name: 'CronCreate', input })),
  );
  (await model.next()).call({ id: 'l1', name: 'CronList', input: {} });
  const lines = (await model.next()).news.split('\n');
  expect(lines).toEqual([
    'It is 2026-01-01 01:00 (Europe/Berlin). Scheduled:',
    expect.stringMatching(
      /^[0-9a-f]{8}: from Monday to Friday at 09:00 \(recurring; durable; next at 2026-01-01 09:00; Europe\/Berlin\): Look at the tides\.$/u,
    ),
    expect.stringMatching(
      /^[0-9a-f]{8}: on 2 January at 14:30 \(once; next at 2026-01-02 14:30; Europe\/Berlin\): Call Ann\.$/u,
    ),
  ]);
});

it('only reads', () => {
  expect([cronListTool.isReadOnly(), cronListTool.isConcurrencySafe()]).toEqual([true, true]);
});
