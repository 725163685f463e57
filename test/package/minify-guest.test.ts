/** What the guest's world is in a build: smaller, and the same to what runs in it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { build } from 'vite';
import { minifyExpression, minifyGuest } from '../../scripts/minify-guest.ts';
import type { createQuickjsEngine } from '../../src/repl/vm/quickjs.ts';
import type { createReplSession } from '../../src/repl/session/session.ts';
import { createMemoryWorkspace } from '../../src/workspace/memory-workspace.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

interface Built {
  readonly createReplSession: typeof createReplSession;
  readonly createQuickjsEngine: typeof createQuickjsEngine;
}

/** The session as a worker's file holds it, with the guest's world minified or not. */
async function buildSession(isMinified: boolean): Promise<{ module: Built; bytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'minify-guest-'));
  try {
    const entry = join(folder, 'entry.ts');
    const from = (path: string) => JSON.stringify(join(root, 'src/repl', path));
    writeFileSync(
      entry,
      `export { createReplSession } from ${from('session/session.ts')};
       export { createQuickjsEngine } from ${from('vm/quickjs.ts')};`,
    );
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: isMinified ? [minifyGuest()] : [],
      resolve: { conditions: ['rockpool-source', 'module', 'browser', 'production'] },
      build: {
        outDir: join(folder, 'out'),
        lib: { entry, formats: ['es'], fileName: () => 'entry.js' },
        rolldownOptions: { output: { codeSplitting: false, minify: true } },
      },
    });
    const file = join(folder, 'out/entry.js');
    const module = (await import(pathToFileURL(file).href)) as Built;
    return { module, bytes: readFileSync(file).length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runCells({ createQuickjsEngine, createReplSession }: Built): Promise<unknown[]> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  const wasm = new WebAssembly.Module(readFileSync(path));
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/work');
  const session = createReplSession({ loadEngine: () => createQuickjsEngine(wasm) });
  const results = [];
  for (const code of cells) {
    const view = await workspace.openView(
      { root: 'main', minSeq: workspace.seq() },
      { cwd: '/work', roots: ['/work'], readOnlyRoots: [], rules: [], write: 'allow' },
    );
    const result = await session.run({
      code,
      cwd: '/work',
      fs: view.fs.sync,
      contents: view.contents,
      fileChanges: () => view.fileChanges(),
      heldBytes: () => view.heldBytes(),
      rollback: () => view.rollback(),
    });
    results.push({ code, ...result });
  }
  session[Symbol.dispose]();
  return results;
}

// A few of each part of the world, and what shows names.
const cells = [
  'class Point { x = 1 } [new Point(), Point, function named() {}, () => 1, Buffer, URL, AbortSignal, EventTarget]',
  '[console.log, fs.readFileSync, path.join, structuredClone, fetch, setTimeout].map((value) => value.name)',
  'console.table([{ a: 1 }]); console.group("g"); console.error(new TypeError("bad")); console.trace("here")',
  'fs.writeFileSync("a.txt", "x"); const fd = fs.openSync("a.txt"); [fs.readFileSync(fd, "utf8"), fs.statSync("a.txt"), fs.readdirSync(".", { withFileTypes: true })].length',
  'null.x',
  'await fetch("https://example.com")',
  'fs.readFileSync("none")',
  'function deep() { throw new RangeError("deep") }\ndeep()',
  '[Buffer.from("hé").toString("base64"), new URL("../x?a=1#h", "https://ex.com/a/b/").href, crypto.randomUUID().length, process.version]',
  'const { createHash } = require("crypto"); createHash("sha256").update("abc").digest("hex")',
  'const { EventEmitter, once } = require("events"); const e = new EventEmitter(); setTimeout(() => e.emit("x", 1), 1); [await once(e, "x"), e]',
  'const util = require("util"); util.parseArgs({ args: ["-f"], options: { foo: { type: "boolean", short: "f" } } })',
  'describe("a", () => { it("passes", () => expect({ a: [1] }).toEqual({ a: [1] })); it("fails", () => expect(1).toBe(2)) })',
  'assert.deepStrictEqual({ a: 1 }, { a: 2 })',
  'process.exit(2)',
];

describe('minifyGuest', () => {
  it('makes the world smaller, and changes nothing that a cell can see', async () => {
    const [plain, minified] = [await buildSession(false), await buildSession(true)];
    expect(minified.bytes).toBeLessThan(plain.bytes - 50_000);
    expect(withoutTimes(await runCells(minified.module))).toEqual(
      withoutTimes(await runCells(plain.module)),
    );
  });

  it.each(['(function () { return 1 })', '((a, b) => { const sum = a + b; return sum })'])(
    'keeps the value of %s',
    (source) => {
      const value = (text: string): unknown => runInThisContext(text) as unknown;
      const [before, after] = [value(source), value(minifyExpression(source, 'test.ts'))];
      expect((after as (a: number, b: number) => number)(1, 2)).toBe(
        (before as (a: number, b: number) => number)(1, 2),
      );
    },
  );

  it('names the file whose source is broken', () => {
    expect(() => minifyExpression('(function () {', 'broken.ts')).toThrow(/^broken\.ts: /u);
  });
});

/** How long tests took, and when files were written. */
function withoutTimes(results: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(results).replace(/\b\d+(?:\.\d+)?(?: ?ms|m?s\b)/gu, 'a while'));
}
