// A cell's time and randomness follow from its request, whichever VM it runs in.
import { describe, expect, it } from 'vitest';
import { seededBytes } from '../../../src/repl/host/cell-sources.ts';
import { openRepl } from '../../support/repl/repl.ts';

const seed = '00000001000000020000000300000004';
const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const drawing = `[Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(5)).join(),
  require('crypto').randomInt(1000), Math.random()].join(' ')`;

describe('seededBytes', () => {
  // The first words of the reference implementation for the state 1, 2, 3, 4: 11520, 0, 5927040, 70819200.
  it('gives the numbers of xoshiro128**, the low byte first', () => {
    const bytes = seededBytes(seed);
    const words = new Uint32Array(bytes(16).slice().buffer);
    expect([...words]).toEqual([11520, 0, 5927040, 70819200]);
    expect(bytes(3)).toHaveLength(3);
  });

  it.each(['', '12', 'x'.repeat(32), '0'.repeat(32), `${seed}0`, seed.replace('4', 'Z')])(
    'refuses the seed %j',
    (wrong) => {
      expect(() => seededBytes(wrong)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    },
  );
});

describe('a cell with a seed', () => {
  it('draws the same numbers in a new session and in one that has drawn others', async () => {
    const repl = await openRepl();
    const first = await repl.run(drawing, { seed });
    expect(first.display).toMatch(/^'0\.\d+ [\da-f-]{36} /);
    await repl.run('Math.random()');
    expect((await repl.run(drawing, { seed })).display).toBe(first.display);
    const other = await openRepl();
    expect((await other.run(drawing, { seed })).display).toBe(first.display);
  });

  it('draws others for another seed, and the next one without a seed draws none of them again', async () => {
    const repl = await openRepl();
    const first = await repl.run(drawing, { seed });
    const others = [
      await repl.run(drawing, { seed: seed.replace('1', '5') }),
      await repl.run(drawing),
      await repl.run(drawing),
    ];
    const seen = [first, ...others].map(({ display }) => display);
    expect(new Set(seen).size).toBe(4);
  });
});

describe('a cell with a time', () => {
  it('reads that time first, in a new session and in a later cell', async () => {
    const repl = await openRepl();
    const read = 'new Date().toISOString()';
    expect((await repl.run(read, { time })).display).toBe("'2026-01-02T03:04:05.678Z'");
    expect((await repl.run(read, { time: time + 1 })).display).toBe("'2026-01-02T03:04:05.679Z'");
    expect((await repl.run('Date.now() > 1767323045679', {})).display).toBe('true');
  });

  it('sees its clock go on, with the real one and never back', async () => {
    const jumps = [1000, 1005, 900, 1010];
    let at = 0;
    const repl = await openRepl({}, { guestNow: () => jumps[Math.min(at++, jumps.length - 1)]! });
    const { display } = await repl.run('[0, 0, 0, 0].map(() => Date.now() - 5000).join()', {
      time: 5000,
    });
    const read = display!.slice(1, -1).split(',').map(Number);
    expect(read[0]).toBe(0);
    expect(read).toEqual(read.toSorted((one, other) => one - other));
    expect(Math.max(...read)).toBeLessThanOrEqual(110);
  });

  it('comes to an end where it waits for a later time by asking again and again', async () => {
    const repl = await openRepl();
    const { display, error } = await repl.run(
      'const start = Date.now(); while (Date.now() < start + 20); Date.now() - start < 5000',
      { time },
    );
    expect(error).toBeUndefined();
    expect(display).toBe('true');
  });

  it('has its timers run by that clock', async () => {
    const repl = await openRepl();
    const code =
      'const a = Date.now(); await new Promise((done) => setTimeout(done, 15)); Date.now() - a >= 15';
    expect((await repl.run(code, { time })).display).toBe('true');
  });
});

describe('the names that a session keeps', () => {
  const namesOf = async (...cells: readonly string[]) => {
    const repl = await openRepl();
    let names: readonly string[] | undefined;
    for (const code of cells) {
      await repl.run(code, {
        namesKept: true,
        saveState: (_state, kept) => void (names = kept?.names),
      });
    }
    return names;
  };

  it('are those of all that cells have declared and assigned, and of no global of the world', async () => {
    const names = await namesOf(
      "const a = 1; let b; var c; function d() {} class E {} import { join } from 'path'; f = 2",
      'globalThis.g = 3; const { h, ...i } = {}; delete globalThis.f',
      'const console = { log() {} }; const JSON = 1',
    );
    const wanted = ['E', 'JSON', 'a', 'b', 'c', 'console', 'd', 'g', 'h', 'i', 'join'];
    expect(names?.toSorted()).toEqual(wanted);
  });

  it('are not those of a cell that failed', async () => {
    expect(await namesOf('let a = 1', 'let b = 2; throw 1', '1')).toEqual(['a']);
  });

  it('are told whatever a cell has done to lists and to JSON', async () => {
    expect(
      await namesOf(
        'let a = 1; Array.prototype.push = Object.keys = () => { throw 1 }',
        'let b = 2; Array.prototype.toJSON = () => 7',
        '1',
      ),
    ).toEqual(['a', 'b']);
  });

  it('are not asked for without need', async () => {
    const repl = await openRepl();
    let given: unknown = 'nothing';
    await repl.run('let a = 1', { saveState: (_state, kept) => void (given = kept) });
    expect(given).toBeUndefined();
  });
});
