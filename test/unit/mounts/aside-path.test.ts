// Where the other side's version goes when both have changed a file.
import { expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryHostFs } from '../../support/files/memory-host-fs.ts';

const emoji = '\u{1F41A}';

it.each([
  ['is short', 'notes.md', 'notes (from disk).md'],
  ['is as long as can be', `${'a'.repeat(252)}.md`, `${'a'.repeat(240)} (from disk).md`],
  ['is long by its bytes', `${'字'.repeat(84)}.md`, `${'字'.repeat(80)} (from disk).md`],
  // Four bytes each: half of one would be no text.
  ['is long by its pairs', `${emoji.repeat(63)}.md`, `${emoji.repeat(60)} (from disk).md`],
  ['is one long ending', `a.${'b'.repeat(253)}`, `a.${'b'.repeat(241)} (from disk)`],
])('keeps both versions of a file whose name %s', async (_, name, aside) => {
  await using host = await createInlineHost();
  const source = createMemoryHostFs({ files: { [name]: 'one' } });
  const mount = await host.mount('disk', source);
  await host.workspace.fs.writeFile(`/workspace/disk/${name}`, 'here');
  source.change(name, 'there');
  await mount.sync();
  expect(mount.state().kind).toBe('idle');
  expect(await host.workspace.fs.readdir('/workspace/disk')).toEqual([aside, name].sort());
  expect(source.list()).toEqual({ [name]: 'here', [aside]: 'there' });
});

it('takes no half of a letter from a source’s name', async () => {
  await using host = await createInlineHost();
  // 40 units of UTF-16 end within a pair.
  const letter = '\u{1D49C}';
  const source = createMemoryHostFs({ name: `x${letter.repeat(30)}`, files: { a: 'one' } });
  const mount = await host.mount('disk', source);
  await host.workspace.fs.writeFile('/workspace/disk/a', 'here');
  source.change('a', 'there');
  await mount.sync();
  expect(Object.keys(source.list())).toContain(`a (from x${letter.repeat(19)})`);
});
