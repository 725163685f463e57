// Patterns made to keep an engine busy for years, and trees made to be too large. Grep answers as
// ripgrep 15.1 does, or says within its time what it can't do. The slow lane has the largest:
// GREP_SLOW=1.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrepOutput } from '../../../src/tools/grep/schema.ts';
import { askGrep, createSearchBench } from '../../support/search/ask-grep.ts';
import {
  askRipgrep,
  createRipgrep,
  writeTree,
  type RunRipgrep,
} from '../../support/search/ripgrep.ts';
import { createToolBench, type ToolBench } from '../../support/stages/run-tool.ts';
import { toSearchFiles } from '../../support/search/search-fixture.ts';

const isSlowLane = process.env['GREP_SLOW'] === '1';

const catastrophic = [
  ...['(a*)*b', '(a+)+b', '(a|a)*b', '(a|aa)+b', '(x+x+)+y', '([a-z]+)*[0-9]', '(a?){40}a{40}b'],
  ...[
    '^(\\w+\\s?)*$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*,){12}P',
    '(.*)*(.*)*(.*)*=',
    '(.*a){15}b',
  ],
  ...['^(a|b|ab)*c$', '(\\d+|\\w+)*#', '(?:\\s*\\w+\\s*)+;', '(a*b?)*c', '((a{1,9}){1,9}){1,9}b'],
  ...[
    '\\b(\\w+\\W*)+!!',
    '(?i)(K|k|\\x{212a})+z',
    '(?:[^"]*"[^"]*)*\'',
    '.*.*.*.*.*=.*',
    'a*a*a*a*a*a*b',
  ],
  // Long ones.
  ...['a'.repeat(10_000), 'a?'.repeat(2_000)],
  ...['(([^()]*|\\([^()]*\\))*)\\]', '^(?:(?:a|b)*a(?:a|b){12})$'],
];

const files = toSearchFiles({
  'a.txt': `${'a'.repeat(30_000)}\n${'a'.repeat(500)}b\n`,
  'ab.txt': `${'ab'.repeat(15_000)}!\nabc\n`,
  'words.txt': `${'word '.repeat(5_000)}\n${'x'.repeat(700)}\n${'1,'.repeat(3_000)}\n`,
  'kelvin.txt': `${'kK\u212a'.repeat(5_000)}\nkkz\n`,
  'quotes.txt': `${'"a" '.repeat(5_000)}\n${'(a)'.repeat(2_000)}]\n`,
});

describe('Grep answers as ripgrep does, and in time,', () => {
  const directory = mkdtempSync(join(tmpdir(), 'catastrophic-'));
  let ripgrep: RunRipgrep;
  let bench: ToolBench;
  beforeAll(async () => {
    writeTree(directory, files);
    ripgrep = createRipgrep(directory);
    bench = await createSearchBench(files);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(catastrophic.map((each) => [each.slice(0, 40), each] as const))(
    'for %s',
    { timeout: 600_000 },
    async (_start, pattern) => {
      for (const options of [{ output_mode: 'count' }, { multiline: true, output_mode: 'count' }]) {
        const query = { pattern, ...options };
        expect(await askGrep(bench, query)).toEqual(await askRipgrep(ripgrep, query, files));
      }
    },
  );
});

describe('Grep out of time', () => {
  it('says what costs most in the pattern, and ends before its worker is ended', async () => {
    const bench = await createToolBench({ 'a.txt': 'ab'.repeat(9) }, { limits: { timeoutMs: -1 } });
    expect(await bench.reply('Grep', { pattern: 'x(a+b?)+c' })).toMatchObject({
      type: 'failed',
      error: {
        code: 'limit-exceeded',
        message: expect.stringMatching(
          /was stopped. The costly part of the pattern is \(a\+b\?\)\+: /,
        ),
        data: { costlyPart: '(a+b?)+' },
      },
    });
  });

  it('blames no pattern that costs nothing', async () => {
    const bench = await createToolBench({ 'a.txt': 'ab' }, { limits: { timeoutMs: -1 } });
    expect(await bench.reply('Grep', { pattern: 'ab' })).toMatchObject({
      error: { message: expect.stringMatching(/was stopped. Look into less of the workspace/) },
    });
  });

  it('stops within one text too', { timeout: 600_000 }, async () => {
    let seed = 1;
    const random = Array.from({ length: 2_000_000 }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed & 65_536 ? 'a' : 'b';
    }).join('');
    const bench = await createToolBench({ 'a.txt': random }, { limits: { timeoutMs: 300 } });
    // So many states that each character makes a new one, of thousands of steps.
    const reply = await bench.reply('Grep', { pattern: '(a|b)*a(a|b){3000}c(a|b)+d' });
    expect(reply).toMatchObject({ type: 'failed', error: { code: 'limit-exceeded' } });
  });

  it('is not what repetitions that multiply come to', { timeout: 600_000 }, async () => {
    const bench = await createToolBench({ 'a.txt': `${'a'.repeat(30_000)}cb\naab\n` });
    const query = { pattern: '(a{1,100}){1,100}b', output_mode: 'count' };
    expect(await bench.call('Grep', query)).toMatchObject({ numMatches: 1 });
  });
});

describe('Grep says that a file is too large', () => {
  it('and searches the others', async () => {
    const bench = await createToolBench(
      { 'large.txt': 'needle'.repeat(100), 'small.txt': 'needle' },
      { limits: { maxFileBytes: 100 } },
    );
    const output = (await bench.call('Grep', { pattern: 'needle' })) as GrepOutput;
    expect(output).toMatchObject({ filenames: ['small.txt'], unreadFiles: ['large.txt'] });
  });
});

describe.runIf(isSlowLane)('Grep at its limits', () => {
  it('finds the end of a line of 200 MB', { timeout: 600_000 }, async () => {
    const line = new Uint8Array(200_000_000).fill(0x78);
    line.set(new TextEncoder().encode('needle42'), line.length - 8);
    const bench = await createToolBench(
      {},
      { limits: { maxFileBytes: 2 ** 30, timeoutMs: 60_000 } },
    );
    await bench.write('/work/line.txt', line);
    for (const pattern of ['needle', 'needle\\d+', '(x*n)+eedle', 'y', '(?i)NEEDLE', 'x+y']) {
      const expected = pattern.includes('y') ? [] : ['line.txt'];
      const output = (await bench.call('Grep', { pattern })) as GrepOutput;
      expect([pattern, output.filenames]).toEqual([pattern, expected]);
    }
    const part = await bench.call('Grep', {
      pattern: 'n\\w+\\d',
      '-o': true,
      output_mode: 'content',
    });
    expect(part).toMatchObject({ content: 'line.txt:1:needle42' });
  });

  it.each([200_000, 1_000_000])('searches %d tiny files', { timeout: 900_000 }, async (count) => {
    const bench = await createToolBench({}, { limits: { timeoutMs: 60_000 } });
    const { fs } = bench.workspace;
    for (let at = 0; at < count; at += 1) {
      if (at % 1_000 === 0) await fs.mkdir(`/work/${at / 1_000}`);
      await fs.writeFile(`/work/${Math.floor(at / 1_000)}/${at}.txt`, `tiny ${at}\n`);
    }
    const output = (await bench.call('Grep', { pattern: 'tiny \\d*77$' })) as GrepOutput;
    expect(output).toMatchObject({ numFiles: 250, appliedLimit: 250 });
    const counted = await bench.call('Grep', { pattern: 'tiny \\d*77$', output_mode: 'count' });
    expect(counted).toMatchObject({ numMatches: count / 100, totalFiles: count / 100 });
    expect(await bench.call('Glob', { pattern: '*77.txt' })).toMatchObject({
      numFiles: 100,
      totalMatches: count / 100,
      truncated: true,
    });
  });
});
