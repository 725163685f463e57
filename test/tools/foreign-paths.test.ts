// Paths that a model brings along from a machine with a shell.
import { expect, it } from 'vitest';
import type { Tool } from '../../src/core/tool/tool.ts';
import { editTool } from '../../src/tools/edit/tool.ts';
import { writeTool } from '../../src/tools/write/tool.ts';

const check = async (tool: unknown, input: object) =>
  (tool as Tool).validateInput?.(input as never, { cwd: '/work' } as never);

it.each([
  ['~/notes.md', "~ isn't expanded here. Give the path from / on, or one from /work."],
  ['~', "~ isn't expanded here."],
  ['C:\\tmp\\x.txt', 'C:\\tmp\\x.txt is a path of Windows'],
  ['d:/x.txt', 'Give one like /work/notes.md'],
  ['newdir/', 'newdir/ names a directory. Name the file'],
])('no file is made at %s', async (file_path, message) => {
  const refused = { result: false, message: expect.stringContaining(message) as string };
  expect(await check(writeTool, { file_path, content: '' })).toMatchObject(refused);
  const edit = { file_path, old_string: '', new_string: 'x' };
  expect(await check(editTool, edit)).toMatchObject(refused);
});

it.each(['notes~.md', './~/notes.md', '/work/~x/a', 'a:b.txt', 'src/c:/x'])(
  'one is made at %s',
  async (file_path) => {
    expect(await check(writeTool, { file_path, content: '' })).toEqual({ result: true });
  },
);
