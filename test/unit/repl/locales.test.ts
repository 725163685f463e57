import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it('gives en-US and UTC where no locale is named, or one that nobody knows', async () => {
  const repl = await openRepl();
  expect(
    await repl.value(
      "[new Intl.NumberFormat('xx-YY').resolvedOptions().locale, Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).toLocaleDateString(), (1234.5).toLocaleString()].join()",
    ),
  ).toBe("'en-US,UTC,1/1/1970,1,234.5'");
});

it('keeps a formatter for the next cell, also in another VM', async () => {
  const repl = await openRepl();
  await repl.run(
    "const euros = new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' })",
  );
  expect(await repl.value('euros.format(1234.5)')).toBe("'1.234,50\u00a0€'");
  const savedState = repl.savedState();
  const { display } = await repl.successor().run('euros.format(2)', { savedState });
  expect(display).toBe("'2,00\u00a0€'");
});

it('sorts as a person would, in a cell that stands alone too', async () => {
  const repl = await openRepl();
  expect(
    await repl.value("['b', 'ä', 'a', 'C'].sort((one, other) => one.localeCompare(other)).join()"),
  ).toBe("'a,ä,b,C'");
});

it('refuses a text whose segments would fill the host', async () => {
  const repl = await openRepl();
  const { error } = await repl.run("new Intl.Segmenter().segment('a'.repeat(1_000_001))");
  expect(error?.message).toContain('segment it in pieces');
});

it('names the time zone where a date is read as text, as Node does', async () => {
  const repl = await openRepl();
  expect(
    await repl.value('[String(new Date(0)), new Date(0).toTimeString(), `${new Date(NaN)}`]'),
  ).toBe(
    "[\n  'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',\n  '00:00:00 GMT+0000 (Coordinated Universal Time)',\n  'Invalid Date'\n]",
  );
});

it('makes a date invalid by a part that is no number', async () => {
  const repl = await openRepl();
  const made = (call: string) => `+((d) => { d.${call}; return d; })(new Date(0))`;
  const calls = [
    'setFullYear(NaN, 0, 4)',
    'setUTCDate(undefined)',
    'setMonth()',
    'setHours(1, 1e99)',
    'setSeconds(1)',
  ];
  expect(
    await repl.value(
      `[${calls.map(made).join()}, Date.prototype.setHours.length, Date.prototype.setDate.name]`,
    ),
  ).toBe("[ NaN, NaN, NaN, NaN, 1000, 4, 'setDate' ]");
});
