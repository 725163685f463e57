// Each row of docs/scheduling.md's table, played. A row without a scene here, a scene without a row
// and a rule that doesn't hold are all failures.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSchedule, type CallKind } from '../../../src/agent/calls/schedule.ts';

const safe: CallKind = {
  toolName: 'Look',
  isReadOnly: true,
  isConcurrencySafe: true,
  maxRunning: Infinity,
  cutsSiblings: false,
  isCutByPrompt: false,
};
const unsafe: CallKind = { ...safe, isReadOnly: false, isConcurrencySafe: false };

/** A schedule with these calls, all allowed; `undefined` is of a kind that isn't known yet. */
function play(kinds: readonly (CallKind | undefined)[], { limit = 10, sema = false } = {}) {
  const schedule = createSchedule(limit, sema ? 'sema' : 'default');
  for (const [call, kind] of kinds.entries()) {
    schedule.add(call);
    if (!kind) continue;
    schedule.classify(call, kind);
    schedule.allow(call);
  }
  return {
    ...schedule,
    started: () => schedule.decide().start,
    skipped: () => schedule.decide().skip,
  };
}

/** By the beginning of the row: what it says, in the order in which it says it. */
const scenes: Readonly<Record<string, () => void>> = {
  'A call starts as soon as its block is complete': () => {
    const message = play([safe]);
    expect(message.started()).toEqual([0]);
    message.close();
    expect(message.started()).toEqual([]);
  },
  'A concurrency-safe call starts when': () => {
    const message = play([safe, safe, unsafe, safe]);
    expect(message.started()).toEqual([0, 1]);
    message.settle(0, 'done');
    expect(message.started()).toEqual([]);
    message.settle(1, 'done');
    expect(message.started()).toEqual([2]);
    message.settle(2, 'failed');
    expect(message.started()).toEqual([3]);
  },
  'Until it is known whether a call is safe, no later call starts': () => {
    const message = play([undefined, safe, unsafe]);
    expect(message.started()).toEqual([]);
    // Its kind is known, and somebody is asked about it.
    message.classify(0, safe);
    expect(message.started()).toEqual([1]);
    message.settle(1, 'done');
    expect(message.started()).toEqual([]);
    message.settle(0, 'refused');
    expect(message.started()).toEqual([2]);
  },
  'At most `maxRunningCalls` calls of a message': () => {
    expect(play(Array.from({ length: 12 }, () => safe)).started()).toHaveLength(10);
    const rare = { ...safe, toolName: 'Rare', maxRunning: 1 };
    const message = play([rare, rare, safe]);
    expect(message.started()).toEqual([0, 2]);
    message.settle(0, 'done');
    expect(message.started()).toEqual([1]);
  },
  'When a call of a tool with `cutsSiblings` (Repl) fails': () => {
    const cutting = { ...safe, cutsSiblings: true };
    const message = play([cutting, safe, cutting]);
    message.decide();
    expect(message.settle(0, 'failed')).toEqual([1, 2]);
    expect(message.settle(2, 'cut')).toEqual([]);
  },
  'A new prompt cuts running calls': () => {
    const waiting = { ...safe, isCutByPrompt: true };
    const message = play([safe, waiting, unsafe]);
    message.decide();
    expect(message.hearPrompt()).toEqual([1]);
    message.settle(1, 'cut');
    message.settle(0, 'done');
    expect(message.decide()).toEqual({ start: [], skip: [2] });
    const other = play([safe, safe], { limit: 1 });
    other.decide();
    expect(other.hearPrompt()).toEqual([]);
    other.settle(0, 'done');
    expect(other.started()).toEqual([1]);
  },
  'A stop or an abort': () => {
    const message = play([safe, unsafe]);
    message.decide();
    message.stop();
    expect(message.skipped()).toEqual([1]);
    message.settle(0, 'cut');
    expect(message.started()).toEqual([]);
  },
  "`schedulePolicy: 'sema'`": () => {
    const reads = play([safe, safe], { sema: true });
    reads.close();
    expect(reads.started()).toEqual([0, 1]);
    const other = play([safe, safe, unsafe], { sema: true });
    other.close();
    expect(other.started()).toEqual([0]);
    other.settle(0, 'refused');
    expect(other.decide()).toEqual({ start: [1], skip: [2] });
  },
};

/** Rules that are kept above the schedule, and the tests that hold them. */
const elsewhere: Readonly<Record<string, readonly [file: string, test: string]>> = {
  'Results come in the order of the blocks': [
    'loop-settles.test.ts',
    'settles every started tool use exactly once, in order, under every policy, and leaves nothing running',
  ],
};

function readRules(): string[] {
  const page = readFileSync(new URL('../../../docs/scheduling.md', import.meta.url), 'utf8');
  const rows = page.match(/^\| .* \|$/gmu) ?? [];
  return rows
    .map((row) => row.slice(2).split(' | ')[0]?.trim() ?? '')
    .filter((rule) => rule !== 'rule' && !/^-+$/u.test(rule));
}

describe('docs/scheduling.md', () => {
  const beginnings = [...Object.keys(scenes), ...Object.keys(elsewhere)];

  it('has no rule that nothing here holds, and no other than these', () => {
    const rules = readRules();
    expect(rules).toHaveLength(beginnings.length);
    const unheld = rules.filter((rule) => !beginnings.some((start) => rule.startsWith(start)));
    expect(unheld).toEqual([]);
  });

  it.each(Object.entries(scenes))('%s …', (_, scene) => scene());

  it.each(Object.entries(elsewhere))('%s …: held elsewhere', (_, [file, test]) => {
    expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(`it('${test}'`);
  });
});
