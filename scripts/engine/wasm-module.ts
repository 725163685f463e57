/** The engine's module, taken apart: what scripts/engine moves about, and the rest as it is. */
import {
  ByteReader,
  concat,
  externalKinds,
  list,
  number,
  readSections,
  sectionIds,
  text,
  type Section,
} from './wasm-bytes.ts';

export interface FunctionImport {
  readonly module: string;
  readonly name: string;
  readonly type: number;
}

/** How many values a type of functions takes and gives. */
export interface Signature {
  readonly parameters: number;
  readonly results: number;
}

export interface Export {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

/** Functions are numbered as in the file: imports first, then those with a body. */
export interface EngineModule {
  readonly sections: readonly Section[];
  readonly signatures: readonly Signature[];
  readonly imports: readonly FunctionImport[];
  /** The type of each function with a body. */
  readonly types: readonly number[];
  readonly bodies: readonly Uint8Array[];
  readonly exports: readonly Export[];
  /** The function table: by place, from 1. */
  readonly table: readonly number[];
}

/**
 * @throws Error where the module is built otherwise than today's engine: what isn't read here could
 *   name functions by their numbers
 */
export function readEngine(wasm: Uint8Array): EngineModule {
  const sections = readSections(wasm);
  const read = (id: number) => new ByteReader(findSection(sections, id));
  expect(!sections.some(({ id }) => id === sectionIds.start), 'no start function');
  expect(read(sectionIds.table).number() === 1, 'one table');
  expect(read(sectionIds.global).number() === 1, 'one global');

  const typeReader = read(sectionIds.type);
  const signatures = typeReader.list(() => {
    expect(typeReader.byte() === 0x60, 'types of functions only');
    const parameters = typeReader.list(() => typeReader.byte()).length;
    return { parameters, results: typeReader.list(() => typeReader.byte()).length };
  });
  const importReader = read(sectionIds.import);
  const imports = importReader.list(() => {
    const module = importReader.text();
    const name = importReader.text();
    expect(importReader.byte() === externalKinds.function, 'imports of functions only');
    return { module, name, type: importReader.number() };
  });
  const functionReader = read(sectionIds.function);
  const exportReader = read(sectionIds.export);
  const codeReader = read(sectionIds.code);
  return {
    sections,
    signatures,
    imports,
    types: functionReader.list(() => functionReader.number()),
    bodies: codeReader.list(() => codeReader.take(codeReader.number())),
    exports: exportReader.list(() => ({
      name: exportReader.text(),
      kind: exportReader.byte(),
      index: exportReader.number(),
    })),
    table: readTable(read(sectionIds.element)),
  };
}

function readTable(reader: ByteReader): number[] {
  expect(reader.number() === 1, 'one list of table entries');
  // Active, of table 0, from place 1 on: 0 is C's null pointer.
  expect(reader.number() === 0 && reader.byte() === i32Const, 'table entries of the first kind');
  expect(reader.number() === 1 && reader.byte() === end, 'table entries from place 1 on');
  return reader.list(() => reader.number());
}

export const i32Const = 0x41;
export const end = 0x0b;

export function findSection(sections: readonly Section[], id: number): Uint8Array {
  const section = sections.find((candidate) => candidate.id === id);
  if (!section) throw new Error(`The engine has no section ${id}.`);
  return section.content;
}

export function writeExports(exports: readonly Export[]): Uint8Array {
  return list(
    exports.map(({ name, kind, index }) =>
      concat([text(name), Uint8Array.of(kind), number(index)]),
    ),
  );
}

/** One more entry at the end of a section that is a list. */
export function appendToList(content: Uint8Array, entries: readonly Uint8Array[]): Uint8Array {
  const reader = new ByteReader(content);
  const count = reader.number();
  return concat([number(count + entries.length), content.subarray(reader.at), ...entries]);
}

function expect(condition: boolean, what: string): void {
  if (condition) return;
  throw new Error(`The engine isn't built as scripts/engine expects it: ${what}.`);
}
