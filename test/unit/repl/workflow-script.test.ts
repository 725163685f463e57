// The script of a workflow in its sandbox: what it has, what it hasn't, and how an earlier run is followed.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import type { RecordedAgent } from '../../../src/core/agents/workflows.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { workflowBootCode } from '../../../src/repl/host/guest-world.ts';
import { createQuickjsEngine } from '../../../src/repl/vm/quickjs.ts';
import { readScript } from '../../../src/repl/workflow/read-script.ts';
import { runScript } from '../../../src/repl/workflow/run-script.ts';
import type { AgentAnswer } from '../../../src/repl/workflow/run-script.ts';

const meta = "export const meta = { name: 'test', description: 'A test' };\n";

interface Run {
  readonly result: unknown;
  /** Prompts that were asked for anew, in their order. */
  readonly asked: readonly string[];
  readonly replayed: readonly string[];
  readonly told: readonly string[];
  /** As a later run is given them. */
  readonly recorded: readonly RecordedAgent[];
}

interface Given {
  readonly args?: unknown;
  readonly recorded?: readonly RecordedAgent[];
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Echoes the prompt, unless said otherwise. */
  readonly answer?: (prompt: string) => AgentAnswer | Promise<AgentAnswer>;
}

async function run(body: string, given: Given = {}): Promise<Run> {
  const { answer = (prompt) => ({ ok: true, result: `did ${prompt}` }) } = given;
  const asked: string[] = [];
  const replayed: string[] = [];
  const told: string[] = [];
  const recorded: RecordedAgent[] = [];
  const engine = await createQuickjsEngine(await loadQuickjsWasm());
  const result = await runScript(readScript(meta + body).source, given.args, given.recorded ?? [], {
    engine,
    boot: workflowBootCode(),
    signal: given.signal ?? new AbortController().signal,
    timeoutMs: given.timeoutMs ?? 10_000,
    async ask(position, { prompt }, fingerprint) {
      asked.push(String(prompt));
      const end = await answer(String(prompt));
      if (end.ok) recorded.push({ position, fingerprint, result: end.result });
      return end;
    },
    onReplayed(agent, { prompt }) {
      replayed.push(String(prompt));
      recorded.push(agent);
    },
    tell: (kind, text) => void told.push(`${kind}: ${text}`),
  });
  return { result, asked, replayed, told, recorded };
}

describe('a script', () => {
  it('has its agents, phases, lines and arguments, and returns data', async () => {
    const { result, asked, told } = await run(
      `phase('Look');
      const [a, b] = await parallel([() => agent('one'), () => agent('two', { label: 'Second' })]);
      log(args.note);
      return { a, b, items: await pipeline([1, 2], (n) => n * 10, (n, item, at) => [n, item, at]) };`,
      { args: { note: 'half' } },
    );
    expect(result).toEqual({
      a: 'did one',
      b: 'did two',
      items: [
        [10, 1, 0],
        [20, 2, 1],
      ],
    });
    expect(asked).toEqual(['one', 'two']);
    expect(told).toEqual(['phase: Look', 'log: half']);
  });

  it('is given null for what fails beside others, and a line says why', async () => {
    const { result, told } = await run(
      "return parallel([() => agent('bad'), () => agent('good')]);",
      {
        answer: (prompt) =>
          prompt === 'bad' ? { ok: false, message: 'No such kind.' } : { ok: true, result: 1 },
      },
    );
    expect(result).toEqual([null, 1]);
    expect(told).toEqual(['log: parallel, number 1 failed: No such kind.']);
  });

  it('lets no item wait for another in a pipeline', async () => {
    const { promise: slow, resolve: release } = createDeferred();
    const { asked } = await run(
      "return pipeline(['slow', 'fast'], (item) => agent(item), (said, item) => agent('check ' + item));",
      {
        async answer(prompt) {
          if (prompt === 'slow') await slow;
          if (prompt === 'check fast') release();
          return { ok: true, result: prompt };
        },
      },
    );
    expect(asked).toEqual(['slow', 'fast', 'check fast', 'check slow']);
  });

  it.each([
    ['Date.now()', "Date.now() isn't there in a workflow"],
    ['new Date()', "The time of now isn't there in a workflow"],
    ['Date()', "The time of now isn't there in a workflow"],
    ['new (new Date(0).constructor)()', "The time of now isn't there in a workflow"],
    ['Math.random()', "Math.random() isn't there in a workflow"],
    ['performance.now()', 'performance is not defined'],
    ["fetch('https://example.com')", 'fetch is not defined'],
    ["require('fs')", 'require is not defined'],
    ["eval('1')", 'eval is not supported'],
    ["(() => {}).constructor('return 1')()", 'eval is not supported'],
    ["await agent('')", 'prompt must be a text'],
    ["await agent('a', { tools: [] })", 'agent() takes no option "tools"'],
    ["await parallel([agent('a')])", 'thunks[0] is no function'],
    ['await pipeline([1])', 'each stage must be a function'],
    ["throw new TypeError('mine')", 'The script threw TypeError: mine (line 2)'],
    ['await new Promise(() => {})', 'no agent runs'],
    ["for (let n = 0; n < 300; n += 1) agent('a')", 'call agent() 200 times'],
    ["for (let n = 0; n < 2000; n += 1) log('a')", 'tell 1000 lines'],
    ["return 'a'.repeat(2_000_000)", 'may return 1000000'],
    ["const all = []; for (;;) all.push('a'.repeat(1_000_000) + all.length)", '32 MB'],
  ])('is refused %s', async (code, sentence) => {
    await expect(run(code)).rejects.toThrow(sentence);
  });

  it('reads a date that is written down', async () => {
    expect((await run("return new Date('2026-01-02').getTime();")).result).toBe(1_767_312_000_000);
  });

  it('is cut where it computes too long, also behind agents that run', async () => {
    const endless = "agent('a'); for (;;) try { for (;;); } catch {}";
    await expect(run(endless, { timeoutMs: 50 })).rejects.toThrow('may compute for 0.05 s');
  });

  it('ends with its signal, also where it never comes to rest', async () => {
    const controller = new AbortController();
    const running = run("await agent('a'); await agent('b');", {
      signal: controller.signal,
      answer: () => {
        controller.abort();
        return new Promise(() => {});
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a resumed script', () => {
  const script = `const found = await pipeline(['a', 'b'], (item) => agent('find ' + item), (said) => agent('check ' + said));
    return [...found, await agent('sum up')];`;

  it('asks for nothing that had ended, in whichever order it did', async () => {
    const { promise: slow, resolve: release } = createDeferred();
    const first = await run(script, {
      async answer(prompt) {
        if (prompt === 'find a') await slow;
        if (prompt === 'check found b') release();
        return { ok: true, result: prompt.replace('find', 'found') };
      },
    });
    const again = await run(script, { recorded: first.recorded });
    expect(again.asked).toEqual([]);
    expect(again.result).toEqual(first.result);
    expect(again.recorded).toEqual(first.recorded);
  });

  it('asks for what had not ended', async () => {
    const first = await run(script);
    const again = await run(script, { recorded: first.recorded.slice(0, -1) });
    expect(again.asked).toEqual(['sum up']);
    expect(again.result).toEqual(first.result);
  });

  it('asks anew from the first call on that is another one', async () => {
    const first = await run(script);
    const again = await run(script.replace("'check '", "'weigh '"), { recorded: first.recorded });
    expect(again.replayed).toEqual(['find a', 'find b']);
    expect(again.asked).toEqual(['weigh did find a', 'weigh did find b', 'sum up']);
  });

  it('waits for nothing that a shorter script never asks for', async () => {
    const first = await run(script);
    const again = await run("return agent('something else');", { recorded: first.recorded });
    expect(again.asked).toEqual(['something else']);
  });
});

describe('readScript', () => {
  it('reads what a script says of itself, and runs nothing', () => {
    const text = `// Reviews.
export const meta = { name: 'review', description: \`Each file\`, phases: [{ title: 'Read' }] };
return 1;`;
    expect(readScript(text).meta).toEqual({
      name: 'review',
      description: 'Each file',
      phases: [{ title: 'Read' }],
    });
  });

  it.each([
    ['return 1;', 'line 1: a workflow begins with export const meta'],
    ['const meta = {};', 'line 1: a workflow begins with export const meta'],
    ["export const meta = { name: 'a' };", 'line 1: meta needs a name and a description'],
    ["export const meta = { name: 'a', description: b() };", 'nothing computed'],
    ["export const meta = { name: 'a', ...b };", 'nothing computed'],
    [`${meta}import fs from 'fs';`, 'line 2: a script imports and exports nothing'],
    [`${meta}const a: string = 'b';`, 'line 2: '],
    [`${meta}await (`, 'line 2: '],
  ])('refuses %s', (text, sentence) => {
    expect(() => readScript(text)).toThrow(sentence);
  });
});
