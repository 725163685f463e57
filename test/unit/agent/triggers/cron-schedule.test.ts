// Schedules of five fields: when they come, what is refused, and what they are called.
import { describe, expect, it } from 'vitest';
import { parseCron } from '../../../../src/agent/triggers/cron-schedule.ts';
import { describeCron } from '../../../../src/agent/triggers/describe-cron.ts';

/** The next `count` times behind `after`. */
function times(cron: string, after: string, count = 3, timeZone = 'Europe/Berlin'): string[] {
  const { next } = parseCron(cron, timeZone);
  const found: string[] = [];
  for (let at = next(Date.parse(after)); at !== undefined && found.length < count; at = next(at)) {
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('a cron schedule', () => {
  it('comes by the clocks of its time zone', () => {
    const after = '2026-11-26T12:00Z';
    expect(times('0 9 * * 1-5', after)).toEqual([
      ...['2026-11-27T08:00', '2026-11-30T08:00', '2026-12-01T08:00'],
    ]);
    expect(times('0 9 * * 1-5', after, 1, 'America/New_York')).toEqual(['2026-11-26T14:00']);
    expect(times('30 0 * * *', after, 1, 'Asia/Kolkata')).toEqual(['2026-11-26T19:00']);
  });

  it('comes behind a time that is there, and never at it', () => {
    const { next } = parseCron('0 9 * * *', 'UTC');
    const at = Date.UTC(2026, 0, 2, 9);
    expect([next(at - 1), next(at)]).toEqual([at, Date.UTC(2026, 0, 3, 9)]);
  });

  it('comes where either the day of the month or the weekday fits, as in crontab', () => {
    expect(times('0 0 13 * 5', '2026-11-12T00:00Z', 3, 'UTC')).toEqual([
      ...['2026-11-13T00:00', '2026-11-20T00:00', '2026-11-27T00:00'],
    ]);
    expect(times('0 0 10 * 5', '2026-11-09T00:00Z', 2, 'UTC')).toEqual([
      ...['2026-11-10T00:00', '2026-11-13T00:00'],
    ]);
  });

  it('comes once behind an hour that clocks leap over, and then as ever', () => {
    expect(times('30 2 * * *', '2026-03-28T12:00Z', 2)).toEqual([
      ...['2026-03-29T01:00', '2026-03-30T00:30'],
    ]);
  });

  it('comes once in an hour that clocks show twice, but every half hour goes on', () => {
    expect(times('30 2 * * *', '2026-10-24T12:00Z', 2)).toEqual([
      ...['2026-10-25T00:30', '2026-10-26T01:30'],
    ]);
    expect(times('*/30 * * * *', '2026-10-24T23:30Z', 5)).toEqual([
      ...['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'],
      '2026-10-25T02:00',
    ]);
  });

  it('never comes on a day that no month has', () => {
    expect(times('0 0 30 2 *', '2026-01-01T00:00Z')).toEqual([]);
  });

  it.each([
    ['* * * *', 'It has five fields: minute (0-59), hour (0-23)'],
    ['0 * * * * *', 'It has five fields: '],
    ['@daily', 'It has five fields: '],
    ['0 9 L * *', 'It has five fields: '],
    ['0 9 * * 1#2', 'It has five fields: '],
    ['? * * * *', 'It has five fields: '],
    ['0 9 MON * *', 'It has five fields: '],
    ['60 * * * *', 'Invalid value for minute: 60. The fields are minute'],
    ['5-1 * * * *', "From value is larger than to value: '5-1'. The fields are"],
    ['*/0 * * * *', 'illegal stepping: 0. The fields are'],
  ])('refuses %s, and says what is wrong', (cron, why) => {
    expect(() => parseCron(cron, 'UTC')).toThrow(
      expect.objectContaining({ code: 'invalid-input', data: { cron } }),
    );
    expect(() => parseCron(cron, 'UTC')).toThrow(`"${cron}" is no schedule. `);
    expect(() => parseCron(cron, 'UTC')).toThrow(why);
  });
});

describe('the words for a schedule', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['7 * * * *', 'every hour at minute 7'],
    ['0 * * * *', 'every hour'],
    ['0 */6 * * *', 'every 6 hours'],
    ['15 */6 * * *', 'every 6 hours at minute 15'],
    ['3 9 * * *', 'every day at 09:03'],
    ['0 9,17 * * *', 'every day at 09:00 and 17:00'],
    ['0 9 * * 1-5', 'from Monday to Friday at 09:00'],
    ['0 9 * * MON,3,7', 'every Monday, Wednesday and Sunday at 09:00'],
    ['0 9 15 * *', 'on day 15 of every month at 09:00'],
    ['30 14 27 11 *', 'on 27 November at 14:30'],
    ['30 14 1 jan *', 'on 1 January at 14:30'],
    // Neither divides its whole: the last step of an hour or a day is shorter.
    ['*/7 * * * *', 'by the schedule */7 * * * *'],
    ['0 */5 * * *', 'by the schedule 0 */5 * * *'],
    ['0 9 13 * 5', 'by the schedule 0 9 13 * 5'],
    ['0 9-17 * * *', 'by the schedule 0 9-17 * * *'],
    ['  0   9 * * 1-3 ', 'by the schedule 0 9 * * 1-3'],
  ])('%s: %s', (cron, words) => {
    expect(describeCron(cron)).toBe(words);
  });
});
