import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycle, listTasks, readRecordedTasks } from '../../../../src/core/session/task-list.ts';
import type { RecordedTask } from '../../../../src/core/session/task-list.ts';

const task: RecordedTask = {
  ...{ id: '1', subject: 'a', description: '', status: 'pending', madeBy: 'call-1' },
  ...{ blocks: [], blockedBy: [] },
};

describe('readRecordedTasks', () => {
  const read = (values: Readonly<Record<string, unknown>>) =>
    readRecordedTasks({ get: (key) => values[key] });

  it('reads tasks up to the first id that none has', () => {
    const last = { ...task, id: '2', status: 'deleted' as const };
    expect(read({ 'tasks/1': task, 'tasks/2': last, 'tasks/4': task })).toEqual([task, last]);
    expect(read({})).toEqual([]);
  });

  it.each([
    ['nothing that could be one', null],
    ['one without relations', { ...task, blocks: undefined }],
    ['one of another id', { ...task, id: '2' }],
    ['an unknown status', { ...task, status: 'begun' }],
  ])('refuses %s, which no tool of ours has recorded', (_what, value) => {
    expect(() => read({ 'tasks/1': value })).toThrow(
      "The task list of this session can't be read: its task 1 isn't one of Rockpool's.",
    );
  });
});

describe('findCycle', () => {
  it('finds a way round where a walk from each task comes back to it, and else none', () => {
    const anyEdges = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })),
      {
        maxLength: 9,
      },
    );
    fc.assert(
      fc.property(anyEdges, (edges) => {
        const tasks = Array.from({ length: 6 }, (_, at): RecordedTask => {
          const id = String(at + 1);
          const of = (one: 0 | 1) =>
            edges.flatMap((edge, index) =>
              // Half of the relations are said of the one end, half of the other.
              index % 2 === one && edge[one] === at + 1 ? [String(edge[1 - one])] : [],
            );
          const rest = { subject: 'a', description: '', status: 'pending', madeBy: '' } as const;
          return { id, ...rest, blocks: of(0), blockedBy: of(1) };
        });
        const listed = listTasks(tasks);
        const cycle = findCycle(listed);
        const next = new Map(listed.map(({ id, blocks }) => [id, blocks]));
        const reaches = (id: string): boolean => {
          const seen = new Set<string>();
          const open = [...(next.get(id) ?? [])];
          for (let one = open.pop(); one !== undefined; one = open.pop()) {
            if (seen.has(one)) continue;
            seen.add(one);
            open.push(...(next.get(one) ?? []));
          }
          return seen.has(id);
        };
        expect(cycle !== undefined).toBe(listed.some(({ id }) => reaches(id)));
        cycle?.slice(1).forEach((id, at) => expect(next.get(cycle[at] ?? '')).toContain(id));
        expect(cycle?.[0]).toBe(cycle?.at(-1));
      }),
      { numRuns: 200, seed: 19 },
    );
  });
});
