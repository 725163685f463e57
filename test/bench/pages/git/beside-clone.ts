// What a page and its calls feel of a clone that runs beside them, by a whole browser host.
// The bench measures how late answers of Read and Grep come, and for how long the page can do
// nothing.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { defaultWorkLimits } from '../../../../src/agent/session/session.ts';
import type { BrowserHost } from '../../../../src/hosts/browser/page/create-browser-host.ts';
import { createBrowserHost } from '../../../../src/hosts/browser/page/create-browser-host.ts';
import { startHeartbeat } from '../../../support/browser/heartbeat.ts';

/** In milliseconds. */
export interface BesideFigures {
  /** Each answer's time beyond the median of those without a clone. */
  readonly delays: readonly number[];
  /** The longest time between two beats of the page. */
  readonly blockedMs: number;
  /** The same before the clone: what the machine itself does to it. */
  readonly idleBlockedMs: number;
}

const fileCount = 300;
const baseRounds = 40;

export async function measureBeside(path: string, files: number): Promise<BesideFigures> {
  const host = await createBrowserHost({
    workspace: `beside-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl },
  });
  try {
    const text = 'const needle = 1;\n'.repeat(60);
    const bytes = new TextEncoder().encode(text);
    await host.importFiles(
      Array.from({ length: fileCount }, (_, at) => ({ path: `own/file-${at}.ts`, bytes })),
    );
    // Not counted: workers start, code is loaded, git's too.
    await ask(host, 0);
    await host.git.init();
    const base = startHeartbeat();
    const own: number[][] = [];
    for (let round = 0; round < baseRounds; round += 1) own.push(await ask(host, round));
    const idleBlockedMs = base.stop();
    const usual = [0, 1].map((tool) => median(own.map((round) => round[tool] ?? 0)));

    let isOver = false;
    const beat = startHeartbeat();
    const url = new URL(path, location.href).href;
    const clone = host.git.clone(url, { directory: 'clone' }).finally(() => void (isOver = true));
    const delays: number[] = [];
    for (let round = 0; !isOver; round += 1) {
      const times = await ask(host, round);
      delays.push(...times.map((ms, tool) => Math.max(0, ms - (usual[tool] ?? 0))));
    }
    const cloned = await clone;
    const blockedMs = beat.stop();
    if (cloned.files < files) throw new Error(`The clone has ${cloned.files} files of ${files}.`);
    return { delays, blockedMs, idleBlockedMs };
  } finally {
    await host.destroy();
  }
}

let calls = 0;

/** A Read and a Grep, one after the other: how long each took. */
async function ask({ executor, workspace, cwd }: BrowserHost, round: number): Promise<number[]> {
  const file = `${cwd}/own/file-${round % fileCount}.ts`;
  const asked = [
    { toolName: 'Read', input: { file_path: file } },
    { toolName: 'Grep', input: { pattern: 'needle', path: `${cwd}/own`, head_limit: 20 } },
  ];
  const times: number[] = [];
  for (const { toolName, input } of asked) {
    const startedAt = performance.now();
    const { reply } = executor.start(
      {
        callId: `call-${(calls += 1)}`,
        toolName,
        input,
        sessionId: 'bench',
        address: { root: 'main', minSeq: workspace.seq() },
        access: { cwd, roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
        cwd,
        limits: { ...defaultWorkLimits, timeoutMs: 60_000 },
        knownVersions: [],
        isStateless: true,
      },
      () => {},
    );
    const answer = await reply;
    if (answer.type !== 'done') throw new Error(`${toolName}: ${JSON.stringify(answer)}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
