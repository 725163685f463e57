// Bad cells in the tool worker: each is told what is wrong with it, and the session goes on.
import { afterAll, beforeAll, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { runCells } from '../../support/turns/run-cells.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `bad-input-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  const files = {
    'broken.js': 'export const a = 1;\nexport const b = ;',
    'one.cjs': `exports.early = true; exports.two = require('./two.cjs');`,
    'two.cjs': `exports.sawEarly = require('./one.cjs').early;`,
    'left.js': `import { right } from './right.js'; export const left = right;`,
    'right.js': `import { left } from './left.js'; export const right = left;`,
  };
  for (const [name, text] of Object.entries(files)) {
    await host.workspace.fs.writeFile(`/workspace/${name}`, text);
  }
});

afterAll(() => host.destroy());

const manyOutput = `const mb = 'x'.repeat(1e6 - 1); for (let i = 0; i < 100; i += 1) console.log(mb);`;

it.each<readonly [what: string, code: string, told: RegExp]>([
  [
    'a syntax error, with its line and a caret',
    'n = 2;\nconst x = ;',
    /^SyntaxError: .+\(2:11\)[^]*const x = ;\n.*\^/u,
  ],
  ['a module that is not there', `n = 2; await import('./none.js')`, /none\.js/u],
  ['a package that is not there', `n = 2; require('left-pad')`, /left-pad/u],
  ['a module with a syntax error', `n = 2; await import('./broken.js')`, /broken\.js:2/u],
  [
    'modules that import in circles',
    `n = 2; await import('./left.js')`,
    /Cannot access .left. before initialization\n.+left\.js:1/u,
  ],
  [
    'modules that require in circles, as Node has them',
    `if (require('./one.cjs').two.sawEarly !== true) throw 1; throw new Error('done')`,
    /Error: done/u,
  ],
  ['a promise that never settles', 'n = 2; await new Promise(() => {})', /nothing can settle/u],
  ['100 MB of output', `n = 2; ${manyOutput} throw new Error('said')`, /Error: said/u],
  ['100 MB in one text', `n = 2; console.log('x'.repeat(1e8))`, /OutOfMemoryError/u],
  ['a host call that throws', `n = 2; fs.readFileSync('none.txt')`, /ENOENT: .+none\.txt/u],
  [
    'a host call with an argument of no kind',
    'n = 2; fs.writeFileSync({}, 1)',
    /TypeError: The "data" argument/u,
  ],
])('tells of %s, and the session goes on', async (_what, code, told) => {
  const { results, outputs } = await runCells(host, ['var n = 1', code, 'n'], {
    permissionMode: 'acceptEdits',
  });
  expect(results[1]).toMatch(told);
  expect(results[1]?.length).toBeLessThan(200_000);
  expect(outputs[2]?.display).toBe('1');
});
