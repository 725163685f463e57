// A search of much text by two real tool workers: what they find together is what one finds, whatever
// becomes of the other one meanwhile.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import type { RunningWork } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { GrepOutput } from '../../../src/tools/grep/schema.ts';
import { startGrep } from '../../support/search/search-call.ts';

// Together more than what a search must go through to be worth sharing.
const fileCount = 70;
const needles = 128;
const text = `needle\n${'a quiet line of text\n'.repeat(200)}`.repeat(needles);

let host: BrowserHost;
/** The tool workers that may get calls and live. Not the spare: it may be loading still. */
const booted: Worker[] = [];
const RealWorker = globalThis.Worker;

/** A tool worker that is taken for calls is sent this by the page. */
const isBoot = (message: unknown) => String(Object(message).path) === 'boot';

beforeAll(async () => {
  globalThis.Worker = class extends RealWorker {
    override postMessage(message: unknown, ...rest: never[]): void {
      if (isBoot(message)) booted.push(this);
      super.postMessage(message, ...rest);
    }
    override terminate(): void {
      const at = booted.indexOf(this);
      if (at !== -1) booted.splice(at, 1);
      super.terminate();
    }
  };
  host = await createBrowserHost({
    workspace: `shared-search-${crypto.randomUUID()}`,
    driver: 'memory',
    toolWorkers: 2,
    assets: { wasm: wasmUrl },
  });
  const bytes = new TextEncoder().encode(text);
  const names = Array.from({ length: fileCount }, (_, at) => `file-${at + 10}.txt`);
  await host.importFiles(names.map((path) => ({ path, bytes: bytes.slice() })));
});

afterAll(async () => {
  globalThis.Worker = RealWorker;
  await host.destroy();
});

const start = (input: object) => startGrep(host, { pattern: 'needle', ...input });

async function outputOf(work: RunningWork): Promise<GrepOutput> {
  const reply = await work.reply;
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
  return reply.output as GrepOutput;
}

const count = () => start({ output_mode: 'count' });

/** Told of what the page sends to workers, and of the message's port. */
function onSent(listen: (message: { readonly type?: string; readonly request?: object }) => void) {
  const { postMessage } = MessagePort.prototype;
  const spy = vi.spyOn(MessagePort.prototype, 'postMessage');
  spy.mockImplementation(function (this: MessagePort, message: unknown, ...rest: unknown[]) {
    Reflect.apply(postMessage, this, [message, ...rest]);
    listen(Object(message));
  });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

const isPart = (message: { readonly request?: object }) => 'part' in Object(message.request);

/** Searches until two workers are up, and one of them does parts of the other one's call. */
async function untilShared(): Promise<void> {
  let isShared = false;
  using _ = onSent(({ type }) => void (isShared ||= type === 'part-reply'));
  while (!isShared) {
    // Two calls at once bring the second worker up. It is free for parts of one that then runs alone.
    await Promise.all([outputOf(count()), outputOf(count())]);
    await outputOf(count());
  }
}

it('finds the same together as alone, in order', async () => {
  await untilShared();
  const { content, numLines, totalLines, filenames } = await outputOf(
    // Without the two files that another test writes.
    start({ output_mode: 'content', head_limit: 0, glob: 'file-[1-7]*.txt' }),
  );
  const lines = filenames.flatMap((name) =>
    Array.from({ length: needles }, (__, at) => `${name}:${at * 201 + 1}:needle`),
  );
  expect(filenames).toEqual(filenames.toSorted());
  expect([numLines, totalLines]).toEqual([fileCount * needles, fileCount * needles]);
  expect(content).toBe(lines.join('\n'));
});

it('sees one state of the files, whatever is written meanwhile', async () => {
  await untilShared();
  for (let round = 1; round <= 5; round += 1) {
    const counting = outputOf(count());
    // The first file and the last one, in one commit.
    await host.importFiles(
      ['file-00.txt', 'file-99.txt'].map((path) => ({
        path,
        bytes: new TextEncoder().encode('needle\n'.repeat(round)),
      })),
    );
    const { numMatches = 0 } = await counting;
    const written = [round - 1, round].map((each) => fileCount * needles + 2 * each);
    expect(written).toContain(numMatches);
  }
  const { numMatches } = await outputOf(count());
  expect(numMatches).toBe(fileCount * needles + 10);
});

it('stops in both workers when it is interrupted, and they live on', async () => {
  await untilShared();
  const before = [...booted];
  const sent: unknown[] = [];
  {
    let work = count();
    using _ = onSent((message) => {
      sent.push(message.type);
      if (isPart(message)) work.interrupt('enough');
    });
    // Where the other worker was busy still, or the whole was found already, once more.
    let reply = await work.reply;
    while (reply.type === 'done') reply = await (work = count()).reply;
    expect(reply).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
  }
  expect(sent.filter((type) => type === 'interrupt').length).toBeGreaterThan(1);
  await untilShared();
  expect(before).toHaveLength(2);
  expect(booted).toEqual(before);
});

it.each([1, 2])('finds the same where worker %i of two ends in the midst of it', async (which) => {
  await untilShared();
  const expected = await outputOf(count());
  expect(booted).toHaveLength(2);
  let isEnded = false;
  using _ = onSent((message) => {
    if (!isPart(message) || isEnded) return;
    isEnded = true;
    // Both are up: one has a part of the other one's call.
    booted[which - 1]?.terminate();
  });
  while (!isEnded) expect(await outputOf(count())).toEqual(expected);
  expect(await outputOf(count())).toEqual(expected);
});
