// WebFetch in a tab: the page itself asks, its own origin is reached only by name, and what it may not read is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { runTools } from '../../../src/agent/run-tools.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `web-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
});

afterAll(() => host.destroy());

async function read(url: string, allowedTools: readonly string[]): Promise<string> {
  const input = { url, prompt: 'What is it?' };
  const call = { type: 'tool_use', id: 'call', name: 'WebFetch', input } as const;
  const [result] = await runTools([call], { host, allowedTools, persistSession: false });
  return result ? toResultText(result) : '';
}

const own = new URL('/package.json', location.href).href;

describe('WebFetch in a tab', () => {
  it('reads a page of its own host where a rule names that', async () => {
    expect(await read(own, [`WebFetch(domain:${location.host})`])).toMatch(
      /200 OK.*"name": "rockpool"/su,
    );
  });

  it('does not read it by a rule for all hosts', async () => {
    expect(await read(own, ['WebFetch'])).toContain(
      `WebFetch may not reach ${location.host}. It needs the permission WebFetch(domain:${location.host})`,
    );
  });

  it('says what is to be done where a server lets no page read it', async () => {
    const told = await read('http://127.0.0.1:9/', ['WebFetch(domain:127.0.0.1:9)']);
    expect(told).toMatch(/pages of other origins to read it \(CORS\).*web: \{ proxy \}/su);
  });
});
