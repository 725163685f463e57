import { describe, expect, test } from 'vitest';
import { chooseDropped } from '../../../../../src/agent/session/files/checkpoints.ts';
import type { WorkspaceRoot } from '../../../../../src/workspace/state/workspace-roots.ts';

function toRoots(...labels: readonly string[]): WorkspaceRoot[] {
  return labels.map((label, at) => ({
    id: `root-${at}`,
    kind: label === '' ? 'branch' : 'checkpoint',
    label,
    createdMs: at,
    seq: at + 1,
  }));
}

const times = (count: number, label: string) => Array.from({ length: count }, () => label);

/** As a session makes them, one after the other. */
function makeMany(count: number, label: string): WorkspaceRoot[] {
  let roots: WorkspaceRoot[] = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const dropped = new Set(chooseDropped(roots));
    roots = roots.filter(({ id }) => !dropped.has(id));
    roots.push({ id: `root-${seq}`, kind: 'checkpoint', label, createdMs: seq, seq });
  }
  return roots;
}

describe('the checkpoints of sessions', () => {
  test('stay while there is room', () => {
    expect(chooseDropped(toRoots(...times(767, 'session/a: x')))).toEqual([]);
    expect(chooseDropped(toRoots(...times(768, 'session/a: x')))).toHaveLength(1);
  });

  test('leave room for branches and for people’s own', () => {
    const others = [...times(300, ''), ...times(200, 'mine')];
    expect(chooseDropped(toRoots(...others, ...times(460, 'session/a: x')))).toHaveLength(1);
    expect(chooseDropped(toRoots(...times(1024, 'mine')))).toEqual([]);
  });

  test('are ever sparser with age: the newest 50 and the first one stay', () => {
    const seqs = makeMany(2500, 'session/a: x').map(({ seq }) => seq);
    expect(seqs).toHaveLength(768);
    expect(seqs[0]).toBe(1);
    expect(seqs.slice(-50)).toEqual(Array.from({ length: 50 }, (_, at) => 2451 + at));
    const gap = (from: number, to: number) => {
      const within = seqs.filter((seq) => seq >= from && seq < to);
      return (to - from) / within.length;
    };
    expect(gap(0, 1000)).toBeGreaterThan(3 * gap(2250, 2450));
  });

  test('go from the session that has most, that of rewinds too, and never a needed one', () => {
    const roots = toRoots(
      ...times(100, 'session/a: x'),
      ...times(60, 'Before rewinding to: session/b: x'),
      ...times(608, 'session/b: x'),
    );
    const [first] = chooseDropped(roots);
    expect(roots.find(({ id }) => id === first)?.label).toContain('session/b');
    expect(chooseDropped(roots, [first])).not.toContain(first);
  });

  test('of many small sessions make room all the same', () => {
    const roots = toRoots(...Array.from({ length: 768 }, (_, at) => `session/s${at}: x`));
    expect(chooseDropped(roots)).toEqual(['root-0']);
  });
});
