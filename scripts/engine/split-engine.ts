/**
 * Cuts the engine's wasm in two, so that a first cell needn't wait for all of it: the core is a whole
 * module, in which functions that few cells reach are a jump into the rest; and the rest is a module
 * over the core's memory and table. The first such jump asks the host for the rest, at once.
 *
 * Memory and the table's places are those of the uncut engine: a snapshot of either is one of the
 * other.
 */
import { createHash } from 'node:crypto';
import {
  concat,
  externalKinds,
  list,
  number,
  ByteReader,
  sectionIds,
  signedNumber,
  sized,
  text,
  writeSections,
  type Section,
} from './wasm-bytes.ts';
import { codeStart, findFunctionNames, renumber } from './wasm-code.ts';
import {
  appendToList,
  end,
  findSection,
  i32Const,
  readEngine,
  writeExports,
  type EngineModule,
  type Export,
} from './wasm-module.ts';

export interface SplitEngine {
  /** Imports `rockpool_load_rest`, which is asked to instantiate the rest over the core's exports. */
  readonly core: Uint8Array<ArrayBuffer>;
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** The binding lets a host add functions of this module, and of no other. */
const loadRestImport = { module: 'wasi_snapshot_preview1', name: 'rockpool_load_rest' };

/** What the rest imports all of its needs from: the core's exports. */
const coreModule = 'core';

const isLoadedIndex = 1;
const stackPointer = { name: '__stack_pointer', index: 0 };
const memoryName = 'memory';
const tableName = '__indirect_function_table';

const opcode = { unreachable: 0x00, if: 0x04, call: 0x10, callIndirect: 0x11, localGet: 0x20 };
const globalGet = 0x23;
const globalSet = 0x24;
const i32Eqz = 0x45;
const noResult = 0x40;
const i32 = 0x7f;
const functionReference = 0x70;

/**
 * `first` are the functions that stay in the core, by their numbers in the file. Of the others those
 * that neither `exportNames` nor the table lead to are in neither part.
 *
 * @throws Error where the engine is built otherwise than today's
 */
export function splitEngine(
  wasm: Uint8Array,
  first: ReadonlySet<number>,
  exportNames: ReadonlySet<string>,
): SplitEngine {
  const engine = readEngine(wasm);
  const kept = engine.exports.filter(({ name }) => exportNames.has(name));
  const reached = findReached(engine, kept);
  const rare = engine.bodies
    .map((_body, at) => at + engine.imports.length)
    .filter((index) => reached.has(index) && !first.has(index));
  const places = givePlaces(engine, rare);
  // What the rest calls in the core.
  const wanted = [...new Set(rare.flatMap((index) => namesIn(engine, index)))]
    .filter((index) => !places.has(index))
    .sort((one, other) => one - other);
  const isLoadedName = nameOfCut(wasm, rare);
  return {
    core: writeCore({ engine, kept, reached, places, wanted, isLoadedName }),
    rest: writeRest({ engine, rare, places, wanted, isLoadedName }),
  };
}

/**
 * What the core exports its global as, and the rest imports: so parts of two cuts don't link. Without
 * it some would, and jump to the wrong functions: a rare function's place depends on those before it.
 */
function nameOfCut(wasm: Uint8Array, rare: readonly number[]): string {
  const cut = createHash('sha256').update(wasm).update(rare.join()).digest('hex');
  return `rockpool_rest_is_loaded_${cut.slice(0, 16)}`;
}

function namesIn({ imports, bodies }: EngineModule, index: number): number[] {
  const body = bodies[index - imports.length];
  return body ? findFunctionNames(body).map((name) => name.index) : [];
}

/** All functions that exports and table lead to. */
function findReached(engine: EngineModule, kept: readonly Export[]): Set<number> {
  const roots = kept.filter(({ kind }) => kind === externalKinds.function);
  const reached = new Set([...engine.table, ...roots.map(({ index }) => index)]);
  // A set goes on to what is added on the way.
  for (const index of reached) for (const next of namesIn(engine, index)) reached.add(next);
  return reached;
}

/** Where in the table each rare function is: where it was, or behind all others. */
function givePlaces(engine: EngineModule, rare: readonly number[]): Map<number, number> {
  const old = new Map(engine.table.map((index, at) => [index, at + 1]));
  let free = tableSize(engine);
  return new Map(rare.map((index) => [index, old.get(index) ?? free++]));
}

function tableSize({ sections }: EngineModule): number {
  const reader = new ByteReader(findSection(sections, sectionIds.table));
  // One table, of functions, without a maximum.
  if (reader.number() === 1 && reader.byte() === functionReference && reader.byte() === 0) {
    return reader.number();
  }
  throw new Error('The engine has another kind of function table.');
}

interface CoreParts {
  readonly engine: EngineModule;
  readonly kept: readonly Export[];
  readonly reached: ReadonlySet<number>;
  readonly places: ReadonlyMap<number, number>;
  readonly wanted: readonly number[];
  readonly isLoadedName: string;
}

function writeCore({
  engine,
  kept,
  reached,
  places,
  wanted,
  isLoadedName,
}: CoreParts): Uint8Array<ArrayBuffer> {
  const { imports, bodies, types, sections, table } = engine;
  // One import more stands before all functions with a body.
  const toIndex = (index: number) => (index < imports.length ? index : index + 1);
  const code = bodies.map((body, at) => {
    const index = at + imports.length;
    const place = places.get(index);
    if (place !== undefined) return writeJump(engine, types[at] ?? 0, place);
    return reached.has(index) ? renumber(body, toIndex) : unreachableBody;
  });
  const exports = kept.map((one) =>
    one.kind === externalKinds.function ? { ...one, index: toIndex(one.index) } : one,
  );
  const { module, name } = loadRestImport;
  const loadRest = concat([text(module), text(name), functionOfType(findVoidType(engine))]);
  const size = Math.max(tableSize(engine), ...[...places.values()].map((place) => place + 1));
  return replaceSections(sections, {
    [sectionIds.import]: appendToList(findSection(sections, sectionIds.import), [loadRest]),
    [sectionIds.table]: list([concat([Uint8Array.of(functionReference, 0), number(size)])]),
    [sectionIds.global]: appendToList(findSection(sections, sectionIds.global), [
      Uint8Array.of(i32, 1, i32Const, 0, end),
    ]),
    [sectionIds.export]: writeExports([
      ...exports,
      { name: isLoadedName, kind: externalKinds.global, index: isLoadedIndex },
      ...wanted.map((index) => ({
        name: sharedName(index),
        kind: externalKinds.function,
        index: toIndex(index),
      })),
    ]),
    [sectionIds.element]: list([writeTableEntries(1, table.map(toIndex))]),
    [sectionIds.code]: list(code.map(sized)),
  });
}

const unreachableBody = Uint8Array.of(0, opcode.unreachable, end);

/** Under which the core exports a function for the rest. */
function sharedName(index: number): string {
  return index.toString(36);
}

/** The body of a rare function in the core: loads the rest if need be, and calls it by its place. */
function writeJump(engine: EngineModule, type: number, place: number): Uint8Array {
  const { parameters = 0 } = engine.signatures[type] ?? {};
  return concat([
    // No locals.
    number(0),
    ...[Uint8Array.of(globalGet), number(isLoadedIndex), Uint8Array.of(i32Eqz)],
    ...[Uint8Array.of(opcode.if, noResult, opcode.call), number(engine.imports.length)],
    Uint8Array.of(end),
    ...Array.from({ length: parameters }, (_none, at) =>
      concat([Uint8Array.of(opcode.localGet), number(at)]),
    ),
    ...[Uint8Array.of(i32Const), signedNumber(place)],
    ...[Uint8Array.of(opcode.callIndirect), number(type), number(0), Uint8Array.of(end)],
  ]);
}

function findVoidType({ signatures }: EngineModule): number {
  const type = signatures.findIndex(({ parameters, results }) => parameters + results === 0);
  if (type < 0) throw new Error('The engine has no function without parameters and results.');
  return type;
}

interface RestParts {
  readonly engine: EngineModule;
  readonly rare: readonly number[];
  readonly places: ReadonlyMap<number, number>;
  readonly wanted: readonly number[];
  readonly isLoadedName: string;
}

function writeRest({
  engine,
  rare,
  places,
  wanted,
  isLoadedName,
}: RestParts): Uint8Array<ArrayBuffer> {
  const { imports, bodies, types, sections } = engine;
  const typeOf = (index: number) => imports[index]?.type ?? types[index - imports.length] ?? 0;
  const newIndex = new Map([...wanted, ...rare].map((index, at) => [index, at]));
  const toIndex = (index: number) => {
    const renumbered = newIndex.get(index);
    if (renumbered === undefined) throw new Error(`Function ${index} is in neither part.`);
    return renumbered;
  };
  const fromCore = (name: string, kind: Uint8Array) => concat([text(coreModule), text(name), kind]);
  const mutableI32 = Uint8Array.of(externalKinds.global, i32, 1);
  const start = wanted.length + rare.length;
  const code = rare.map((index) =>
    sized(renumber(bodies[index - imports.length] ?? unreachableBody, toIndex)),
  );
  return writeSections([
    { id: sectionIds.type, content: findSection(sections, sectionIds.type) },
    {
      id: sectionIds.import,
      content: list([
        ...wanted.map((index) => fromCore(sharedName(index), functionOfType(typeOf(index)))),
        // Of any size.
        fromCore(memoryName, Uint8Array.of(externalKinds.memory, 0, 0)),
        fromCore(tableName, Uint8Array.of(externalKinds.table, functionReference, 0, 0)),
        fromCore(stackPointer.name, mutableI32),
        fromCore(isLoadedName, mutableI32),
      ]),
    },
    {
      id: sectionIds.function,
      content: list([...rare.map(typeOf), findVoidType(engine)].map(number)),
    },
    { id: sectionIds.start, content: number(start) },
    {
      id: sectionIds.element,
      content: list(
        listRuns(rare, places).map(({ place, indexes }) =>
          writeTableEntries(place, indexes.map(toIndex)),
        ),
      ),
    },
    {
      id: sectionIds.code,
      content: list([...code, sized(Uint8Array.of(0, i32Const, 1, globalSet, isLoadedIndex, end))]),
    },
  ]);
}

/** Functions that follow one another in the table. */
function listRuns(
  rare: readonly number[],
  places: ReadonlyMap<number, number>,
): { place: number; indexes: number[] }[] {
  const placed = rare
    .map((index) => ({ index, place: places.get(index) ?? 0 }))
    .sort((one, other) => one.place - other.place);
  const runs: { place: number; indexes: number[] }[] = [];
  for (const { index, place } of placed) {
    const last = runs.at(-1);
    if (last && last.place + last.indexes.length === place) last.indexes.push(index);
    else runs.push({ place, indexes: [index] });
  }
  return runs;
}

function functionOfType(type: number): Uint8Array {
  return concat([Uint8Array.of(externalKinds.function), number(type)]);
}

/** Functions at `place` and the places behind it. */
function writeTableEntries(place: number, indexes: readonly number[]): Uint8Array {
  return concat([
    number(0),
    ...[Uint8Array.of(i32Const), signedNumber(place), Uint8Array.of(end)],
    list(indexes.map(number)),
  ]);
}

function replaceSections(
  sections: readonly Section[],
  contents: Readonly<Record<number, Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  return writeSections(
    sections.map(({ id, content }) => ({ id, content: contents[id] ?? content })),
  );
}

/**
 * The engine with a counter in each function: an exported global for each, by its number in the file,
 * which is no longer 0 once the function was called.
 */
export function countFunctions(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const engine = readEngine(wasm);
  const { sections, imports, bodies, exports } = engine;
  const firstGlobal = 1;
  return replaceSections(sections, {
    [sectionIds.global]: appendToList(
      findSection(sections, sectionIds.global),
      bodies.map(() => Uint8Array.of(i32, 1, i32Const, 0, end)),
    ),
    [sectionIds.export]: writeExports([
      ...exports,
      ...bodies.map((_body, at) => ({
        name: counterName(at + imports.length),
        kind: externalKinds.global,
        index: firstGlobal + at,
      })),
    ]),
    [sectionIds.code]: list(
      bodies.map((body, at) => {
        const code = codeStart(body);
        return sized(
          concat([
            body.subarray(0, code),
            ...[Uint8Array.of(i32Const, 1, globalSet), number(firstGlobal + at)],
            body.subarray(code),
          ]),
        );
      }),
    ),
  });
}

/** @see {@link countFunctions} */
export function counterName(index: number): string {
  return `count ${index}`;
}
