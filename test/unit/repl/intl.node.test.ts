// Intl of a cell beside Intl of the platform that runs it: the same expressions, the same answers.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const repl = await openRepl();

it.each([
  "['b', 'a', 'C', 'ä', 'z'].sort((one, other) => one.localeCompare(other))",
  "['z', 'ä', 'a'].sort(new Intl.Collator('sv').compare)",
  "['a10', 'a9', 'A1'].sort((a, b) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' }))",
  "[1234567.891, -0, NaN, Infinity, 0.1, 1e21].map((value) => value.toLocaleString('en-US'))",
  "(1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })",
  "[12345678901234567890n.toLocaleString('en-IN'), (5).toLocaleString('ar-EG')]",
  "new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).formatToParts(1234567)",
  "[0.256, 1].map(new Intl.NumberFormat('fr', { style: 'percent' }).format)",
  "Intl.NumberFormat('ja-JP', { style: 'currency', currency: 'JPY' }).format('98765.4321')",
  "new Intl.NumberFormat('en', { style: 'unit', unit: 'kilometer-per-hour' }).formatRange(3, 5)",
  "new Date(0).toLocaleDateString('en-US')",
  "new Date(86_400_000).toLocaleString('de-DE', { timeZone: 'UTC' })",
  "new Date(0).toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', timeZone: 'America/New_York' })",
  "new Date(0).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone: 'Asia/Tokyo' })",
  "new Date(0).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })",
  "new Date(0).toLocaleTimeString('en-GB', { timeZone: 'UTC', timeZoneName: 'short' })",
  "new Date(NaN).toLocaleString('en')",
  "new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).formatToParts(new Date(0))",
  "new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(0, 864e5)",
  "new Intl.PluralRules('en', { type: 'ordinal' }).select(22)",
  "new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day')",
  "new Intl.RelativeTimeFormat('de').formatToParts(3, 'weeks')",
  "new Intl.ListFormat('en', { type: 'disjunction' }).format(new Set(['a', 'b', 'c']))",
  "[new Intl.DisplayNames('en', { type: 'region' }).of('DE'), new Intl.DisplayNames(['de'], { type: 'currency', fallback: 'none' }).of('XXZ') ?? 'none']",
  "[...new Intl.Segmenter('en', { granularity: 'word' }).segment('Hello, wörld!')]",
  "[...new Intl.Segmenter().segment('a👩‍👩‍👧b')].map(({ segment }) => segment)",
  "[0, 4, 99].map((at) => new Intl.Segmenter('en', { granularity: 'word' }).segment('one two').containing(at)?.segment ?? null)",
  "['I'.toLocaleLowerCase('tr'), 'i'.toLocaleUpperCase(['tr', 'en']), 'x'.toLocaleUpperCase()]",
  "[new Intl.Locale('zh').maximize().toString(), new Intl.Locale('en-u-ca-buddhist').calendar, new Intl.Locale('de', { region: 'AT' }).baseName]",
  "[Intl.getCanonicalLocales(['EN-us', 'de']), Intl.supportedValuesOf('unit').includes('meter')]",
  "Intl.NumberFormat.supportedLocalesOf(['de', 'xx-XX'])",
  "new Intl.NumberFormat('de', { minimumFractionDigits: 2 }).resolvedOptions()",
  "new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin' }).resolvedOptions()",
  '[Object.prototype.toString.call(Intl), Object.prototype.toString.call(new Intl.Collator()), Intl.Collator.name, new Intl.Collator() instanceof Intl.Collator]',
  "(() => { class Money extends Intl.NumberFormat {} return new Money('en').format(1234.5); })()",
  "[() => (1).toLocaleString('en', { style: 'currency' }), () => new Intl.DateTimeFormat('en', { timeZone: 'Moon/Sea' }), () => new Intl.DateTimeFormat('en').format(NaN), () => 'a'.localeCompare('b', 'not a locale'), () => Intl.ListFormat(), () => new Intl.DisplayNames('en', {}), () => new Date(0).toLocaleDateString('en', { timeStyle: 'short' }), () => (1).toLocaleString(null)].map((run) => { try { run(); return 'nothing'; } catch (error) { return error.name; } })",
  "Reflect.apply(Number.prototype.toLocaleString, 5, ['en']) + Object.keys(Intl).length + Object.keys(new Intl.NumberFormat()).length",
])('answers as the platform does: %s', async (code) => {
  const { value, error } = await repl.run(`JSON.stringify(${code})`);
  expect(error).toBeUndefined();
  expect(JSON.parse(String(value))).toEqual(
    // oxlint-disable-next-line no-eval -- the platform's answer to the same text
    JSON.parse(JSON.stringify((0, eval)(code) as unknown)),
  );
});
