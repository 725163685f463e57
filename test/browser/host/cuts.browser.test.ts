// Calls that are cut by the whole agent in real workers: by their own engine, with their worker, or
// because they never began. What the session had before is there afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolsOfTests from './host-tools.worker.ts?worker&url';
import * as z from 'zod';
import { query } from '../../../src/agent/query.ts';
import type { Host } from '../../../src/agent/host.ts';
import { buildTool, type ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { SDKResultMessage } from '../../../src/core/messages/sdk-message.ts';
import { toResultText, type ToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { ScriptBlock } from '../../../src/model/script.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { converse } from '../../support/turns/background.ts';
import { runCells } from '../../support/turns/run-cells.ts';

let host: BrowserHost;
/** Its tool worker serves tools that misbehave. */
let badHost: BrowserHost;

beforeAll(async () => {
  const open = (toolWorker?: string) =>
    createBrowserHost({
      workspace: `cuts-${crypto.randomUUID()}`,
      driver: 'memory',
      assets: { wasm: wasmUrl, ...(toolWorker && { toolWorker }) },
    });
  host = await open();
  badHost = await open(toolsOfTests);
});

afterAll(async () => {
  await host.destroy();
  await badHost.destroy();
});

/** Calls back when the work of a call has been started, and when it says that its time begins. */
function watch(
  watched: Host,
  { onStart = () => {}, onBegin = () => {} }: { onStart?: () => void; onBegin?: () => void },
): Host {
  return {
    ...watched,
    executor: {
      start(request, onProgress, listeners = {}) {
        const onClockStart = () => {
          listeners.onClockStart?.();
          onBegin();
        };
        const work = watched.executor.start(request, onProgress, { ...listeners, onClockStart });
        onStart();
        return work;
      },
    },
  };
}

/** Calls of one message; their results as the model gets them. */
async function callTogether(
  caller: Host,
  calls: readonly ScriptBlock[],
  tools?: readonly Tool[],
): Promise<string[]> {
  const turns = [{ blocks: calls }, { blocks: [{ type: 'text', text: 'Done.' } as const] }];
  const options = {
    host: caller,
    model: createScriptedModel({ script: { turns } }),
    ...(tools && { tools }),
    permissionMode: 'bypassPermissions',
  } as const;
  const results: string[] = [];
  for await (const message of query({ prompt: 'Go.', options })) {
    if (message.type !== 'user') continue;
    results.push(toResultText(message.message.content[0] as ToolResultBlock));
  }
  return results;
}

const cell = (code: string, timeout: number): ScriptBlock => ({
  type: 'tool_use',
  name: 'Repl',
  input: { code, timeout },
});

const uncuttable = "kept = 0; fs.writeFileSync('a.txt', 'changed'); new Array(1e9) + ''";
const lookBack = "[kept, fs.readFileSync('a.txt', 'utf8')]";
const asBefore = "[ 41, 'before' ]";

describe('a cell', () => {
  it('is ended with its worker where its engine cannot cut it, and all that was before is there', async () => {
    const { results, outputs } = await runCells(
      host,
      [
        "var kept = 41; fs.writeFileSync('a.txt', 'before')",
        { code: uncuttable, timeout: 200 },
        lookBack,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(results[1]).toContain('Repl was stopped after 200 ms');
    expect(outputs[2]?.display).toBe(asBefore);
  });

  it('is ended so when the user stops it, too', async () => {
    let stop = () => {};
    const talk = converse(watch(host, { onBegin: () => stop() }));
    talk.say('Go.');
    const first = await talk.asked();
    const second = await talk.cell(first, "var kept = 41; fs.writeFileSync('a.txt', 'before')");
    stop = () => void talk.query.interrupt();
    second.call({ id: 'spins', name: 'Repl', input: { code: uncuttable, timeout: 600_000 } });
    await talk.seen((message): message is SDKResultMessage => message.type === 'result');
    expect(JSON.stringify(talk.messages)).toContain('stopped');
    stop = () => {};
    talk.say('Look.');
    const last = await talk.cell(await talk.asked(), lookBack);
    expect(talk.lastOutput().display).toBe(asBefore);
    last.say('Done.');
    await talk.end();
  });

  it('has its own time where it waits for others of the same message, which take all of theirs', async () => {
    // The last begins when twice its timeout has passed.
    const spin = cell('for (;;) {}', 1_000);
    // As it is but for this: a cell that fails would cut those beside it.
    const repl = (await host.loadTools()).find(({ name }) => name === 'Repl') as Tool;
    const alone = Object.create(repl, { cutsSiblings: { value: undefined } }) as Tool;
    const calls = [spin, spin, cell('6 * 7', 1_000)];
    const results = await callTogether(host, calls, [alone]);
    // Where the machine is so busy that its engine says so late, its worker is ended.
    const cut = expect.stringMatching(
      /TimeoutError: The cell was cut after 1000 ms\.|Repl was stopped after 1000 ms/u,
    );
    expect(results).toEqual([cut, cut, '=> 42']);
  });
});

describe('a call that keeps its own time', () => {
  const inputSchema = z.strictObject({});
  const toolOf = (name: string) =>
    buildTool({
      name,
      inputSchema,
      runsIn: 'worker',
      keepsOwnTime: true,
      description: () => Promise.resolve('A tool of the tests.'),
      prompt: () => Promise.resolve(''),
      isReadOnly: () => true,
      mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
        type: 'tool_result',
        tool_use_id: toolUseID,
        content: JSON.stringify(output),
      }),
    } satisfies ToolDef<typeof inputSchema, unknown>) as unknown as Tool;

  it('and never begins is ended with its worker, and the next call has another', async () => {
    const clock = createVirtualClock();
    const caller = watch(
      { ...badHost, clock },
      // The minute that it has to begin, and the grace after it.
      { onStart: () => queueMicrotask(() => (clock.advance(60_000), clock.advance(250))) },
    );
    const spin = { type: 'tool_use', name: 'Spin', input: {} } as const;
    expect(await callTogether(caller, [spin], [toolOf('Spin')])).toEqual([
      expect.stringContaining('Spin had not begun after 60000 ms, and was stopped'),
    ]);
    const echo = { type: 'tool_use', name: 'Echo', input: {} } as const;
    expect(await callTogether(badHost, [echo], [toolOf('Echo')])).toEqual(['{}']);
  });
});

describe('a worker that replaces another', () => {
  it('has loaded before what calls have used', async () => {
    const call = (toolName: string) =>
      badHost.executor.start(
        {
          callId: crypto.randomUUID(),
          toolName,
          input: {},
          sessionId: 'session-1',
          address: { root: 'main', minSeq: 0 },
          access: { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
          cwd: '/',
          limits: { timeoutMs: 5000, maxFileBytes: 1, maxOutputChars: 1, maxMemoryBytes: 1 },
          knownVersions: [],
        },
        () => {},
      );
    const isWarm = async () => {
      const reply = await call('IsWarm').reply;
      return reply.type === 'done' && reply.output;
    };
    const replaceWorker = () => call('Spin').kill('The test needs another worker.');
    const before = await isWarm();
    // The one that replaces the first may have been taken before it was told of the first call.
    for (let round = 0; round < 10 && !(await isWarm()); round += 1) replaceWorker();
    expect([before, await isWarm()]).toEqual([false, true]);
  });
});
