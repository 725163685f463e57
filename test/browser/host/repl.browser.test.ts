// A cell in the built-in tool worker: cut by its own deadline, killed where nothing else helps, and
// what was before it is still there. (That the page stays responsive: test/e2e/tab/responsive.)
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import type { WorkReply, WorkRequest } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { ReplOutput } from '../../../src/tools/repl/schema.ts';

let host: BrowserHost;

const openHost = (wasm: string) =>
  createBrowserHost({
    workspace: `repl-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm },
  });

beforeAll(async () => {
  host = await openHost(wasmUrl);
  await host.workspace.fs.writeFile('/workspace/a.txt', 'as before');
});

afterAll(async () => {
  await host.destroy();
});

function startCell(
  code: string,
  timeout = 1000,
  { workspace, cwd, executor } = host,
  changes: Partial<WorkRequest> = {},
) {
  const request: WorkRequest = {
    callId: crypto.randomUUID(),
    toolName: 'Repl',
    input: { code, timeout },
    sessionId: 'session-1',
    address: { root: 'main', minSeq: workspace.seq() },
    access: {
      cwd: '/workspace',
      roots: ['/workspace'],
      readOnlyRoots: [],
      rules: [],
      write: 'allow',
    },
    cwd,
    limits: { timeoutMs: 60_000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
    knownVersions: [],
    ...changes,
  };
  return executor.start(request, () => {});
}

function outputOf(reply: WorkReply): ReplOutput {
  if (reply.type !== 'done') throw new Error(`The cell was not done: ${JSON.stringify(reply)}`);
  return reply.output as ReplOutput;
}

const readBack = "const fs = require('fs'); [kept, fs.readFileSync('a.txt', 'utf8')].join()";

describe('a cell in the tool worker', () => {
  it('says where the engine was looked for and what to pass, where it is not there', async () => {
    const other = await openHost('/no-such-file.wasm');
    try {
      expect(await startCell('6 * 7', 1000, other).reply).toMatchObject({
        type: 'failed',
        error: { message: expect.stringMatching(/no-such-file\.wasm .*assets\.wasm\.$/u) },
      });
    } finally {
      await other.destroy();
    }
  });

  it('goes back to the variables before a cell whose changes were not kept', async () => {
    await startCell('let kept = 1').reply;
    const refused = startCell('kept = 2; var gone = 3; kept');
    expect(outputOf(await refused.reply).display).toBe('2');
    refused.discard();
    const after = outputOf(await startCell('[kept, typeof gone]').reply);
    expect(after.display).toBe("[ 1, 'undefined' ]");
  });

  it('leaves its variables to the next one', async () => {
    await startCell('let kept = 41').reply;
    expect(outputOf(await startCell('kept += 1').reply).display).toBe('42');
  });

  it('is cut when it spins, and what was before is there', async () => {
    await startCell('let kept = 42').reply;
    const spin = "kept = 0; require('fs').writeFileSync('a.txt', 'changed'); for (;;) {}";
    expect(await startCell(spin, 400).reply).toMatchObject({
      type: 'done',
      output: { timedOutAfterMs: 400, rolledBack: true, changes: [] },
      changeSet: null,
    });
    expect(outputOf(await startCell(readBack).reply).display).toContain('42,as before');
  });

  it('is ended with its worker where the engine cannot cut it, and what was before is there', async () => {
    await startCell('let kept = 42').reply;
    const work = startCell("kept = 0; new Array(1e9) + ''", 200);
    // Its own deadline has passed by then, and could not end it.
    await new Promise<void>((resolve) => host.clock.after(600, resolve));
    work.kill('It could not be cut.');
    expect(await work.reply).toEqual({ type: 'lost', message: 'It could not be cut.' });
    expect(outputOf(await startCell(readBack).reply).display).toContain('42,as before');
  });

  it('that stands alone runs beside one that spins, on a copy of the session', async () => {
    const sessionId = 'session-2';
    await startCell('let kept = 20', 30_000, host, { sessionId }).reply;
    const alone = { isStateless: true, sessionId } as const;
    const spinning = startCell('for (;;);', 60_000, host, alone);
    const beside = startCell('kept += 1; kept', 30_000, host, alone);
    expect(outputOf(await beside.reply).display).toBe('21');
    spinning.interrupt('The test is over.');
    spinning.kill('The test is over.');
    expect(await spinning.reply).toMatchObject({ type: 'lost' });
    expect(outputOf(await startCell('kept', 30_000, host, { sessionId }).reply).display).toBe('20');
  });
});
