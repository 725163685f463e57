// The engine cut in two (scripts/engine): the same cells come to the same, whenever the second part
// comes, and where it doesn't come the cell says so and the session lives.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { readMinifiedBoot } from '../../../scripts/engine/compile-boot.ts';
import {
  decodeFunctions,
  makeEngineParts,
  readWholeEngine,
} from '../../../scripts/engine/engine-files.ts';
import { firstFunctions } from '../../../scripts/engine/first-functions.ts';
import { splitEngine } from '../../../scripts/engine/split-engine.ts';
import { findFunctionNames } from '../../../scripts/engine/wasm-code.ts';
import { readEngine } from '../../../scripts/engine/wasm-module.ts';
import { minifyGuest } from '../../../scripts/minify-guest.ts';
import type { WasmRest } from '../../../src/core/handler.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { Engine, VmOptions } from '../../../src/repl/engine.ts';
import { findCompiledBoot } from '../../../src/repl/engines/compiled-boot.ts';
import { createQuickjsEngine, isFirstPart } from '../../../src/repl/engines/quickjs.ts';
import { bootCode } from '../../../src/repl/world/world.ts';
import { describeCells } from '../../contract/repl-cells.contract.ts';
import { openRepl } from '../../support/repl.ts';

let core: WebAssembly.Module;
let rest: WebAssembly.Module;
let whole: Engine;
/** Of how many VMs the second part was asked for, since the test began. */
let loads = 0;

beforeAll(async () => {
  const parts = await makeEngineParts(bootCode());
  core = await WebAssembly.compile(parts.core);
  rest = await WebAssembly.compile(parts.rest);
  whole = await createQuickjsEngine(await loadQuickjsWasm());
});

const openParts = (loadNow: WasmRest['loadNow'] = () => rest, first = core) => {
  loads = 0;
  return createQuickjsEngine(first, {
    load: async () => rest,
    loadNow: (timeoutMs) => {
      loads += 1;
      return loadNow(timeoutMs);
    },
  });
};

// What few cells use; if one of these is in the first part one day, so be it for another.
const rareCell = `'e\\u0301'.normalize('NFC').length`;

describeCells('QuickJS in two parts', (files) => {
  let time = 1_700_000_000_000;
  return openRepl(files, {
    loadEngine: () => openParts(),
    now: () => time,
    sleep: async (milliseconds) => void (time += milliseconds),
  });
});

describe('an engine in two parts', () => {
  it('loads its second part once a VM, and not for a simple cell', async () => {
    const boot = await readMinifiedBoot();
    const parts = await makeEngineParts(boot);
    const minified = await WebAssembly.compile(parts.core);
    const loadEngine = async () => {
      const engine = await openParts(undefined, minified);
      return { ...engine, create: (options: VmOptions) => engine.create(options, boot) };
    };
    const { value, successor } = await openRepl({}, { loadEngine });
    expect(await value('const rows = [1, 2].map((n) => ({ n })); rows')).toBe(
      '[ { n: 1 }, { n: 2 } ]',
    );
    expect(
      await value(`try { null.x } catch (error) { [error.stack.split('\\n')[0], "it's\\n"] }`),
    ).toBe(`[ "TypeError: cannot read property 'x' of null", "it's\\n" ]`);
    expect(loads).toBe(0);
    expect([await value(rareCell), await value(rareCell), loads]).toEqual(['1', '1', 1]);
    expect(await successor().value('6 * 7')).toBe('42');
    expect(loads).toBe(0);
  });

  it.each([
    ['whole', 'in two parts', () => Promise.resolve(whole), () => openParts()],
    ['in two parts', 'whole', () => openParts(), () => Promise.resolve(whole)],
  ])('saved %s is taken up %s', async (_from, _to, loadFirst, loadSecond) => {
    let loadEngine = loadFirst;
    const repl = await openRepl({}, { loadEngine: () => loadEngine() });
    await repl.value(`const big = 2n ** 70n; const shout = (text) => text.normalize('NFC'); 1`);
    loadEngine = loadSecond;
    const { value } = repl.successor();
    const saved = repl.savedState();
    const { display } = await repl.successor().run('`${big} ${shout("e\\u0301").length}`', {
      savedState: saved,
    });
    expect(display).toBe("'1180591620717411303424 1'");
    expect(await value('typeof big')).toBe("'undefined'");
  });

  it('tells the cell that needs a second part which cannot be loaded, and keeps the session', async () => {
    let isAway = true;
    const engine = await openParts(() => {
      if (isAway) throw new SdkError('unsupported-environment', 'The network is away.');
      return rest;
    });
    const { run, value } = await openRepl({}, { loadEngine: async () => engine });
    await value('let kept = 1');
    const { error, rolledBack } = await run(`kept = 2; try { ${rareCell} } catch {} kept`);
    expect([error?.message, rolledBack]).toEqual([
      'The sandbox broke down while it ran the cell: The network is away.',
      true,
    ]);
    expect(await value('kept')).toBe('1');
    isAway = false;
    expect(await value(rareCell)).toBe('1');
  });

  it('gives its second part half of the time that a cell has left, and 30 s at most', async () => {
    const given: number[] = [];
    const engine = await openParts((timeoutMs) => {
      given.push(timeoutMs);
      return rest;
    });
    const { run } = await openRepl({}, { loadEngine: async () => engine, now: () => 0 });
    await run(rareCell, { timeoutMs: 8000 });
    await run('throw 1');
    await run(rareCell, { timeoutMs: 120_000 });
    expect(given).toEqual([4000, 30_000]);
  });

  it('runs no second part of another cut, which a cache may have kept', async () => {
    const wasm = readWholeEngine();
    const { exports, imports, bodies, table } = readEngine(wasm);
    const names = new Set(exports.map(({ name }) => name));
    const first = decodeFunctions(firstFunctions);
    const all = bodies.map((_body, at) => at + imports.length);
    const calledBy = (callers: readonly number[]) =>
      new Set(
        callers.flatMap((index) =>
          findFunctionNames(bodies[index - imports.length] ?? new Uint8Array(1)).map(
            (name) => name.index,
          ),
        ),
      );
    const calledByFirst = calledBy(all.filter((index) => first.has(index)));
    const rare = all.filter((index) => !first.has(index));
    const calledByRare = calledBy(rare);
    // Where this one is in the core too, all else fits: but the rare ones behind it move in the table.
    const moved = rare.find(
      (index) => calledByFirst.has(index) && !calledByRare.has(index) && !table.includes(index),
    );
    expect(moved).toBeDefined();
    const own = splitEngine(wasm, first, names);
    const others = splitEngine(wasm, new Set([...first, Number(moved)]), names);
    const othersRest = await WebAssembly.compile(others.rest);
    const engine = await openParts(() => othersRest, await WebAssembly.compile(own.core));
    const { run } = await openRepl({}, { loadEngine: async () => engine });
    const { error, rolledBack } = await run(rareCell);
    expect([error?.message, rolledBack]).toEqual([
      'The sandbox broke down while it ran the cell: ' +
        "The two parts of the Repl's engine are not of one version. Serve quickjs-core.wasm and " +
        'quickjs-rest.wasm of the same build, not from an old cache, and reload the page.',
      true,
    ]);
  });

  it('brings what its VMs boot compiled, and runs no other source than was compiled', async () => {
    const { source, filename } = bootCode();
    expect(findCompiledBoot(core, source)?.length).toBeGreaterThan(10_000);
    expect(findCompiledBoot(core, `${source} `)).toBeUndefined();
    expect(findCompiledBoot(await loadQuickjsWasm(), source)).toBeUndefined();
    const engine = await openParts();
    const options = { memoryBytes: 2 ** 24, stackBytes: 2 ** 18, hostFunctions: {} };
    const never = {
      now: () => 0,
      shouldInterrupt: () => false,
      endsAtCall: () => false,
      timeLeftMs: () => Infinity,
    };
    const own = { source: '(() => ({ answer: () => 42 }))', filename };
    using vm = await engine.create({ ...options, ...never }, own);
    expect(vm.call('answer')).toBe(42);
  });

  it('brings the source that a minified worker boots', async () => {
    const entry = fileURLToPath(new URL('../../../src/repl/world/world.ts', import.meta.url));
    const result = await build({
      configFile: false,
      logLevel: 'error',
      plugins: [minifyGuest()],
      build: {
        write: false,
        lib: { entry, formats: ['es'] },
        rolldownOptions: { output: { minify: true } },
      },
    });
    const [output] = Array.isArray(result) ? result : [];
    const code = output?.output[0].code ?? '';
    const { bootCode: bootMinified } = await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    );
    expect(bootMinified()).toEqual(await readMinifiedBoot());
  });

  it('refuses a first part without a second', async () => {
    expect([isFirstPart(core), isFirstPart(await loadQuickjsWasm())]).toEqual([true, false]);
    await expect(createQuickjsEngine(core)).rejects.toMatchObject({ code: 'bad-usage' });
  });
});
