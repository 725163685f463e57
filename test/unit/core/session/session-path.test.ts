import { expect, it } from 'vitest';
import {
  isSessionPath,
  sessionOfRoot,
  toSessionDirectory,
  toSessionRootId,
} from '../../../../src/core/session/session-path.ts';

it.each([
  ['/session', true],
  ['/session/one/x', true],
  ['/sessions', false],
  ['/workspace/session', false],
  ['/', false],
])('%s shows a session’s own files: %s', (path, expected) => {
  expect(isSessionPath(path)).toBe(expected);
});

it.each([
  ['session/one', 'one'],
  ['session/a_b-1', 'a_b-1'],
  ['main', undefined],
  ['session/', undefined],
  ['session/a/b', undefined],
  ['session/..', undefined],
  [`session/${'x'.repeat(129)}`, undefined],
])('the root %s is that of the session %s', (root, session) => {
  expect(sessionOfRoot(root)).toBe(session);
});

it('a session’s root and directory follow from its id', () => {
  expect([toSessionRootId('one'), toSessionDirectory('one')]).toEqual([
    'session/one',
    '/session/one',
  ]);
});
