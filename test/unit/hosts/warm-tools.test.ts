import { describe, expect, it } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { warmTools } from '../../../src/hosts/run-handler.ts';
import { workers } from '../../../src/tools/workers.ts';

/** A realm that counts how often the engine was asked for. */
function countingRealm() {
  const realm = {
    loads: 0,
    loadWasm: () => {
      realm.loads += 1;
      return loadQuickjsWasm();
    },
    keep: <T>(_key: string, create: () => T) => create(),
    network: createServerFetch(() => Promise.reject(new Error('none'))),
    drop: () => {},
    [Symbol.dispose]: () => {},
  };
  return realm;
}

describe('warmTools', () => {
  it('loads the engine for the Repl, and only for it', async () => {
    const realm = countingRealm();
    await warmTools(['Read', 'Grep'], { entries: workers, realm });
    expect(realm.loads).toBe(0);
    await warmTools(['Read', 'Repl'], { entries: workers, realm });
    expect(realm.loads).toBeGreaterThan(0);
  });

  it('rejects for a tool that is not served', async () => {
    const ports = { entries: workers, realm: countingRealm() };
    await expect(warmTools(['Absent'], ports)).rejects.toMatchObject({ code: 'unknown-tool' });
  });
});
