import { describe, expect, it } from 'vitest';
import type { ToolUseContext } from '../../src/core/tool/context.ts';
import { editTool } from '../../src/tools/edit/tool.ts';
import type { EditOutput } from '../../src/tools/edit/schema.ts';
import { encodeText } from '../../src/text/encoding.ts';
import { encodedTexts, toBytes } from '../support/files/encoded-texts.ts';
import { createRandom } from '../support/random.ts';
import { createToolBench, type ToolBench } from '../support/stages/run-tool.ts';

async function benchWith(content: string | Uint8Array): Promise<ToolBench> {
  const bench = await createToolBench({ 'a.txt': content });
  await bench.call('Read', { file_path: 'a.txt' });
  return bench;
}

/** The file after one edit, without the fields that say where. */
async function edited(
  content: string | Uint8Array,
  input: { old_string: string; new_string: string; replace_all?: boolean },
): Promise<string> {
  const bench = await benchWith(content);
  await bench.call('Edit', { file_path: 'a.txt', ...input });
  return bench.readText('/work/a.txt');
}

describe('Edit', () => {
  it('replaces the one occurrence, and says what it did', async () => {
    const bench = await benchWith('one\ntwo\nthree\n');
    const output = (await bench.call('Edit', {
      file_path: 'a.txt',
      old_string: 'two',
      new_string: '2',
    })) as EditOutput;
    expect(await bench.readText('/work/a.txt')).toBe('one\n2\nthree\n');
    expect(output).toEqual({
      filePath: '/work/a.txt',
      oldString: 'two',
      newString: '2',
      originalFile: 'one\ntwo\nthree\n',
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 3,
          lines: [' one', '-two', '+2', ' three'],
        },
      ],
      userModified: false,
      replaceAll: false,
    });
    expect(editTool.mapToolResultToToolResultBlockParam(output, 'toolu_1')).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: 'Edited /work/a.txt: replaced, 1 lines added and 1 removed.',
    });
  });

  it('changes nothing until its change set is committed', async () => {
    const bench = await benchWith('one');
    await bench.reply('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
    expect(await bench.readText('/work/a.txt')).toBe('one');
  });

  it('edits what it has just edited, without another Read', async () => {
    const bench = await benchWith('one');
    await bench.call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
    await bench.call('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' });
    expect(await bench.readText('/work/a.txt')).toBe('three');
  });

  it('replaces every occurrence with replace_all', async () => {
    const input = { old_string: 'a', new_string: 'aa', replace_all: true };
    expect(await edited('a b a\na', input)).toBe('aa b aa\naa');
  });

  it('takes the replacement literally', async () => {
    expect(await edited('price', { old_string: 'price', new_string: '$& $1 $$' })).toBe('$& $1 $$');
  });

  it('finds lines that end in CRLF by \\n, and keeps their ends', async () => {
    expect(await edited('a\r\nb\r\nc\r\n', { old_string: 'a\nb\n', new_string: 'x\ny\nz\n' })).toBe(
      'x\r\ny\r\nz\r\nc\r\n',
    );
  });

  it('keeps both kinds of line ends where a file has both', async () => {
    expect(await edited('a\r\nb\r\nc\nd\ne\n', { old_string: 'c\nd', new_string: 'C\nD' })).toBe(
      'a\r\nb\r\nC\nD\ne\n',
    );
  });

  it.each([
    ['x\r\ny\nz\r\n', 'x\ny\nz\n', 'x\nY\nz\n', 'x\r\nY\nz\r\n'],
    ['x\r\ny\nz\r\n', 'x\ny\nz', 'x\nz', 'x\r\nz\r\n'],
    ['x\r\ny\nz\r\n', 'x\ny\nz\n', 'x\nnew\ny\nz!\n', 'x\r\nnew\r\ny\nz!\r\n'],
    ['a\nb\r\nc\r\nd', 'a\nb\nc\nd', 'A\nB\n1\n2\nd', 'A\nB\r\n1\r\n2\r\nd'],
    ['“x”\r\ny\nz\r\n', '"x"\ny\nz', '"x"\nY\nz', '“x”\r\nY\nz\r\n'],
  ])('keeps the line ends of lines that are quoted around a change: %j', async (...texts) => {
    const [before, old_string, new_string, after] = texts;
    expect(await edited(before, { old_string, new_string })).toBe(after);
  });

  it('keeps the byte order mark and the encoding', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, 0x61, 0, 0x62, 0]);
    const bench = await benchWith(utf16);
    await bench.call('Edit', { file_path: 'a.txt', old_string: 'b', new_string: 'é' });
    expect(await bench.workspace.fs.readFile('/work/a.txt')).toEqual(
      new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe9, 0]),
    );
  });

  it('keeps the mode', async () => {
    const bench = await benchWith('one');
    await bench.workspace.fs.chmod('/work/a.txt', 0o755);
    await bench.call('Read', { file_path: 'a.txt' });
    await bench.call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
    expect((await bench.workspace.fs.stat('/work/a.txt')).mode & 0o777).toBe(0o755);
  });

  it('finds curly quotes by straight ones, and reports the text that was there', async () => {
    const bench = await benchWith('say “hello” twice\n');
    const output = await bench.call('Edit', {
      file_path: 'a.txt',
      old_string: 'say "hello"',
      new_string: 'say "bye"',
    });
    expect(output).toMatchObject({ oldString: 'say “hello”', newString: 'say "bye"' });
    expect(await bench.readText('/work/a.txt')).toBe('say “bye” twice\n');
  });

  it('prefers the exact text to one with other quotes', async () => {
    expect(await edited('“a” "a"', { old_string: '"a"', new_string: 'b' })).toBe('“a” b');
  });

  it('makes a new file, with its directories, from an empty old_string', async () => {
    const bench = await createToolBench({});
    const output = await bench.call('Edit', {
      file_path: 'src/new.ts',
      old_string: '',
      new_string: 'export {};\n',
    });
    expect(await bench.readText('/work/src/new.ts')).toBe('export {};\n');
    expect(output).toMatchObject({ originalFile: '', structuredPatch: [{ newLines: 1 }] });
  });

  it('fills an empty file from an empty old_string', async () => {
    expect(await edited('', { old_string: '', new_string: 'text' })).toBe('text');
  });
});

describe('Edit of files in many encodings', () => {
  it('has 60 of them in 16 encodings', () => {
    const encodings = new Set(encodedTexts.map(({ encoding }) => encoding));
    expect([encodedTexts.length, encodings.size]).toEqual([60, 16]);
  });

  it.each(encodedTexts)('changes the bytes of the edit alone: $encoding, $text', async (sample) => {
    const random = createRandom(sample.text.length);
    const bench = await benchWith(toBytes(sample));
    // Lines without a line end, of which one is changed and then changed back.
    const lines = sample.text.split(/\r?\n/).filter((line) => line !== '');
    const line = random.pick(lines);
    const words = line.split(' ');
    words[random.below(words.length)] = `${random.pick(lines).split(' ').at(-1)} $& done`;
    const changed = words.join(' ');
    const edit = (old_string: string, new_string: string) =>
      bench.call('Edit', { file_path: 'a.txt', old_string, new_string });
    const { fs, history } = bench.workspace;
    const edited = toBytes({ ...sample, text: sample.text.replace(line, () => changed) });
    await edit(line, changed);
    expect(await fs.readFile('/work/a.txt')).toEqual(edited);
    await edit(changed, line);
    expect(await fs.readFile('/work/a.txt')).toEqual(toBytes(sample));
    await history.undo('commit-2');
    expect(await fs.readFile('/work/a.txt')).toEqual(edited);
    await history.undo('commit-1');
    expect(await fs.readFile('/work/a.txt')).toEqual(toBytes(sample));
  });

  it('refuses a character that the encoding has not, and leaves the file alone', async () => {
    const bytes = encodeText('// Größe\n', { encoding: 'windows-1252', hasBom: false });
    const bench = await benchWith(bytes);
    const input = { file_path: 'a.txt', old_string: 'Größe', new_string: 'размер' };
    expect(await bench.reply('Edit', input)).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/windows-1252.*"р"/) },
    });
    expect(await bench.workspace.fs.readFile('/work/a.txt')).toEqual(bytes);
  });

  it('refuses a file whose encoding can not be told', async () => {
    const hebrew = { encoding: 'windows-1255', hasBom: false, text: 'שלום עולם\n' } as const;
    const bench = await benchWith(toBytes(hebrew));
    const input = { file_path: 'a.txt', old_string: '\n', new_string: '!\n' };
    expect(await bench.reply('Edit', input)).toMatchObject({
      error: {
        message:
          '/work/a.txt holds bytes that are no valid text in any encoding that can be told, and Edit ' +
          'would damage them. Change it with Repl, byte by byte, or Write it again.',
      },
    });
    expect(await bench.workspace.fs.readFile('/work/a.txt')).toEqual(toBytes(hebrew));
  });
});

describe('Edit refuses', () => {
  const text = 'if (a) {\n\tcall("x");\n}\ncall("x");\n';
  const edit = (old_string: string, new_string = 'new') => ({ old_string, new_string });

  it.each([
    ['a text that is not there', edit('nothing like it'), /Nothing in the file resembles it/],
    [
      'an ambiguous text, naming the lines',
      edit('call("x")'),
      /is in \/work\/a\.txt 2 times, on lines 2, 4\./,
    ],
    [
      'other white space, naming the line',
      edit('if (a) {\n    call("x");'),
      /is on line 1, and line 2 is "\\tcall\(\\"x\\"\);"\. Copy it/,
    ],
    ['other letter case', edit('CALL("X")'), /upper and lower case/],
    ['line numbers from Read', edit('     2\t\tcall("x");'), /leave out the numbers/],
    [
      'a text that goes on otherwise',
      edit('if (a) {\n\tstop();'),
      /on line 2 the file has "\\tcall/,
    ],
    ['an empty old_string for a file with text', edit(''), /isn't empty/],
    ['a text that replaces itself', edit('a', 'a'), /the same/],
  ])('%s', async (_what, input, message) => {
    const bench = await benchWith(text);
    const hash = await bench.workspace.treeHash();
    const reply = await bench.reply('Edit', { file_path: 'a.txt', ...input });
    expect(reply).toMatchObject({
      type: 'failed',
      error: { name: 'ToolError', message: expect.stringMatching(message) },
    });
    expect(await bench.workspace.treeHash()).toBe(hash);
  });

  it('a file that was not read', async () => {
    const bench = await createToolBench({ 'a.txt': 'one' });
    const reply = await bench.reply('Edit', { file_path: 'a.txt', ...edit('one') });
    expect(reply).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/Read it first/) },
    });
  });

  it('a file that has changed since it was read', async () => {
    const bench = await benchWith('one');
    await bench.write('/work/a.txt', 'one, changed');
    const reply = await bench.reply('Edit', { file_path: 'a.txt', ...edit('one') });
    expect(reply).toMatchObject({
      error: { code: 'ECONFLICT', message: expect.stringMatching(/Read it again/) },
    });
  });

  it('a file that holds bytes which are no text, known or not', async () => {
    const bench = await benchWith(new Uint8Array([97, 0xff, 98]));
    await bench.write('/work/a.bin', new Uint8Array([97, 0]));
    for (const file_path of ['a.txt', 'a.bin']) {
      expect(await bench.reply('Edit', { file_path, ...edit('a') })).toMatchObject({
        error: { code: 'invalid-input', message: expect.stringMatching(/no valid text/) },
      });
    }
  });

  it('a directory, a missing file and one that is too large', async () => {
    const bench = await createToolBench(
      { 'src/a.ts': 'x'.repeat(20) },
      { limits: { maxFileBytes: 10 } },
    );
    expect(await bench.reply('Edit', { file_path: 'src', ...edit('x') })).toMatchObject({
      error: { code: 'EISDIR' },
    });
    expect(await bench.reply('Edit', { file_path: 'src/b.ts', ...edit('x') })).toMatchObject({
      error: { code: 'ENOENT' },
    });
    expect(await bench.reply('Edit', { file_path: 'src/a.ts', ...edit('x') })).toMatchObject({
      error: { message: expect.stringMatching(/takes files of up to 10/) },
    });
  });

  it('equal texts, before any permission question', async () => {
    const input = { file_path: 'a', old_string: 'x', new_string: 'x' };
    const context = { cwd: '/work' } as ToolUseContext;
    expect(await editTool.validateInput(input, context)).toMatchObject({ result: false });
    const other = { ...input, new_string: 'y' };
    expect(await editTool.validateInput(other, context)).toEqual({ result: true });
  });
});

describe('Edit as others see it', () => {
  it('writes, and shows the classifier the path and the new text', () => {
    const input = { file_path: 'a.ts', old_string: 'x', new_string: 'rm -rf /' };
    expect(editTool.isReadOnly()).toBe(false);
    expect(editTool.isConcurrencySafe()).toBe(false);
    expect(editTool.toAutoClassifierInput(input)).toBe('a.ts: rm -rf /');
    expect(editTool.getPath(input)).toBe('a.ts');
  });

  it('is called Create where it makes a file', () => {
    expect(editTool.userFacingName({ old_string: '' })).toBe('Create');
    expect(editTool.userFacingName({ old_string: 'x' })).toBe('Edit');
  });
});
