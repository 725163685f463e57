import { describe, expect, it } from 'vitest';
import { readTool } from '../../src/tools/read/tool.ts';
import { readInputSchema, type ReadOutput } from '../../src/tools/read/schema.ts';
import { makeEncryptedPdf, makePdf } from '../support/files/make-pdf.ts';
import { createToolBench } from '../support/stages/run-tool.ts';

const png = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  (char) => char.charCodeAt(0),
);

/** What the model sees of a call. */
async function readAsModel(
  files: Record<string, string | Uint8Array>,
  input: Record<string, unknown>,
) {
  const bench = await createToolBench(files);
  const output = (await bench.call('Read', input)) as ReadOutput;
  return readTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content;
}

describe('Read', () => {
  it('gives the lines of a file with their numbers', async () => {
    const content = await readAsModel({ 'a.txt': 'one\ntwo\n' }, { file_path: 'a.txt' });
    expect(content).toBe('     1\tone\n     2\ttwo');
  });

  it('takes an absolute path, and says where the lines stand', async () => {
    const bench = await createToolBench({ 'src/a.ts': 'a\nb\nc\nd\n' });
    const output = await bench.call('Read', { file_path: '/work/src/a.ts', offset: 2, limit: 2 });
    expect(output).toEqual({
      type: 'text',
      file: {
        filePath: '/work/src/a.ts',
        content: 'b\nc',
        numLines: 2,
        startLine: 2,
        totalLines: 4,
      },
    });
  });

  it('marks the file as read in the version that it has', async () => {
    const bench = await createToolBench({ 'a.txt': 'one' });
    const { version } = await bench.workspace.fs.stat('/work/a.txt');
    const reply = await bench.reply('Read', { file_path: 'a.txt' });
    expect(reply).toMatchObject({
      type: 'done',
      changeSet: null,
      reads: [['/work/a.txt', version]],
    });
  });

  it('marks the file behind a link, not the link', async () => {
    const bench = await createToolBench({ 'real.txt': 'one' });
    await bench.workspace.fs.symlink('real.txt', '/work/link.txt');
    const reply = await bench.reply('Read', { file_path: 'link.txt' });
    expect(reply.type === 'done' && reply.reads.map(([path]) => path)).toEqual(['/work/real.txt']);
  });

  it('says that an empty file is empty, and that a line is beyond the end', async () => {
    expect(await readAsModel({ 'a.txt': '' }, { file_path: 'a.txt' })).toBe(
      '(The file is there, but it is empty.)',
    );
    expect(await readAsModel({ 'a.txt': 'one\n' }, { file_path: 'a.txt', offset: 7 })).toBe(
      '(Line 7 is beyond the end: the file has 1 line.)',
    );
  });

  it('shows lines that end in CRLF without the CR', async () => {
    expect(await readAsModel({ 'a.txt': 'one\r\ntwo\r\n' }, { file_path: 'a.txt' })).toBe(
      '     1\tone\n     2\ttwo',
    );
  });

  it('says so where bytes are no valid text', async () => {
    const damaged = new Uint8Array([0x63, 0x61, 0x66, 0xff]);
    expect(await readAsModel({ 'a.txt': damaged }, { file_path: 'a.txt' })).toBe(
      '     1\tcaf\uFFFD\n\n(Where \uFFFD stands, the file has bytes that are no valid text.)',
    );
  });

  it('shows a text in Latin-1, and says so', async () => {
    const latin1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
    expect(await readAsModel({ 'a.txt': latin1 }, { file_path: 'a.txt' })).toBe(
      '     1\tcafé\n\n(The file is in windows-1252; Edit and Write keep it so.)',
    );
  });

  it('gives a file of more than 25 000 tokens in pages that join without a gap', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    const bench = await createToolBench({ 'long.txt': lines.join('\n') });
    const seen: string[] = [];
    let offset = 1;
    for (;;) {
      const output = (await bench.call('Read', { file_path: 'long.txt', offset })) as ReadOutput;
      if (output.type !== 'text') throw new Error('Expected text.');
      expect(output.file.content.length).toBeLessThanOrEqual(100_000);
      seen.push(...output.file.content.split('\n'));
      if (!output.file.truncatedByTokenCap) break;
      offset += output.file.numLines;
    }
    expect(seen).toEqual(lines);
  });

  it('says with which offset to read on', async () => {
    const text = `${'x'.repeat(60_000)}\n`.repeat(3);
    const content = await readAsModel({ 'a.txt': text }, { file_path: 'a.txt' });
    expect(String(content).slice(60_007)).toBe(
      "\n\n(Lines 1-1 of 3: more doesn't fit in one answer. Read on with offset: 2, or use Grep " +
        'to find the place.)',
    );
  });

  it('gives four times as much with allow_large', async () => {
    const text = `${'x'.repeat(60_000)}\n`.repeat(8);
    const bench = await createToolBench({ 'a.txt': text });
    const output = await bench.call('Read', { file_path: 'a.txt', allow_large: true });
    expect(output).toMatchObject({ file: { numLines: 6, truncatedByTokenCap: true } });
  });

  it('shows the beginning of a line that alone is too long', async () => {
    const bench = await createToolBench({ 'min.js': `${'x'.repeat(500_000)}\nend` });
    const output = (await bench.call('Read', { file_path: 'min.js' })) as ReadOutput;
    expect(output).toMatchObject({
      file: { numLines: 0, startLine: 1, totalLines: 2, truncatedByTokenCap: true },
    });
    const block = readTool.mapToolResultToToolResultBlockParam(output, 'toolu_1');
    expect(String(block.content)).toContain('(Line 1 of 2 is too long to be shown whole');
  });

  it('gives an image as an image, whatever its name', async () => {
    const content = await readAsModel({ 'logo.txt': png }, { file_path: 'logo.txt' });
    expect(content).toEqual([
      {
        type: 'image',
        source: {
          type: 'base64',
          media_type: 'image/png',
          data: btoa(String.fromCharCode(...png)),
        },
      },
    ]);
  });

  it('gives the source of an SVG, and says how to see it', async () => {
    expect(await readAsModel({ 'a.svg': '<svg/>' }, { file_path: 'a.svg' })).toBe(
      '     1\t<svg/>\n\n(The source of an SVG image. To see it drawn, ask for it as a PNG.)',
    );
  });

  it('says at which size an image is shown that was made smaller', () => {
    const dimensions = {
      originalWidth: 12_000,
      originalHeight: 9000,
      displayWidth: 2000,
      displayHeight: 1500,
    };
    const file = { base64: '', type: 'image/png', originalSize: 9, dimensions } as const;
    const { content } = readTool.mapToolResultToToolResultBlockParam({ type: 'image', file }, 'id');
    expect(content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
      {
        type: 'text',
        text: '(The image has 12000 × 9000 pixels. It is shown at 2000 × 1500.)',
      },
    ]);
  });

  it('gives a notebook as its cells with their output', async () => {
    const notebook = JSON.stringify({
      nbformat: 4,
      cells: [
        { id: 'intro', cell_type: 'markdown', source: ['# Title\n', 'text'] },
        {
          id: 'run',
          cell_type: 'code',
          execution_count: 2,
          source: 'print(1)',
          outputs: [{ output_type: 'stream', text: ['1\n'] }],
        },
      ],
    });
    expect(await readAsModel({ 'a.ipynb': notebook }, { file_path: 'a.ipynb' })).toBe(
      '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>\n' +
        '<cell id="run" type="code" run="2">\nprint(1)\n<output>\n1\n</output>\n</cell>',
    );
  });
});

describe('Read of a PDF', () => {
  const pages = (count: number, length = 0) =>
    Array.from({ length: count }, (_, index) => ({
      text: `This is page ${index + 1}.${'\nAnd this is one more line.'.repeat(length)}`,
    }));

  it('gives its pages as text', async () => {
    const pdf = makePdf([{ text: 'First (and best)\nline' }, { text: 'Second' }]);
    expect(await readAsModel({ 'a.pdf': pdf }, { file_path: 'a.pdf' })).toBe(
      '<page number="1">\nFirst (and best)\nline\n</page>\n<page number="2">\nSecond\n</page>\n' +
        '\n(Pages 1-2 of 2.)',
    );
  });

  it.each([
    ['2-3', 2, 2],
    ['4', 4, 1],
    ['4-', 4, 2],
    ['5-99', 5, 1],
  ])('gives the pages %s', async (range, firstPage, count) => {
    const bench = await createToolBench({ 'a.pdf': makePdf(pages(5)) });
    const output = (await bench.call('Read', { file_path: 'a.pdf', pages: range })) as ReadOutput;
    expect(output).toMatchObject({
      type: 'pages',
      file: { filePath: '/work/a.pdf', totalPages: 5 },
      firstPage,
      pages: pages(5).slice(firstPage - 1, firstPage - 1 + count),
    });
  });

  it('gives 500 pages in parts that join without a gap', async () => {
    const all = pages(500, 24);
    const bench = await createToolBench({ 'a.pdf': makePdf(all) });
    const seen: string[] = [];
    let parts = 0;
    for (let next = 1; next <= 500; parts += 1) {
      const output = await bench.call('Read', { file_path: 'a.pdf', pages: `${next}-` });
      const { pages: got } = output as Extract<ReadOutput, { type: 'pages' }>;
      expect(got.length).toBeGreaterThan(0);
      seen.push(...got.map(({ text }) => text));
      next += got.length;
    }
    expect(seen).toEqual(all.map(({ text }) => text));
    expect(parts).toBeGreaterThan(2);
  });

  it('says with which page to go on', async () => {
    const bench = await createToolBench(
      { 'a.pdf': makePdf(pages(9)) },
      { limits: { maxOutputChars: 200 } },
    );
    const output = (await bench.call('Read', { file_path: 'a.pdf' })) as ReadOutput;
    expect(readTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toMatch(
      /\n\(Pages 1-3 of 9: more doesn't fit in one answer\. Read on with pages: "4-"\.\)$/,
    );
  });

  it('says that a page without text may be a scan where it can not be drawn', async () => {
    const pdf = makePdf([{ scan: [255, 0, 0] }]);
    expect(await readAsModel({ 'a.pdf': pdf }, { file_path: 'a.pdf' })).toBe(
      `<page number="1">\n(no text: it may be a scan, and pages can't be drawn here)\n</page>\n` +
        '\n(Page 1 of 1.)',
    );
  });

  it.each([
    [
      'a page beyond the end',
      makePdf(pages(2)),
      { pages: '3' },
      /Page 3 is beyond the end: .* 2 pages/,
    ],
    ['lines', makePdf(pages(2)), { offset: 3 }, /a PDF, which has pages: give pages, as in "1-5"/],
    ['what is encrypted', makeEncryptedPdf(), {}, /is an encrypted PDF.*a copy without one/],
    [
      'what is cut off',
      makePdf(pages(9)).slice(0, 300),
      {},
      /a PDF that can't be read: Invalid PDF/,
    ],
  ])('refuses %s', async (_what, pdf, input, message) => {
    const bench = await createToolBench({ 'a.pdf': pdf });
    expect(await bench.reply('Read', { file_path: 'a.pdf', ...input })).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(message) },
    });
  });
});

describe('Read refuses', () => {
  const wideHeader = Uint8Array.from(png);
  new DataView(wideHeader.buffer).setUint32(16, 9000);

  it.each([
    ['a directory', { file_path: 'src' }, 'EISDIR', /Use Glob/],
    [
      'a missing file, naming near ones',
      { file_path: 'src/app.js' },
      'ENOENT',
      /there is: App\.tsx, app\.ts\./,
    ],
    ['a missing directory', { file_path: 'nowhere/a.ts' }, 'ENOENT', /neither does its directory/],
    ['a binary file', { file_path: 'tool.wasm' }, 'invalid-input', /binary.* Repl/],
    ['a broken PDF', { file_path: 'paper.pdf' }, 'invalid-input', /a PDF that can't be read/],
    ['pages of a text', { file_path: 'src/app.ts', pages: '1' }, 'invalid-input', /is none/],
    ['a path outside', { file_path: '../etc/passwd' }, 'EACCES', /outside the workspace/],
    ['a device', { file_path: '/dev/../dev//zero' }, 'EACCES', /devices/],
    ['what the kernel makes up', { file_path: '/proc/self/mem' }, 'EACCES', /devices/],
    [
      'an image too wide, where it can not be made smaller',
      { file_path: 'wide.png' },
      'invalid-input',
      /9000 × 1 pixels, .* there is nothing here to make it smaller with\. Ask for a smaller copy/,
    ],
    [
      'an image that is cut off',
      { file_path: 'cut.png' },
      'invalid-input',
      /cut off.* another copy/,
    ],
    ['HEIC', { file_path: 'a.heic' }, 'invalid-input', /a HEIC image.* as a JPEG or PNG/],
    ['AVIF', { file_path: 'a.avif' }, 'invalid-input', /an AVIF image.* as a JPEG or PNG/],
    ['a file that is too large', { file_path: 'large.txt' }, 'invalid-input', /Grep/],
    ['an unknown field', { file_path: 'src/app.ts', lines: 3 }, 'invalid-input', /lines/],
  ])('%s', async (_what, input, code, message) => {
    const bench = await createToolBench(
      {
        'src/app.ts': '',
        'src/App.tsx': '',
        'tool.wasm': new Uint8Array([0, 97, 115, 109]),
        'paper.pdf': '%PDF-1.7\n',
        'wide.png': wideHeader,
        'cut.png': png.slice(0, 40),
        'a.heic': '\0\0\0\u0018ftypheic\0\0\0\0',
        'a.avif': '\0\0\0\u0018ftypavif\0\0\0\0',
        'large.txt': 'x'.repeat(2000),
      },
      { limits: { maxFileBytes: 1000 } },
    );
    const reply = await bench.reply('Read', input);
    expect(reply).toMatchObject({
      type: 'failed',
      error: { code, message: expect.stringMatching(message) },
    });
  });

  it('a link that leads nowhere, saying where it points', async () => {
    const bench = await createToolBench({ 'a.txt': '' });
    await bench.workspace.fs.symlink('gone.txt', '/work/link');
    expect(await bench.reply('Read', { file_path: 'link' })).toMatchObject({
      error: { code: 'ENOENT', message: '/work/link is a link to gone.txt, where nothing is.' },
    });
  });

  it('a denied file as one that is not there', async () => {
    const bench = await createToolBench(
      { 'secret.env': 'KEY=1', 'a.txt': '' },
      { rules: [{ effect: 'deny', operation: 'read', glob: '*.env' }] },
    );
    expect(await bench.reply('Read', { file_path: 'secret.env' })).toMatchObject({
      type: 'failed',
      error: { code: 'ENOENT' },
    });
    const near = await bench.reply('Read', { file_path: 'secret.en' });
    expect(near).toMatchObject({
      error: { message: "/work/secret.en doesn't exist. Use Glob to find the file." },
    });
  });

  it.each([
    ['9-2', 'pages is "9-2", whose last page comes before its first. Did you mean "2-9"?'],
    ['0-3', 'Pages count from 1: there is no page 0.'],
    ['1,3', 'pages is "1,3". Give one page or one range, as in "3", "1-5" or "7-".'],
    ['', 'pages is "". Give one page or one range, as in "3", "1-5" or "7-".'],
  ])('the pages %j, before any permission question', async (pages, message) => {
    const input = readInputSchema().parse({ file_path: 'a.pdf', pages });
    expect(await readTool.validateInput(input)).toEqual({ result: false, errorCode: 1, message });
    expect(await readTool.validateInput({ file_path: 'a.txt' })).toEqual({ result: true });
  });
});

describe('Read as people see it', () => {
  it.each([
    [{ file_path: 'src/app.ts' }, 'Reading src/app.ts'],
    [{ file_path: 'src/app.ts', limit: 50 }, 'Reading src/app.ts (lines 1-50)'],
    [{ file_path: 'src/app.ts', offset: 10, limit: 5 }, 'Reading src/app.ts (lines 10-14)'],
    [{ file_path: 'src/app.ts', offset: 10 }, 'Reading src/app.ts (from line 10)'],
    [{ file_path: 'a.pdf', pages: '1-5' }, 'Reading a.pdf (pages 1-5)'],
    [{}, null],
  ])('tells what it does: %j', (input, text) => {
    expect(readTool.getActivityDescription(input)).toBe(text);
  });

  it('reads side by side with any other call, and writes nothing', () => {
    expect(readTool.isReadOnly()).toBe(true);
    expect(readTool.isConcurrencySafe()).toBe(true);
    expect(readTool.toAutoClassifierInput()).toBe('');
    expect(readTool.maxResultSizeChars).toBe(Infinity);
  });
});
