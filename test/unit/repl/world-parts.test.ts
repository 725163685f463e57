import { describe, expect, it } from 'vitest';
import { mayNeedParts } from '../../../src/repl/world-parts.ts';
import { decodeSavedSession } from '../../../src/repl/saved-state.ts';
import { openRepl } from '../../support/repl.ts';

/** Comes to a part without a word that says so. */
const hidden = `(() => {}).constr\\u0075ctor('return typeof Buf' + 'fer.from')()`;

describe('the parts of the world', () => {
  it('are loaded before a cell that names a global which is made of one', async () => {
    const repl = await openRepl();
    const names = await repl.value(
      `Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(([, { get }]) => get).map(([name]) => name).join()`,
    );
    const lazyGlobals = (names ?? '').replaceAll("'", '').split(',');
    expect(lazyGlobals).toContain('Buffer');
    expect(lazyGlobals.filter((name) => !mayNeedParts(`${name}.x`))).toEqual([]);
  });

  it.each(['runTests()', 'require("node:util")', 'await import("events")', 'eval(text)'])(
    'are loaded before a cell with %s',
    (code) => expect(mayNeedParts(code)).toBe(true),
  );

  it.each(['6 * 7', 'const total = [1, 2].map((n) => n * 2); console.log(total)'])(
    'are not loaded for %s',
    (code) => expect(mayNeedParts(code)).toBe(false),
  );

  it('are not taken for missing where the cell hid that it needs one: it is told to run again', async () => {
    const repl = await openRepl();
    expect(mayNeedParts(hidden)).toBe(false);
    const first = await repl.run(hidden);
    expect([first.error?.message, first.rolledBack]).toEqual([
      "What this cell uses wasn't loaded when it began, since the cell doesn't name it: run the cell again.",
      true,
    ]);
    expect(await repl.value(hidden)).toBe("'function'");
  });

  it('are there for what a saved session holds, whether it had loaded them or not', async () => {
    for (const first of ['1', 'Buffer.from("a")']) {
      const repl = await openRepl();
      await repl.value(first);
      await repl.value('const later = () => Buffer.from("ok").toString()');
      const saved = repl.savedState();
      const plain = await openRepl();
      await plain.value('const n = 41');
      expect((await repl.successor().run('later()', { savedState: saved })).display).toBe("'ok'");
      const restored = await repl.successor().run(`n + 1; ${hidden}`, {
        savedState: plain.savedState(),
      });
      expect(restored.display).toBe("'function'");
    }
  });

  it('count for the version of a saved session once it may hold some', async () => {
    const worldOf = async (code: string) => {
      const repl = await openRepl();
      await repl.value(code);
      return decodeSavedSession(repl.savedState() ?? new Uint8Array())?.world;
    };
    const [plain, other, withParts] = [await worldOf('1'), await worldOf('2'), await worldOf('fs')];
    expect([plain === undefined, plain === other, plain === withParts]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
