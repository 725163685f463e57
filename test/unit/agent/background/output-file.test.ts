import { expect, it } from 'vitest';
import { createOutputFile } from '../../../../src/agent/background/output-file.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { createSessionFiles } from '../../../../src/agent/session/files/session-files.ts';
import type { SessionFiles } from '../../../../src/agent/session/files/session-files.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';

const path = '/session/one/tasks/1.output';

/** A file, what was written to it from outside, and the end of the next write. */
async function open() {
  const workspace = await createMemoryWorkspace();
  const files = createSessionFiles(workspace, 'one');
  const appended: string[] = [];
  let isFull = false;
  let wake = () => {};
  const append: SessionFiles['append'] = async (at, text) => {
    try {
      if (isFull) throw new Error('The disk is full.');
      await files.append(at, text);
      appended.push(text);
    } finally {
      wake();
    }
  };
  const clock = createVirtualClock();
  const file = await createOutputFile('tasks/1.output', { files: { ...files, append }, clock });
  return {
    file,
    clock,
    appended,
    read: () => workspace.fs.readFile(path, 'utf8'),
    fill: (full: boolean) => void (isFull = full),
    /** Moves time on to a write that is due, and waits for it and for what follows from it. */
    async write(ms: number) {
      const written = new Promise<void>((resolve) => (wake = resolve));
      clock.advance(ms);
      await written;
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

it('is there at once, empty, and grows not more often than once a second', async () => {
  const { file, clock, appended, read, write } = await open();
  expect(await read()).toBe('');
  file.append('a');
  clock.advance(600);
  file.append('b');
  clock.advance(399);
  expect(appended).toEqual([]);
  await write(1);
  expect(appended).toEqual(['ab']);
  expect(clock.pending()).toBe(0);
  file.append('c');
  clock.advance(999);
  expect(appended).toEqual(['ab']);
  // And a little for what is there.
  await write(2);
  expect(await read()).toBe('abc');
});

it('grows more seldom the longer it is: by a second for each 16 kB', async () => {
  const { file, clock, appended, write } = await open();
  file.append('x'.repeat(32_000));
  await write(1_000);
  file.append('y');
  clock.advance(2_999);
  expect(appended).toHaveLength(1);
  await write(1);
  expect(appended).toHaveLength(2);
});

it('writes what could not be written with what comes next, in its order', async () => {
  const { file, clock, appended, read, fill, write } = await open();
  fill(true);
  file.append('a');
  await write(1_000);
  file.append('b');
  fill(false);
  await write(1_000);
  expect(appended).toEqual(['ab']);
  expect(clock.pending()).toBe(0);
  expect(await read()).toBe('ab');
});

it.each([
  ['the rest behind what was written, whatever still waits included', { rest: 'end' }, 'abend'],
  ['the whole in its place', { whole: 'end' }, 'end'],
] as const)('ends with %s, and nothing waits any more', async (_, end, text) => {
  const { file, clock, read, write } = await open();
  file.append('a');
  await write(1_000);
  file.append('b');
  await file.finish(end);
  file.append('late');
  expect(clock.pending()).toBe(0);
  expect(await read()).toBe(text);
});

it('says so where its last word could not be written', async () => {
  const { file, fill } = await open();
  fill(true);
  await expect(file.finish({ rest: 'end' })).rejects.toThrow('The disk is full.');
});
