// What is put into the document of a preview: bounded in size, number and time, whatever the app's files name.
import { expect, it } from 'vitest';
import type { PreviewFiles } from '../../../src/core/host-ports/preview.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { openPreview, pixel, type Files } from '../../support/browser/preview-page.ts';

/** A preview whose reads are noted; `onRead` is called before each. */
async function openCounting(
  files: Files,
  onRead: (name: string) => void = () => {},
  clock?: Clock,
) {
  const opened = await openPreview(files, clock);
  const { fs } = opened.workspace;
  const reads: string[] = [];
  const given: PreviewFiles = {
    stat: (path) => fs.stat(path),
    async readFile(path) {
      const name = path.replace('/app/', '');
      reads.push(name);
      onRead(name);
      return fs.readFile(path);
    },
  };
  const open = (signal?: AbortSignal) => opened.open('/app/index.html', given, signal);
  return { ...opened, open, reads };
}

const withSheet = '<link rel="stylesheet" href="s0.css"><p>Hello</p>';

/** Each imports the next one twice: the last one would stand there 2^25 times. */
const doubling: Files = Object.fromEntries(
  Array.from({ length: 26 }, (_, at) => [
    `s${at}.css`,
    `@import "s${at + 1}.css"; @import "./s${at + 1}.css";`,
  ]),
);

// 12 MB: five of them are more than a document may hold.
const large = new Uint8Array(12 * 1024 * 1024);

it('reads a file once, however often it is named', async () => {
  const rows = Array.from({ length: 300 }, (_, at) => `.r${at} { background: url(a.png) }`);
  const { open, reads } = await openCounting({
    'index.html': `${withSheet}<img src="a.png" alt="A"><img src="a.png" alt="B">`,
    's0.css': rows.join('\n'),
    'a.png': pixel,
  });
  expect((await open()).tree).toContain('img "B"');
  expect(reads.toSorted()).toEqual(['a.png', 'index.html', 's0.css']);
});

it.each<[string, Files]>([
  [
    'pictures',
    {
      'index.html': Array.from({ length: 40 }, (_, at) => `<img src="${at}.png">`).join(''),
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`${at}.png`, at < 6 ? large : '']),
      ),
    },
  ],
  [
    'rows of a sheet that name one picture',
    {
      'index.html': withSheet,
      's0.css': Array.from({ length: 300 }, () => 'p { background: url(a.png) }').join(' '),
      'a.png': large,
    },
  ],
])('refuses a page with too many %s', async (_what, files) => {
  // It stands, so that a slow machine comes to the size and not to the time.
  const clock: Clock = { ...systemClock, now: () => 0 };
  const { open, reads } = await openCounting(files, undefined, clock);
  await expect(open()).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('takes in files of more than 67108864 characters'),
  });
  expect(reads.length).toBeLessThan(8);
});

it('refuses sheets that import each other without end', async () => {
  const { open, workspace } = await openCounting({ 'index.html': withSheet, ...doubling });
  await expect(open()).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('more than 1000 style sheets and scripts'),
  });
  await workspace.fs.writeFile('/app/index.html', '<p>Well</p>');
  expect((await open()).tree).toContain('Well');
});

it('says so of such sheets where a module imports one', async () => {
  const { open, preview } = await openCounting({
    'index.html': '<script type="module">import "./s0.css";</script>',
    ...doubling,
  });
  await open();
  // A slow machine is still reading them when the page counts as opened.
  await expect
    .poll(async () => JSON.stringify(await preview.readConsole()))
    .toContain('more than 1000 style sheets and scripts');
});

it('is given up when its signal aborts, and the next page opens', async () => {
  const controller = new AbortController();
  const { open, reads } = await openCounting(
    {
      'index.html': '<img src="a.png" alt="A"><img src="b.png" alt="B">',
      'a.png': pixel,
      'b.png': pixel,
    },
    (name) => {
      if (name === 'a.png') controller.abort();
    },
  );
  await expect(open(controller.signal)).rejects.toMatchObject({ code: 'aborted' });
  expect((await open()).tree).toContain('img "B"');
  expect(reads).toEqual(['index.html', 'a.png', 'index.html', 'a.png', 'b.png']);
});

it('is given up when it takes too long to be read', async () => {
  let passedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + passedMs };
  const { open, reads } = await openCounting(
    { 'index.html': '<img src="a.png"><img src="b.png">', 'a.png': pixel, 'b.png': pixel },
    (name) => {
      if (name === 'a.png') passedMs += 20_001;
    },
    clock,
  );
  await expect(open()).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('takes more than 20 s to be read'),
  });
  expect(reads).toEqual(['index.html', 'a.png']);
});
