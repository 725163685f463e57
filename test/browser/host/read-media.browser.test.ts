// Read of PDF pages and of large images, in a tool worker, beside a page that must not wait.
import { server } from 'vitest/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { WorkReply } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { readTool } from '../../../src/tools/read/tool.ts';
import type { ReadOutput } from '../../../src/tools/read/schema.ts';
import { makePng } from '../../support/files/make-png.ts';
import { makePdf } from '../../support/files/make-pdf.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `test-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl },
  });
});

afterAll(() => host.destroy());

function start(file: string, input: Record<string, unknown> = {}): Promise<WorkReply> {
  const { reply } = host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName: 'Read',
      input: { file_path: file, ...input },
      sessionId: 'session-1',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: {
        cwd: '/workspace',
        roots: ['/workspace'],
        readOnlyRoots: [],
        rules: [],
        write: 'allow',
      },
      cwd: '/workspace',
      limits: { timeoutMs: 60_000, maxFileBytes: 1e7, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
      knownVersions: [],
    },
    () => {},
  );
  return reply;
}

async function read(name: string, bytes: Uint8Array, input?: Record<string, unknown>) {
  await host.workspace.fs.writeFile(`/workspace/${name}`, bytes);
  const reply = await start(name, input);
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
  return reply.output as ReadOutput;
}

/** The colour in the middle of an encoded picture, and its size. */
async function look(base64: string, type: string) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  context?.drawImage(bitmap, 0, 0);
  const pixel = context?.getImageData(width >> 1, height >> 1, 1, 1).data;
  return { width, height, pixel: [...(pixel ?? [])] };
}

describe('Read of a PDF in a tool worker', () => {
  it('gives the text of a page, and a picture of one without text', async () => {
    const pdf = makePdf([{ text: 'In words' }, { scan: [255, 0, 0] }]);
    const output = await read('a.pdf', pdf);
    if (output.type !== 'pages') throw new Error('Expected pages.');
    expect(output).toMatchObject({
      file: { totalPages: 2 },
      pages: [{ text: 'In words' }, { text: '' }],
    });
    expect(output.pages[0]?.image).toBe(undefined);
    const image = output.pages[1]?.image;
    const { width, height, pixel } = await look(image?.base64 ?? '', 'image/jpeg');
    expect([width, height]).toEqual([1176, 1568]);
    // JPEG is nearly red.
    expect(pixel[0]).toBeGreaterThan(240);
    expect(pixel[1]).toBeLessThan(20);
  });
});

describe('Read of pages that come out white', () => {
  it('says so, instead of showing a white page for the real one', async () => {
    const pdf = makePdf([{ scan: [0, 0, 0] }, { undecodable: true }, { scan: [255, 255, 255] }]);
    const output = await read('white.pdf', pdf);
    if (output.type !== 'pages') throw new Error('Expected pages.');
    expect(output.pages.map(({ image, problem }) => [image?.type, problem?.slice(0, 38)])).toEqual([
      ['image/jpeg', undefined],
      [undefined, 'nothing is to be seen on this page: it'],
      [undefined, 'nothing is to be seen on this page: it'],
    ]);
    expect(toResultText(readTool.mapToolResultToToolResultBlockParam(output, 'a'))).toContain(
      '<page number="2">\n(nothing is to be seen on this page',
    );
  });
});

describe('Read of an image in a tool worker', () => {
  async function readImage(name: string, bytes: Uint8Array) {
    const output = await read(name, bytes);
    if (output.type !== 'image') throw new Error('Expected an image.');
    return output.file;
  }

  it('makes one of 12 000 × 9 000 pixels fit, and the page goes on meanwhile', async () => {
    const png = await makePng(12_000, 9000, 200);
    const waits: number[] = [];
    const observer = new PerformanceObserver((list) => {
      waits.push(...list.getEntries().map(({ duration }) => duration));
    });
    observer.observe({ type: 'longtask' });
    const file = await readImage('large.png', png);
    waits.push(...observer.takeRecords().map(({ duration }) => duration));
    observer.disconnect();
    // Told, and not judged: other tests run beside this one.
    console.info(`tasks of the page of more than 50 ms: ${JSON.stringify(waits)}`);
    expect(file).toMatchObject({
      type: 'image/png',
      originalSize: png.length,
      dimensions: {
        originalWidth: 12_000,
        originalHeight: 9000,
        displayWidth: 2000,
        displayHeight: 1500,
      },
    });
    expect(await look(file.base64, file.type)).toEqual({
      width: 2000,
      height: 1500,
      pixel: [200, 200, 200, 255],
    });
    const { content } = readTool.mapToolResultToToolResultBlockParam({ type: 'image', file }, 'id');
    expect(content).toHaveLength(2);
  });

  it('leaves alone what the API takes', async () => {
    const png = await makePng(2000, 10, 0);
    const file = await readImage('small.png', png);
    expect(atob(file.base64)).toBe(String.fromCharCode(...png));
    expect(file.dimensions).toEqual({ originalWidth: 2000, originalHeight: 10 });
  });

  it('makes a JPEG of what is too many bytes in its own format', async () => {
    const noise = await makePng(1900, 1900, 'noise');
    expect(noise.length).toBeGreaterThan(3_400_000);
    const file = await readImage('noise.png', Uint8Array.from([...noise, ...new Uint8Array(1e6)]));
    expect(file.type).toBe('image/jpeg');
    expect(await look(file.base64, file.type)).toMatchObject({ width: 1900, height: 1900 });
  });

  // Firefox shows as much of it as is there.
  it.skipIf(server.browser !== 'chromium')('says so where an image is damaged', async () => {
    const png = await makePng(3000, 3000, 0);
    // Its header and its end, and no pixels between them.
    const damaged = new Uint8Array([...png.slice(0, 33), ...png.slice(-12)]);
    await host.workspace.fs.writeFile('/workspace/damaged.png', damaged);
    expect(await start('damaged.png')).toMatchObject({
      type: 'failed',
      error: {
        code: 'invalid-input',
        message: expect.stringMatching(/3000 × 3000 pixels that can't be decoded: it is damaged/),
      },
    });
  });
});
