// Objects that anybody may have written, as git's bytes.
import { expect, it } from 'vitest';
import { parseCommit } from '../../../../src/workspace/git/object-codec.ts';

const oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

function read(author: string) {
  const head = `tree ${oid}\nauthor ${author}\ncommitter Ann <ann@example.com> 1 +0000\n\nx\n`;
  return parseCommit(oid, new TextEncoder().encode(head)).author;
}

it.each([
  ['Ann B. <ann@example.com> 7 -0130', { name: 'Ann B.', email: 'ann@example.com', timestamp: 7 }],
  ['<ann@example.com> 7 +0000', { name: '', email: 'ann@example.com', timestamp: 7 }],
  ['Ann <a<b> 7 +0000', { name: 'Ann', email: 'a<b', timestamp: 7 }],
  ['Ann', { name: '', email: '', timestamp: 0 }],
])('reads who made a commit: %s', (author, made) => {
  expect(read(author)).toMatchObject(made);
});

it('takes no time that grows with the square of a name without an end', () => {
  // One that took the square of its length would outlast the test's own time.
  expect(read('<'.repeat(200_000))).toMatchObject({ email: '' });
}, 15_000);
