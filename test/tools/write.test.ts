import { describe, expect, it } from 'vitest';
import { writeTool } from '../../src/tools/write/tool.ts';
import type { WriteOutput } from '../../src/tools/write/schema.ts';
import { createToolBench } from '../support/stages/run-tool.ts';

describe('Write', () => {
  it('makes a new file, and the directories that its path needs', async () => {
    const bench = await createToolBench({});
    const output = (await bench.call('Write', {
      file_path: 'src/deep/a.ts',
      content: 'export {};\n',
    })) as WriteOutput;
    expect(output).toEqual({
      type: 'create',
      filePath: '/work/src/deep/a.ts',
      content: 'export {};\n',
      originalFile: null,
      structuredPatch: [],
      userModified: false,
    });
    expect(await bench.readText('/work/src/deep/a.ts')).toBe('export {};\n');
    expect(writeTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toBe(
      'Made the new file /work/src/deep/a.ts.',
    );
  });

  it('replaces a file that was read, and says how it differs', async () => {
    const bench = await createToolBench({ 'a.txt': 'one\ntwo\n' });
    await bench.call('Read', { file_path: 'a.txt' });
    const output = await bench.call('Write', { file_path: 'a.txt', content: 'one\n2\n' });
    expect(output).toEqual({
      type: 'update',
      filePath: '/work/a.txt',
      content: 'one\n2\n',
      originalFile: 'one\ntwo\n',
      structuredPatch: [
        { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+2'] },
      ],
      userModified: false,
    });
    expect(await bench.readText('/work/a.txt')).toBe('one\n2\n');
  });

  it('replaces what it has just written, without a Read', async () => {
    const bench = await createToolBench({});
    await bench.call('Write', { file_path: 'a.txt', content: 'one' });
    await bench.call('Write', { file_path: 'a.txt', content: 'two' });
    expect(await bench.readText('/work/a.txt')).toBe('two');
  });

  it.each([
    ['\\r\\n where all lines have it', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['what is given where both kinds are there', 'a\r\nb\nc\n', 'x\ny\n', 'x\ny\n'],
    ['\\n where all lines have it', 'a\nb\n', 'x\ny\n', 'x\ny\n'],
  ])('ends lines with %s', async (_what, before, content, after) => {
    const bench = await createToolBench({ 'a.txt': before });
    await bench.call('Read', { file_path: 'a.txt' });
    await bench.call('Write', { file_path: 'a.txt', content });
    expect(await bench.readText('/work/a.txt')).toBe(after);
  });

  it('keeps the encoding, the byte order mark and the mode', async () => {
    const bench = await createToolBench({ 'a.txt': new Uint8Array([0xfe, 0xff, 0, 0x61]) });
    await bench.workspace.fs.chmod('/work/a.txt', 0o755);
    await bench.call('Read', { file_path: 'a.txt' });
    await bench.call('Write', { file_path: 'a.txt', content: 'é' });
    expect(await bench.workspace.fs.readFile('/work/a.txt')).toEqual(
      new Uint8Array([0xfe, 0xff, 0, 0xe9]),
    );
    expect((await bench.workspace.fs.stat('/work/a.txt')).mode & 0o777).toBe(0o755);
  });
});

describe('Write of a content that begins with a byte order mark', () => {
  it.each([
    ['\uFEFFold\r\n', '\uFEFFnew\n', '\uFEFFnew\r\n'],
    ['old\n', '\uFEFFnew\n', '\uFEFFnew\n'],
  ])('leaves one in %j', async (before, content, after) => {
    const bench = await createToolBench({ 'a.cs': before });
    await bench.call('Read', { file_path: 'a.cs' });
    await bench.call('Write', { file_path: 'a.cs', content });
    expect(await bench.readText('/work/a.cs')).toBe(after);
  });
});

describe('Write refuses', () => {
  it('a file that is there and was not read', async () => {
    const bench = await createToolBench({ 'a.txt': 'one' });
    const hash = await bench.workspace.treeHash();
    const reply = await bench.reply('Write', { file_path: 'a.txt', content: 'two' });
    expect(reply).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/Read it first/) },
    });
    expect(await bench.workspace.treeHash()).toBe(hash);
  });

  it('a binary file, which Read could not show, with another way', async () => {
    const bench = await createToolBench({ 'a.bin': new Uint8Array([0, 1]) });
    const reply = await bench.reply('Write', { file_path: 'a.bin', content: 'two' });
    expect(reply).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/binary.*with Repl/) },
    });
  });

  it('a file that has changed since it was read', async () => {
    const bench = await createToolBench({ 'a.txt': 'one' });
    await bench.call('Read', { file_path: 'a.txt' });
    await bench.write('/work/a.txt', 'changed');
    const reply = await bench.reply('Write', { file_path: 'a.txt', content: 'two' });
    expect(reply).toMatchObject({
      error: { code: 'ECONFLICT', message: expect.stringMatching(/Read it again/) },
    });
  });

  it.each([
    ['a directory', 'src', 'EISDIR'],
    ['a path outside the workspace', '../a.txt', 'EACCES'],
    ['a path below a file', 'src/a.ts/b.ts', 'ENOTDIR'],
  ])('%s', async (_what, file_path, code) => {
    const bench = await createToolBench({ 'src/a.ts': '' });
    expect(await bench.reply('Write', { file_path, content: 'x' })).toMatchObject({
      type: 'failed',
      error: { code },
    });
  });

  it('what is larger than a file may be', async () => {
    const bench = await createToolBench({}, { limits: { maxFileBytes: 10 } });
    const reply = await bench.reply('Write', { file_path: 'a.txt', content: 'é'.repeat(6) });
    expect(reply).toMatchObject({
      error: { message: expect.stringMatching(/has 12 bytes, and a file may have 10/) },
    });
  });

  it('a file that a rule denies', async () => {
    const bench = await createToolBench(
      {},
      { rules: [{ effect: 'deny', operation: 'write', glob: '*.env' }] },
    );
    expect(await bench.reply('Write', { file_path: 'a.env', content: 'x' })).toMatchObject({
      error: { code: 'EACCES' },
    });
  });
});

describe('Write as others see it', () => {
  it('writes, and shows the classifier the path and the content', () => {
    const input = { file_path: 'a.ts', content: 'text' };
    expect(writeTool.isReadOnly()).toBe(false);
    expect(writeTool.toAutoClassifierInput(input)).toBe('a.ts: text');
    expect(writeTool.getActivityDescription(input)).toBe('Writing a.ts');
  });
});
