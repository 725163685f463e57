/**
 * As much of WebAssembly's binary format as cutting a module in two needs: sections, lists of entries,
 * and the function numbers in code. https://webassembly.github.io/spec/core/binary/
 */

/** A section by its number, without its header. */
export interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

export const sectionIds = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
} as const;

/** What imports and exports can be. */
export const externalKinds = { function: 0, table: 1, memory: 2, global: 3 } as const;

const headerBytes = 8;

/** Reads what the file says, from front to back. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new RangeError('The wasm file ends in the middle of something.');
    this.at += 1;
    return value;
  }

  /** An unsigned LEB128 number. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Over a LEB128 number of either kind. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  text(): string {
    return new TextDecoder().decode(this.take(this.number()));
  }

  list<Entry>(read: () => Entry): Entry[] {
    return Array.from({ length: this.number() }, read);
  }
}

export function readSections(wasm: Uint8Array): Section[] {
  const reader = new ByteReader(wasm, headerBytes);
  const sections: Section[] = [];
  while (!reader.isAtEnd) {
    sections.push({ id: reader.byte(), content: reader.take(reader.number()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  return concat([
    // "\0asm", version 1.
    Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    ...sections.flatMap(({ id, content }) => [Uint8Array.of(id), sized(content)]),
  ]);
}

/** An unsigned LEB128 number. */
export function number(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** A signed LEB128 number, as constants in code are. */
export function signedNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest >= -64 && rest < 64) return Uint8Array.from([...bytes, rest & 0x7f]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** Its length, then itself. */
export function sized(content: Uint8Array): Uint8Array {
  return concat([number(content.length), content]);
}

export function text(value: string): Uint8Array {
  return sized(new TextEncoder().encode(value));
}

export function list(entries: readonly Uint8Array[]): Uint8Array {
  return concat([number(entries.length), ...entries]);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
