// The script of docs/workflows.md runs, and asks for what it says.
import { readFile } from 'node:fs/promises';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it } from 'vitest';
import { workflowBootCode } from '../../../src/repl/host/guest-world.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';
import { readScript } from '../../../src/repl/workflow/read-script.ts';
import { runScript } from '../../../src/repl/workflow/run-script.ts';

it('runs as the docs show it', async () => {
  const page = await readFile(new URL('../../../docs/workflows.md', import.meta.url), 'utf8');
  const script = /```js\n([^]*?)```/u.exec(page)?.[1] ?? '';
  const asked: string[] = [];
  const told: string[] = [];
  const { meta, source } = readScript(script);
  const result = await runScript(source, { files: ['a.ts', 'b.ts'] }, [], {
    engine: await createQuickjsEngine(await loadQuickjsWasm()),
    boot: workflowBootCode(),
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    ask(_position, { prompt, label, schema, agentType }) {
      asked.push(`${String(label ?? agentType ?? '')}: ${String(prompt)}`);
      return Promise.resolve({ ok: true, result: schema ? { bugs: ['one'] } : 'It stands.' });
    },
    onReplayed: () => undefined,
    tell: (kind, text) => void told.push(`${kind}: ${text}`),
  });
  expect(meta.name).toBe('review');
  expect(asked).toEqual([
    'a.ts: Review a.ts. Report each bug with its line.',
    'b.ts: Review b.ts. Report each bug with its line.',
    'Explore: Try to refute this, in a.ts: one',
    'Explore: Try to refute this, in b.ts: one',
    ': Sum up what stands of these reviews: [["It stands."],["It stands."]]',
  ]);
  expect(told).toEqual(['phase: Review', 'log: 2 findings were doubted.', 'phase: Sum up']);
  expect(result).toBe('It stands.');
});
