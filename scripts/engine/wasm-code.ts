/** Walks through a function's code, as far as finding the functions that it names needs. */
import { ByteReader, concat, number } from './wasm-bytes.ts';

const opcodes = {
  block: 0x02,
  if: 0x04,
  branch: 0x0c,
  branchIf: 0x0d,
  branchTable: 0x0e,
  call: 0x10,
  callIndirect: 0x11,
  returnCall: 0x12,
  returnCallIndirect: 0x13,
  selectTyped: 0x1c,
  localGet: 0x20,
  tableSet: 0x26,
  firstLoad: 0x28,
  lastStore: 0x3e,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  refNull: 0xd0,
  refFunc: 0xd2,
  prefixed: 0xfc,
} as const;

// By the number after the prefix, how many numbers follow: none for conversions (0 to 7), two for
// memory.copy, one for memory.fill. The others name segments, which only one module has, or tables.
const prefixedOperands = new Map([
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((conversion) => [conversion, 0] as const),
  [10, 2],
  [11, 1],
]);

/** Those that say no more than themselves: arithmetic, drop, return and so on. */
function isPlain(opcode: number): boolean {
  return (
    opcode <= 0x01 ||
    opcode === 0x05 ||
    opcode === 0x0b ||
    opcode === 0x0f ||
    opcode === 0x1a ||
    opcode === 0x1b ||
    (opcode >= 0x45 && opcode <= 0xc4) ||
    opcode === 0xd1
  );
}

/** Where the code names a function. */
export interface FunctionName {
  readonly start: number;
  readonly end: number;
  readonly index: number;
}

/**
 * All functions that a body names, in order.
 *
 * @throws Error for instructions that the engine doesn't have today (vectors, threads, exceptions)
 */
export function findFunctionNames(body: Uint8Array): FunctionName[] {
  const reader = new ByteReader(body, codeStart(body));
  const names: FunctionName[] = [];
  const skip = (count: number) => {
    for (let skipped = 0; skipped < count; skipped += 1) reader.skipNumber();
  };
  while (!reader.isAtEnd) {
    const opcode = reader.byte();
    if (isPlain(opcode)) continue;
    if (opcode === opcodes.call || opcode === opcodes.returnCall || opcode === opcodes.refFunc) {
      const start = reader.at;
      const index = reader.number();
      names.push({ start, end: reader.at, index });
    } else if (opcode >= opcodes.block && opcode <= opcodes.if) skip(1);
    else if (opcode === opcodes.branch || opcode === opcodes.branchIf) skip(1);
    else if (opcode === opcodes.branchTable) skip(reader.number() + 1);
    else if (opcode === opcodes.callIndirect || opcode === opcodes.returnCallIndirect) skip(2);
    else if (opcode === opcodes.selectTyped) skip(reader.number());
    else if (opcode >= opcodes.localGet && opcode <= opcodes.tableSet) skip(1);
    else if (opcode >= opcodes.firstLoad && opcode <= opcodes.lastStore) skip(2);
    else if (opcode === opcodes.memorySize || opcode === opcodes.memoryGrow) skip(1);
    else if (opcode === opcodes.i32Const || opcode === opcodes.i64Const) skip(1);
    else if (opcode === opcodes.f32Const) reader.take(4);
    else if (opcode === opcodes.f64Const) reader.take(8);
    else if (opcode === opcodes.refNull) skip(1);
    else if (opcode === opcodes.prefixed) {
      const operands = prefixedOperands.get(reader.number());
      if (operands === undefined) throw unknownCode(opcode);
      skip(operands);
    } else throw unknownCode(opcode);
  }
  return names;
}

/** The same code with other numbers for the functions that it names. */
export function renumber(body: Uint8Array, toIndex: (index: number) => number): Uint8Array {
  const parts: Uint8Array[] = [];
  let copied = 0;
  for (const { start, end, index } of findFunctionNames(body)) {
    parts.push(body.subarray(copied, start), number(toIndex(index)));
    copied = end;
  }
  return concat([...parts, body.subarray(copied)]);
}

/** Behind the declarations of its locals. */
export function codeStart(body: Uint8Array): number {
  const reader = new ByteReader(body);
  reader.list(() => {
    reader.skipNumber();
    reader.byte();
  });
  return reader.at;
}

function unknownCode(opcode: number): Error {
  return new Error(`Instruction 0x${opcode.toString(16)} is not known to scripts/engine.`);
}
