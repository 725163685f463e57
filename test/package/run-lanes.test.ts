/** What `npm run check` prints, and that a red lane can't pass as a green one. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { chooseLanes, runLanes } from '../../scripts/run-lanes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = (text: string): [string, ...string[]] => ['node', '-e', text];

describe('runLanes', () => {
  it('prints a line a lane, and the output of those that fail only', async () => {
    const printed: string[] = [];
    const lanes = [
      { name: 'red', command: script('console.log("a\\nb"); process.exitCode = 3') },
      { name: 'green', command: script('console.log("not shown")') },
      { name: 'missing', command: ['no-such-program-here'] as [string] },
    ];
    const results = await runLanes(lanes, root, (line) => printed.push(line));

    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['red', false],
      ['green', true],
      ['missing', false],
    ]);
    const lines = printed.map((line) => line.replace(/\(\d+\.\d s\)/, '(time)'));
    expect(lines.toSorted()).toEqual([
      '     a\n     b',
      expect.stringContaining('no-such-program-here'),
      'FAIL missing (time)',
      'FAIL red (time)',
      'ok   green (time)',
    ]);
  });

  it('runs no more lanes at once than it is told', async () => {
    const order: string[] = [];
    const lanes = ['first', 'second'].map((name) => ({ name, command: script('') }));
    await runLanes(lanes, root, (line) => order.push(line.split(' ')[3] ?? ''), 1);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('chooseLanes', () => {
  const lanes = ['types: page', 'types: edge', 'dead code', 'lint'].map((name) => ({
    name,
    command: ['true'] as const,
  }));

  it.each<[string[], string[], string[]]>([
    [[], ['types: page', 'types: edge', 'dead code', 'lint'], []],
    [['lint', 'types'], ['types: page', 'types: edge', 'lint'], []],
    [['types: edge'], ['types: edge'], []],
    [['dead', 'tpyes'], ['dead code'], ['tpyes']],
  ])('takes the lanes whose names begin with what is asked: %j', (asked, names, unknown) => {
    const chosen = chooseLanes(lanes, asked);
    expect([chosen.chosen.map(({ name }) => name), chosen.unknown]).toEqual([names, unknown]);
  });
});
