/**
 * The portable bundle in workerd from outside, with node compatibility switched off. The tests of
 * the workerd project can't show that, because their runner switches it on.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import type { Script } from '../../src/index.ts';
import type { IsolateAnswer, IsolateRequest } from '../support/edge/isolate-main.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';
let isolate: Miniflare;

beforeAll(async () => {
  const mains = ['isolate-main', 'isolate-calls'].map((name) => `test/support/edge/${name}.ts`);
  const chunks = await bundle(root, mains, (id) => id === wasm);
  const modules = chunks.map(({ fileName, code }) => ({
    type: 'ESModule' as const,
    path: fileName,
    contents: code.replaceAll(wasm, './quickjs.wasm'),
  }));
  const workerOf = (main: string) => ({
    name: main,
    modules: [
      // The main module comes first.
      ...modules.toSorted((a) => (a.path === `${main}.js` ? -1 : 1)),
      {
        type: 'CompiledWasm' as const,
        path: 'quickjs.wasm',
        contents: readFileSync(createRequire(import.meta.url).resolve(wasm)),
      },
    ],
    // From 2026-08-04 on node compatibility is a default; both flags are needed to be rid of it.
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['no_nodejs_compat', 'no_nodejs_compat_v2'],
  });
  isolate = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        { ...workerOf('isolate-main'), serviceBindings: { CALLS: 'isolate-calls' } },
        workerOf('isolate-calls'),
      ],
      cf: false,
    }),
  );
});

afterAll(() => isolate?.dispose());

async function ask(request: IsolateRequest): Promise<IsolateAnswer> {
  const response = await isolate.dispatchFetch('http://isolate/', {
    method: 'POST',
    body: JSON.stringify(request),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The isolate answered ${response.status}: ${text}`);
  return JSON.parse(text) as IsolateAnswer;
}

const script: Script = {
  turns: [
    {
      blocks: [
        { type: 'tool_use', id: 'find', name: 'Grep', input: { pattern: 'twice' } },
        { type: 'tool_use', id: 'read', name: 'Read', input: { file_path: 'twice.js' } },
      ],
    },
    {
      blocks: [
        {
          type: 'tool_use',
          name: 'Edit',
          input: { file_path: 'twice.js', old_string: 'n + 2', new_string: 'n * 2' },
        },
      ],
    },
    {
      blocks: [
        {
          type: 'tool_use',
          id: 'run',
          name: 'Repl',
          input: { code: "const { twice } = await import('./twice.js'); twice(21)" },
        },
      ],
    },
    { blocks: [{ type: 'text', text: 'In {{find:/\\w+\\.js/}}: twice(21) is {{run:/\\d+/}}.' }] },
  ],
};

describe('the portable bundle in an isolate without node compatibility', () => {
  it('searches and reads in another Worker, edits and runs code, in one turn', async () => {
    const { nodeGlobals, messages, isolates, files } = await ask({
      files: { '/workspace/twice.js': 'export const twice = (n) => n + 2;\n' },
      script,
    });

    expect(nodeGlobals).toEqual([]);
    expect(isolates).toEqual(['isolate 1', 'isolate 2']);
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      subtype: 'success',
      result: 'In twice.js: twice(21) is 42.',
    });
    expect(files).toEqual({ '/workspace/twice.js': 'export const twice = (n) => n * 2;\n' });
  });
});
