// A cell in the built-in tool worker: cut by its own deadline, killed where nothing else helps, and
// what was before it is still there. (That the page stays responsive: test/e2e/responsive.)
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'rockpool/quickjs-core.wasm?url';
import wasmRestUrl from 'rockpool/quickjs-rest.wasm?url';
import type { WorkReply, WorkRequest } from '../../src/core/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../src/hosts/browser/create-browser-host.ts';
import type { ReplOutput } from '../../src/tools/repl/schema.ts';

let host: BrowserHost;

const openHost = (wasmRest: string) =>
  createBrowserHost({
    workspace: `repl-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl, wasmRest },
  });

beforeAll(async () => {
  host = await openHost(wasmRestUrl);
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
    limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
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
  // In the second part of the engine, which no cell has waited for yet.
  const rareCell = "'e\\u0301'.normalize('NFC').length";

  it('has the rest of the engine at once where it comes to it', async () => {
    expect(outputOf(await startCell(rareCell).reply).display).toBe('1');
  });

  it.each([
    ['not there', '/no-such-file.wasm'],
    // As many servers answer what they don't have.
    ['a page', 'data:text/html,<!doctype html>'],
  ])('is told where the rest of the engine is %s, and the next one runs', async (_what, url) => {
    const other = await openHost(url);
    try {
      // Its time runs while the engine waits for the server, which a busy machine may keep for a second.
      const { error, rolledBack } = outputOf(await startCell(rareCell, 5000, other).reply);
      expect(error?.message).toMatch(/^The sandbox broke down while it ran the cell: .*wasmRest/u);
      expect(rolledBack).toBe(true);
      expect(outputOf(await startCell('6 * 7', 1000, other).reply).display).toBe('42');
    } finally {
      await other.destroy();
    }
  });

  it('is told in its own time where the rest of the engine never comes, and the next one runs', async () => {
    const other = await openHost('/never-answers');
    try {
      await startCell('let kept = 1', 1000, other).reply;
      const cell = `kept = 2; ${rareCell}`;
      const { error, rolledBack } = outputOf(await startCell(cell, 3000, other).reply);
      expect(error?.message).toMatch(/ did not come from .*\/never-answers within \d+ ms\./u);
      expect(rolledBack).toBe(true);
      expect(outputOf(await startCell('kept', 1000, other).reply).display).toBe('1');
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
    const spin = "kept = 0; require('fs').writeFileSync('a.txt', 'changed'); for (;;) {}";
    expect(await startCell(spin, 400).reply).toMatchObject({
      type: 'done',
      output: { timedOutAfterMs: 400, rolledBack: true, changes: [] },
      changeSet: null,
    });
    expect(outputOf(await startCell(readBack).reply).display).toContain('42,as before');
  });

  it('is ended with its worker where the engine cannot cut it, and what was before is there', async () => {
    const work = startCell("kept = 0; new Array(1e9) + ''", 200);
    // Its own deadline has passed by then, and could not end it.
    await new Promise<void>((resolve) => host.clock.after(600, resolve));
    work.kill('It could not be cut.');
    expect(await work.reply).toEqual({ type: 'lost', message: 'It could not be cut.' });
    expect(outputOf(await startCell(readBack).reply).display).toContain('42,as before');
  });

  it('that stands alone runs beside one that spins, on a copy of the session', async () => {
    const sessionId = 'session-2';
    await startCell('let kept = 20', 1000, host, { sessionId }).reply;
    const alone = { isStateless: true, sessionId } as const;
    const spinning = startCell('for (;;);', 60_000, host, alone);
    const beside = startCell('kept += 1; kept', 5000, host, alone);
    expect(outputOf(await beside.reply).display).toBe('21');
    spinning.interrupt('The test is over.');
    spinning.kill('The test is over.');
    expect(await spinning.reply).toMatchObject({ type: 'lost' });
    expect(outputOf(await startCell('kept', 1000, host, { sessionId }).reply).display).toBe('20');
  });
});
