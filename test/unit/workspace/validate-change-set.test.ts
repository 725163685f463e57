import { describe, expect, it } from 'vitest';
import { validateChangeSet } from '../../../src/workspace/commit/validate-change-set.ts';
import {
  validateCommitOptions,
  validateRootChange,
} from '../../../src/workspace/commit/validate-commit.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';

const author = { kind: 'user' } as const;

const good = {
  type: 'write',
  path: '/a/b',
  baseVersion: 0,
  content: new Uint8Array([1]),
  mode: 0o644,
  mtimeMs: 1.5,
};

function messageOf(run: () => unknown): string {
  try {
    run();
    return 'no error';
  } catch (error) {
    return (error as Error).message;
  }
}

const bad: readonly [message: string, value: unknown][] = [
  ['The change set is no object.', null],
  ['The change set is no object.', 'x'],
  ['The change set has no baseSeq.', { changes: [] }],
  ['The change set has no baseSeq.', { baseSeq: -1, changes: [] }],
  ['The change set has no list of changes.', { baseSeq: 0, changes: { length: 1 } }],
  ['Change 0 is no object.', { baseSeq: 0, changes: [1] }],
];

const badChanges: readonly [message: string, changed: Record<string, unknown>][] = [
  ['Change 0 has no absolute path below the root.', { path: 'a' }],
  ['Change 0 has no absolute path below the root.', { path: '/' }],
  ['Change 0 has no absolute path below the root.', { path: 7 }],
  ["Change 0: the path isn't normal: /a/../b", { path: '/a/../b' }],
  ["Change 0: the path isn't normal: //a", { path: '//a' }],
  ["Change 0: the path isn't normal: /a/", { path: '/a/' }],
  ["Change 0: the path isn't normal: /./a", { path: '/./a' }],
  ['Change 0: the path holds a NUL or is no valid Unicode.', { path: '/a\0' }],
  ['Change 0: the path holds a NUL or is no valid Unicode.', { path: '/\udc00' }],
  ['Change 0: the path or a name in it is too long.', { path: `/${'x'.repeat(256)}` }],
  ['Change 0: the path or a name in it is too long.', { path: '/xy'.repeat(1366) }],
  ['Change 0 (/a/b) has no baseVersion.', { baseVersion: '0' }],
  ['Change 0 (/a/b) has no baseVersion.', { baseVersion: 0.5 }],
  ['Change 0: the parentVersion must be a version.', { parentVersion: -1 }],
  ['The base of change 0 is no object.', { base: 7 }],
  ['The base of change 0 has no contentId or no mode.', { base: { contentId: 1 } }],
  ['The base of change 0 has no contentId or no mode.', { base: { contentId: -1, mode: 0 } }],
  ['Change 0 (/a/b) has no mtimeMs.', { mtimeMs: Number.NaN }],
  ['Change 0 (/a/b) has no mode.', { mode: 0o10000 }],
  ['Change 0 (/a/b) has an unknown type.', { type: 'set-root' }],
  ['The content of change 0 is no object.', { content: 'text' }],
  ['Change 0 has neither bytes nor a contentId.', { content: { contentId: -1 } }],
  ['Change 0 has neither bytes nor a contentId.', { content: new ArrayBuffer(1) }],
  ['Change 0 is a link without a valid target.', { type: 'symlink', target: '' }],
  ['Change 0 is a link without a valid target.', { type: 'symlink', target: 'a\0b' }],
  ['Change 0 (/a/b): recursive is true, or left out.', { type: 'remove', recursive: 1 }],
];

describe('validateChangeSet', () => {
  it('takes a well-formed change set, and drops what it does not know', () => {
    const changes = [
      { type: 'remove', path: '/old', baseVersion: 3, extra: true },
      { type: 'remove', path: '/tree', baseVersion: 3, recursive: true },
      { type: 'mkdir', path: '/old', baseVersion: 3, mode: 0o755, mtimeMs: 0 },
      { type: 'symlink', path: '/l', baseVersion: 0, target: '../anywhere', mtimeMs: 0 },
      { type: 'mkdir', path: '/a/d', baseVersion: 0, parentVersion: 2, mode: 0o755, mtimeMs: 0 },
      good,
    ];
    expect(validateChangeSet({ baseSeq: 7, changes, extra: 1 })).toEqual({
      baseSeq: 7,
      changes: [{ type: 'remove', path: '/old', baseVersion: 3 }, ...changes.slice(1)],
    });
  });

  it.each(bad)('says "%s"', (message, value) => {
    expect(messageOf(() => validateChangeSet(value))).toBe(message);
  });

  it.each(badChanges)('says "%s" of a change', (message, changed) => {
    const changes = [{ ...good, ...changed }];
    expect(messageOf(() => validateChangeSet({ baseSeq: 0, changes }))).toBe(message);
  });

  // What a path shares with the one before it isn't looked at again: the rest of it is.
  it.each([
    '/a/..',
    '/a/.',
    '/a/',
    '/a//b',
    '/a/c\0',
    '/a/\ud800',
    `/a/${'x'.repeat(256)}`,
    '/',
    'a',
  ])('refuses %j also behind a path that is right', (path) => {
    const changes = [good, { ...good, path }];
    expect(() => validateChangeSet({ baseSeq: 0, changes })).toThrow('Change 1');
  });

  it('takes every right name behind a path that is right', () => {
    const paths = ['/a/b', '/a/c', '/a/.hidden', '/a/é ü', '/a/b.c-d_e', '/a/b/c', '/b', '/a/😀'];
    const changes = paths.map((path) => ({ ...good, path }));
    expect(validateChangeSet({ baseSeq: 0, changes })).toEqual({ baseSeq: 0, changes });
  });

  it.each([
    ['made twice', ['write', 'write']],
    ['removed twice', ['remove', 'remove']],
    ['made and then removed', ['write', 'remove']],
  ])('refuses a path that is %s', (_what, types) => {
    const changes = types.map((type) => ({ ...good, type }));
    expect(messageOf(() => validateChangeSet({ baseSeq: 0, changes }))).toBe(
      'The change set names /a/b more than once.',
    );
  });

  it('stands at the writer, with contents that are not there and authors that are none', async () => {
    const writer = await openTestWriter();
    const changes = [{ ...good, path: '/a', content: { contentId: 5 } }] as never;
    expect(await codeOf(writer.commit({ baseSeq: 0, changes }, { author }))).toBe('invalid-input');
    expect(writer.seq).toBe(0);
  });

  it.each([
    [{ author: { kind: 'root' } }, 'The author must be user or agent.'],
    [
      { author: { kind: 'agent', callId: 7 } },
      'The callId must be text of at most 256 characters.',
    ],
    [{ author, durability: 'perhaps' }, 'The durability must be power or process.'],
    [{ author, merge: 'mine' }, "merge is 'text', or left out."],
    [{ author, root: '' }, 'The root must be an id of 1 to 256 characters.'],
    [
      { author, origin: { client: 'a', number: -1 } },
      'The number of the commit must be a whole number from 0.',
    ],
    [
      { author, origin: { client: 7, number: 1 } },
      'The client must be an id of 1 to 256 characters.',
    ],
  ])('refuses the options %j', (options, message) => {
    expect(messageOf(() => validateCommitOptions(options))).toBe(message);
  });

  const made = { type: 'make', id: 'a', kind: 'branch', label: '', createdMs: 1, from: 'main' };
  it.each([
    [{ ...made, id: 'main' }, 'main can be neither made nor dropped.'],
    [{ ...made, kind: 'twig' }, 'The kind must be checkpoint or branch.'],
    [{ ...made, label: 7 }, 'The label must be text.'],
    [{ ...made, label: 'x'.repeat(1001) }, 'The label has 1001 characters; it may have 1000.'],
    [{ ...made, createdMs: Number.NaN }, 'createdMs must be a number of milliseconds from 0.'],
    [{ ...made, from: undefined }, 'The root must be an id of 1 to 256 characters.'],
    [{ type: 'drop', id: 'main' }, 'main can be neither made nor dropped.'],
    [{ type: 'move', id: 'a' }, 'The type must be make, make-session, drop, merge or rewind.'],
    [{ ...made, id: 'session/a' }, "'session/a' is the id of a session's own root."],
    [
      { ...made, type: 'rewind', undo: 'session/a', paths: ['/'] },
      "'session/a' is the id of a session's own root.",
    ],
    [{ ...made, type: 'make-session' }, "'a' is the root of no session."],
    [
      { ...made, type: 'make-session', id: 'session/a/b' },
      "'session/a/b' is the root of no session.",
    ],
    [
      { type: 'make-session', id: 'session/a' },
      'createdMs must be a number of milliseconds from 0.',
    ],
    [
      { type: 'merge', id: 'a', paths: [] },
      'paths is a list of 1 to 10000 paths; left out, it is everything.',
    ],
    [
      { type: 'merge', id: 'a', paths: ['/a/../b'] },
      'paths holds "/a/../b". Each path must be absolute and normal.',
    ],
    [
      { ...made, type: 'rewind', undo: 'b', paths: ['src'] },
      'paths holds "src". Each path must be absolute and normal.',
    ],
    [
      { ...made, type: 'rewind', undo: '', paths: ['/'] },
      'The id must be an id of 1 to 256 characters.',
    ],
    [
      { ...made, type: 'rewind', undo: 'b', paths: ['/'], keep: 'agent' },
      "keep is 'user', or left out.",
    ],
  ])('refuses the change of a root %j', (change, message) => {
    expect(messageOf(() => validateRootChange(change))).toBe(message);
  });
});
