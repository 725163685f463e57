// The random cells of test/unit/agent/random-cells.node.test.ts over the real workers, some of which are
// ended under their cells.
import { afterAll, beforeAll, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { checkRandomCells, playMs } from '../../support/repl/play-cells.ts';

/** Two conversations. More by hand: `VITE_CELLS=2000`. */
const cellCount = Number(import.meta.env['VITE_CELLS'] ?? 50);

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `cells-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
});

afterAll(() => host.destroy());

it(
  'random cells leave what a naive model says: all of it or nothing',
  async () => {
    await checkRandomCells(cellCount, (play) => play(host));
  },
  playMs(cellCount) + 60_000,
);
