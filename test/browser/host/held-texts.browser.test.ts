// Decoded texts over a pool of real workers. Whatever searches run, one by one, in parts and at the
// same time, no text is held twice in the tab.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { startGrep } from '../../support/search/search-call.ts';
import toolWorker from './held-texts.worker.ts?worker&url';

// Together more than what a search must go through to be worth sharing.
const fileCount = 72;
const block = `needle\n${'a quiet line of text\n'.repeat(200)}`.repeat(128);

let host: BrowserHost;
/** The tool workers that haven't been ended. */
const live = new Set<Worker>();
const RealWorker = globalThis.Worker;
const channel = new BroadcastChannel('held-texts');

beforeAll(() => {
  globalThis.Worker = class extends RealWorker {
    constructor(...parameters: ConstructorParameters<typeof RealWorker>) {
      super(...parameters);
      if (String(parameters[0]).includes('held-texts')) live.add(this);
    }

    override terminate(): void {
      live.delete(this);
      super.terminate();
    }
  };
});

afterAll(() => {
  globalThis.Worker = RealWorker;
  channel.close();
});

beforeEach(async () => {
  host = await createBrowserHost({
    workspace: `held-texts-${crypto.randomUUID()}`,
    driver: 'memory',
    toolWorkers: 3,
    assets: { wasm: wasmUrl, toolWorker },
  });
  await host.importFiles(
    Array.from({ length: fileCount }, (_, at) => ({
      path: `file-${at + 10}.txt`,
      bytes: new TextEncoder().encode(`only in ${at + 10}\n${block}`),
    })),
  );
});

afterEach(() => host.destroy());

async function grep(input: object): Promise<void> {
  const reply = await startGrep(host, input).reply;
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
}

let questions = 0;

/**
 * What each worker holds now. One that is still loading hears only a later repetition of the question. Those that are
 * ended, or don't answer within 10 s, aren't in it.
 */
async function askAll(): Promise<readonly number[][]> {
  const question = (questions += 1);
  const answers = new Map<string, number[]>();
  return new Promise((resolve) => {
    const finish = () => {
      channel.removeEventListener('message', hear);
      clearTimeout(timer);
      clearInterval(repetition);
      resolve([...answers.values()]);
    };
    const hear = ({ data: { answered, worker, contents } }: MessageEvent) => {
      if (answered !== question) return;
      answers.set(worker, contents);
      if (answers.size === live.size) finish();
    };
    const timer = setTimeout(finish, 10_000);
    const ask = () => channel.postMessage({ question });
    const repetition = setInterval(ask, 100);
    channel.addEventListener('message', hear);
    ask();
  });
}

/** Once all have heard of each other. */
async function expectEachHeldOnce(): Promise<void> {
  await expect
    .poll(async () => {
      const held = await askAll();
      const contents = held.flat();
      const twice = contents.filter((content, at) => contents.indexOf(content) !== at);
      return { hasAllAnswered: held.length === live.size, isNone: contents.length === 0, twice };
    })
    .toEqual({ hasAllAnswered: true, isNone: false, twice: [] });
}

const countAll = () => grep({ pattern: 'needle', output_mode: 'count' });
const nameAll = () => grep({ pattern: 'needle' });

const steps = {
  'a page of lines': () => grep({ pattern: 'quiet', output_mode: 'content' }),
  'all names': nameAll,
  /** The first one has a second worker started, and then each holds the texts of its own parts. */
  'a count in parts': async () => {
    const holders = async () => (await askAll()).filter((held) => held.length > 0).length;
    do await countAll();
    while ((await holders()) < 2);
  },
  'searches at the same time': async () => {
    await Promise.all([nameAll(), countAll(), nameAll(), grep({ pattern: 'only in [1-3]' })]);
  },
  'the end of a worker': async () => {
    const [first] = live;
    first?.terminate();
    await nameAll();
  },
};

it.each<(keyof typeof steps)[]>([
  ['a page of lines', 'all names', 'a count in parts', 'a page of lines', 'a count in parts'],
  ['searches at the same time', 'a count in parts', 'all names', 'searches at the same time'],
  ['a count in parts', 'the end of a worker', 'all names', 'a count in parts'],
])('holds no text twice in a tab after %s, %s, %s, %s', async (...names) => {
  for (const name of names) {
    await steps[name]();
    await expectEachHeldOnce();
  }
});
