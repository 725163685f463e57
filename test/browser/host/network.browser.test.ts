// A cell's fetch in a tab: the tool worker sends it, and the page's own origin is reached only by name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { runCells } from '../../support/turns/run-cells.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `network-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
});

afterAll(() => host.destroy());

/** A file that the page's server has. */
const url = new URL(wasmUrl, location.href).href;
const code = `const got = await fetch('${url}').then((response) => response.status, (error) => error.name); got`;

describe('a fetch in a tool worker', () => {
  it("reaches the page's own host where a rule names it", async () => {
    const { outputs, results } = await runCells(host, [code], {
      allowedTools: [`Repl(net:${location.host})`],
    });
    expect(outputs[0]?.display, results[0]).toBe('200');
  });

  it('does not reach it by a rule for all hosts', async () => {
    const { outputs, results } = await runCells(host, [code], {
      permissionMode: 'bypassPermissions',
      allowedTools: ['Repl(net:*)'],
    });
    expect(outputs[0]?.display, results[0]).toBe(`'PermissionDenied'`);
  });
});
