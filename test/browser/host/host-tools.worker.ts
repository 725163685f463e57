// A host's own tool worker for the tests: tools that misbehave in the ways that a worker can.
import * as z from 'zod';
import { serveTools, type WorkerToolEntry } from 'rockpool/serve-tools';
import type { WorkContext, SearchableFileSystem } from 'rockpool/serve-tools';
import { searchFiles, type FoundFile } from 'rockpool/workspace';

type Body = (
  input: Record<string, string>,
  context: WorkContext<SearchableFileSystem>,
) => Promise<unknown>;

const inputSchema = z.record(z.string(), z.string());

function entry(name: string, handler: Body): WorkerToolEntry {
  return { name, load: () => Promise.resolve({ inputSchema, handler }) };
}

let isWarm = false;
let loopsLeft = 0;

async function loopUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 0));
}

serveTools([
  {
    name: 'IsWarm',
    load: () =>
      Promise.resolve({
        inputSchema,
        warm: async () => {
          isWarm = true;
        },
        handler: async () => isWarm,
      }),
  },
  entry('Echo', (input) => Promise.resolve(input)),
  entry('WriteFile', async ({ path = '', text = '' }, { fs }) => {
    fs.sync.writeFileSync(path, text);
    return fs.sync.readFileSync(path, 'utf8');
  }),
  entry('ReadFile', ({ path = '' }, { fs }) => fs.readFile(path, 'utf8')),
  // How many slices of files had to be read for the index to know all, and where a pattern is then found.
  entry('Find', async ({ pattern = '' }, { fs, cwd, signal }) => {
    let slices = 0;
    const onProgress = () => void (slices += 1);
    await fs.search.prepare(cwd, { maxFileBytes: 1e6, signal, onProgress });
    const found: string[] = [];
    const onFile = ({ path }: FoundFile) => void found.push(path);
    await searchFiles(fs, { pattern, directory: cwd }, { signal, onFile });
    return { slices, found };
  }),
  entry('Detach', async ({ path = '' }, { fs }) => {
    const bytes = await fs.readFile(path);
    structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] });
    return bytes.length;
  }),
  entry('DetachState', async (_input, { savedState, saveState }) => {
    const before = savedState ? savedState[0] : null;
    const state = Uint8Array.of(5);
    saveState(state);
    structuredClone(state, { transfer: [state.buffer] });
    return before;
  }),
  entry('Post', async () => {
    for (const garbage of ['garbage', { type: 'reply', id: 1 }, { id: 1, type: 'GET' }, null]) {
      postMessage(garbage);
    }
    return 'posted';
  }),
  entry('Garbage', async () => {
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (this: MessagePort) {
      MessagePort.prototype.postMessage = postMessage;
      Reflect.apply(postMessage, this, [{ type: 'GET', path: ['constructor'], id: 1 }]);
    };
    return 'never seen';
  }),
  entry('Function', async () => () => {}),
  entry('ProgressFunction', async (_input, { progress }) => {
    progress(() => {});
    return 'never reached';
  }),
  entry('Never', () => new Promise(() => {})),
  entry('ListFiles', async (_input, { fs, cwd }) => (await fs.walk(cwd)).map((each) => each.path)),
  entry('Spin', () => {
    for (;;);
  }),
  // Co-operative: its innermost loop looks at the signal, and lets messages in.
  entry('Loop', async (_input, { signal, progress }) => {
    progress('begun');
    await loopUntil(signal);
    loopsLeft += 1;
    throw signal.reason;
  }),
  entry('LoopsLeft', () => Promise.resolve(loopsLeft)),
  entry('Crash', () => {
    setTimeout(() => {
      throw new Error('thrown outside of any call');
    });
    return new Promise(() => {});
  }),
  entry('SaveAndSpin', (_input, { saveState }) => {
    saveState(Uint8Array.of(99));
    for (;;);
  }),
  entry('SaveState', async ({ value = '0' }, { savedState, saveState }) => {
    if (value !== '0') saveState(Uint8Array.of(Number(value)));
    return savedState?.[0] ?? 0;
  }),
]);
