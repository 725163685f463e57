import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromPlainState,
  toPlainState,
  type PlainState,
} from '../../../src/workspace/state/plain-state.ts';
import type { RecordedChange, WorkspaceRecord } from '../../../src/workspace/state/record.ts';
import {
  answerTo,
  applyRecord,
  emptyState,
  rootOf,
  type WorkspaceState,
} from '../../../src/workspace/state/state.ts';
import { nodeAt, visitTree, type DirectoryNode } from '../../../src/workspace/tree/tree.ts';
import { runsHere } from '../../support/runs-here.ts';

const user = { kind: 'user' } as const;
const agent = { kind: 'agent', callId: 'call' } as const;

const write = (path: string, contentId = 1): RecordedChange => ({
  type: 'write',
  path,
  contentId,
  size: contentId,
  mode: 0o644,
  mtimeMs: 0,
});
const remove = (path: string): RecordedChange => ({ type: 'remove', path });
const make = (id: string, kind: 'checkpoint' | 'branch', from = 'main') =>
  ({ type: 'make', id, kind, label: id, createdMs: 7, from }) as const;

/** Records in the order given, numbered. */
function replay(...records: readonly Partial<WorkspaceRecord>[]): WorkspaceState {
  return records.reduce<WorkspaceState>(
    (state, record) =>
      applyRecord(state, { author: agent, changes: [], ...record, seq: state.seq + 1 }),
    emptyState,
  );
}

function pathsOf(root: DirectoryNode): string[] {
  const paths: string[] = [];
  visitTree('/', root, (path, node) => {
    if (node.kind === 'file') paths.push(`${path} ${String(node.content)} @${node.version}`);
  });
  return paths;
}

describe('a state', () => {
  it('keeps a checkpoint as it was, and lets a branch go its own way', () => {
    const state = replay(
      { changes: [write('/a')] },
      { rootChange: make('before', 'checkpoint') },
      { rootChange: make('try', 'branch') },
      { changes: [write('/a', 2)] },
      { root: 'try', changes: [write('/b', 3)] },
    );
    expect(pathsOf(state.main)).toEqual(['/a 2 @4']);
    expect(pathsOf(rootOf(state, 'before'))).toEqual(['/a 1 @1']);
    expect(pathsOf(rootOf(state, 'try'))).toEqual(['/a 1 @1', '/b 3 @5']);
    expect(state.roots.get('try')).toMatchObject({ kind: 'branch', label: 'try', baseSeq: 3 });
  });

  it('makes a branch of a branch, and drops each by itself', () => {
    const state = replay(
      { rootChange: make('outer', 'branch') },
      { root: 'outer', changes: [write('/a')] },
      { rootChange: make('inner', 'branch', 'outer') },
      { rootChange: { type: 'drop', id: 'outer' } },
    );
    expect(pathsOf(rootOf(state, 'inner'))).toEqual(['/a 1 @2']);
    expect(() => rootOf(state, 'outer')).toThrow("The workspace has no root 'outer'");
  });

  it('knows what a person changed since the oldest checkpoint, removals too', () => {
    const edits = (state: WorkspaceState) => state.userEdits.keys().toSorted();
    const start = { author: user, changes: [write('/before')] };
    const first = { rootChange: make('first', 'checkpoint') };
    const edit = { author: user, changes: [write('/a'), remove('/before')] };
    const second = { rootChange: make('second', 'checkpoint') };
    const late = { author: user, changes: [write('/late')] };
    const others = { author: agent, changes: [write('/agent')] };
    const all = [start, first, edit, second, late, others];
    expect(edits(replay(start))).toEqual([]);
    expect(edits(replay(...all))).toEqual(['/a', '/before', '/late']);
    const drop = (id: string) => ({ rootChange: { type: 'drop', id } as const });
    expect(edits(replay(...all, drop('first')))).toEqual(['/late']);
    expect(edits(replay(...all, drop('first'), drop('second')))).toEqual([]);
  });

  it('remembers the last commit of the clients heard from last', () => {
    const records = Array.from({ length: 70 }, (_, at) => ({
      origin: { client: `tab-${at % 69}`, number: at },
    }));
    const { origins } = replay(...records);
    expect(origins.size).toBe(64);
    expect(origins.get('tab-0')).toMatchObject({ number: 69, seq: 70 });
    expect(origins.has('tab-1')).toBe(false);
  });

  it('tells a commit that was applied from one that was refused before it', () => {
    const numbers = [2, 3, 6, 5, 300];
    const state = replay(...numbers.map((number) => ({ origin: { client: 'tab', number } })));
    const answers = [1, 4, 5, 6, 299, 300, 301].map((number) =>
      answerTo(state, { client: 'tab', number }),
    );
    // The answer may name a later record of the same client. What is too old to be asked for counts
    // as applied.
    expect(answers).toEqual([5, 5, 5, 5, undefined, 5, undefined]);
    const early = replay({ origin: { client: 'tab', number: 2 } });
    expect(answerTo(early, { client: 'tab', number: 1 })).toBe(undefined);
    expect(answerTo(early, { client: 'other', number: 1 })).toBe(undefined);
  });
});

describe('a state as plain data', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`);
  const step = fc.record({
    path,
    kind: fc.constantFrom('write', 'mkdir', 'symlink', 'remove', 'make', 'drop'),
    root: fc.constantFrom('main', 'one', 'two', 'session/one'),
    number: fc.integer({ min: 1, max: 99 }),
    author: fc.constantFrom(user, agent),
  });
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  /** What the step asks for, as far as it fits the state. */
  function take(state: WorkspaceState, { path: at, kind, root, number, author }: Step) {
    const target = root === 'main' || state.roots.has(root) ? root : 'main';
    const base = { author, root: target, changes: [], origin: { client: root, number } };
    const next = (record: Partial<WorkspaceRecord>) =>
      applyRecord(state, { ...base, ...record, seq: state.seq + 1 });
    if (kind === 'make' && root === 'session/one') {
      return next({ root: 'main', rootChange: { type: 'make-session', id: root, createdMs: 7 } });
    }
    if (kind === 'make' && root !== 'main') {
      return next({ root: 'main', rootChange: make(root, number > 50 ? 'branch' : 'checkpoint') });
    }
    if (kind === 'drop' && target !== 'main') {
      return next({ root: 'main', rootChange: { type: 'drop', id: target } });
    }
    const tree = rootOf(state, target);
    const parent = nodeAt(tree, at.slice(0, at.lastIndexOf('/')) || '/');
    if (parent?.kind !== 'directory') return state;
    const node = nodeAt(tree, at);
    if (kind === 'write') return next({ changes: [write(at, number)] });
    if (kind === 'symlink') {
      return next({ changes: [{ type: 'symlink', path: at, target: 'x', mtimeMs: number }] });
    }
    if (kind === 'mkdir' && (!node || node.kind === 'directory')) {
      return next({ changes: [{ type: 'mkdir', path: at, mode: number, mtimeMs: 0 }] });
    }
    return kind === 'remove' && node ? next({ changes: [remove(at)] }) : state;
  }

  it('comes back as it was, with all its roots, through JSON', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const state = steps.reduce(take, emptyState);
        const plain = JSON.parse(JSON.stringify(toPlainState(state))) as PlainState;
        const back = fromPlainState(plain);
        expect(toPlainState(back)).toEqual(toPlainState(state));
        for (const id of ['main', ...state.roots.keys()]) {
          expect(pathsOf(rootOf(back, id))).toEqual(pathsOf(rootOf(state, id)));
        }
      }),
      { numRuns: runsHere(200) },
    );
  });
});
