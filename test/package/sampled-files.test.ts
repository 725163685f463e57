/** Which portable tests the ordinary run leaves out in a runtime. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listUnsampled } from '../../scripts/sampled-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const unsampled = (seed: number, turn: number) => listUnsampled(root, { seed, turn });

describe('listUnsampled', () => {
  it('names four fifths of the portable files of twelve rooms, and no other file', () => {
    const left = unsampled(1, 0);
    expect(left.length).toBeGreaterThan(80);
    expect(left.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const allowed =
      /^test\/unit\/(?:agent|core|model|react|repl|search|text|tools|workspace(?:-(?:files|log|tabs))?)\/(?:[\w-]+\/)*[\w-]+\.test\.ts$/u;
    expect(left.filter((path) => !allowed.test(path))).toEqual([]);
  });

  it('leaves out nothing that is about what a runtime does by itself', () => {
    const left = [1, 2, 3, 4, 5].flatMap((seed) => unsampled(seed, 0));
    const own =
      /encoding|anthropic|log\/codecs|repl\/(?:engine|crypto|subtle|fetch|limits|session)|workspace\/(?:streams|packed-contents)/u;
    expect(left.filter((path) => own.test(path))).toEqual([]);
  });

  it('takes another fifth for each runtime, and all files by five seeds', () => {
    const [chromium, workerd] = [new Set(unsampled(1, 0)), new Set(unsampled(1, 1))];
    const all = new Set([...chromium, ...workerd]);
    // What neither names would run in both.
    expect([...all].filter((path) => !chromium.has(path) && !workerd.has(path))).toEqual([]);
    expect(all.size - chromium.size).toBeGreaterThan(40);
    for (const turn of [0, 1]) {
      const lists = [1, 2, 3, 4, 5].map((seed) => new Set(unsampled(seed, turn)));
      expect([...all].filter((path) => lists.every((list) => list.has(path)))).toEqual([]);
    }
  });
});
