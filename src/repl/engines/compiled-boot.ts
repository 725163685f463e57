// The guest's world as the engine's own bytecode, which scripts/engine puts into the engine's first
// part: reading it takes a tenth of what compiling the source does, which was half of a cold start.
import { hashText } from '../text-hash.ts';

/** The custom section that has it: four bytes with the hash of its source, then the bytecode. */
export const bootSection = 'rockpool.boot';

const hashBytes = 4;

/** The contents of {@link bootSection}. */
export function encodeCompiledBoot(source: string, bytecode: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(hashBytes + bytecode.length);
  new DataView(bytes.buffer).setUint32(0, hashText(source), true);
  bytes.set(bytecode, hashBytes);
  return bytes;
}

/** The bytecode of this very source; undefined where the engine has none, or another source's. */
export function findCompiledBoot(wasm: WebAssembly.Module, source: string): Uint8Array | undefined {
  const [section] = WebAssembly.Module.customSections(wasm, bootSection);
  if (!section || section.byteLength <= hashBytes) return undefined;
  const isSame = new DataView(section).getUint32(0, true) === hashText(source);
  return isSame ? new Uint8Array(section, hashBytes) : undefined;
}
