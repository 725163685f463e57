// Finds the variables that fill a session's memory, for the error that says that it is full. The
// guest estimates it by walking over a sample of the values that each variable reaches.
import type { GuestCode, Vm } from '../vm/engine.ts';

/** A variable and about how many bytes it reaches. What two variables share counts for both. */
export interface VariableSize {
  readonly name: string;
  readonly bytes: number;
}

// 5: the next ones are listed when these are gone.
const maxVariables = 5;

// 8 MB: the walk's own needs, in a VM that has none left and is given up afterwards.
const spareBytes = 8 * 1024 * 1024;

/**
 * The variables with `leastBytes` or more, the largest first; none if the VM is too broken to tell. Give the VM
 * up afterwards: it has got more memory than its cap.
 *
 * Security: the guest may have changed all that this uses. It then deceives only the reader of its own error.
 */
export function largestVariables(vm: Vm, leastBytes: number): readonly VariableSize[] {
  try {
    vm.lendMemory(spareBytes);
    const list: unknown = JSON.parse(String(vm.call('stringify', sizesCode)));
    if (!Array.isArray(list)) return [];
    return list
      .filter(isVariableSize)
      .filter(({ bytes }) => bytes >= leastBytes)
      .toSorted((one, other) => other.bytes - one.bytes)
      .slice(0, maxVariables);
  } catch {
    // Whatever it throws, the cell's own error is reported.
    return [];
  }
}

function isVariableSize(value: unknown): value is VariableSize {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes } = value as Record<string, unknown>;
  return typeof name === 'string' && name.length <= 100 && Number.isSafeInteger(bytes);
}

/**
 * Values that look alike stand for each other: of a long list, 24 items in equal distances are looked at,
 * and count for all. No getter is called. 5 000 values of each variable, and 200 variables, end the walk.
 */
const sizesCode: GuestCode = {
  filename: 'rockpool:largest-variables',
  source: String.raw`(() => {
  const { getOwnPropertyDescriptor, keys, getPrototypeOf } = Object;
  const typedLength = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'byteLength').get;
  const bufferLength = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
  const ask = (get, value) => { try { return get.call(value); } catch { return undefined; } };
  const sampled = 24;
  const maxDepth = 6;
  let left;
  function textBytes(text) {
    for (let at = 0; at < text.length; at += Math.max(1, text.length >> 8)) if (text.charCodeAt(at) > 255) return 24 + text.length * 2;
    return 24 + text.length;
  }
  function some(count, at, depth) {
    if (count === 0 || depth >= maxDepth) return 0;
    const step = Math.max(1, Math.floor(count / sampled));
    let bytes = 0, seen = 0;
    for (let index = 0; index < count && left > 0; index += step) { bytes += sizeOf(at(index), depth + 1); seen += 1; }
    return seen === 0 ? 0 : bytes / seen * count;
  }
  function first(iterable, count, depth) {
    const values = [];
    for (const value of iterable) { values.push(value); if (values.length >= sampled) break; }
    const bytes = some(values.length, (index) => values[index], depth);
    return values.length === 0 ? 0 : bytes / values.length * count;
  }
  function sizeOf(value, depth) {
    left -= 1;
    if (typeof value === 'string') return textBytes(value);
    if (typeof value === 'bigint') return 32;
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return 0;
    const buffer = ask(bufferLength, value);
    if (buffer !== undefined) return 64 + buffer;
    const typed = ask(typedLength, value);
    if (typed !== undefined) return 128 + typed;
    const own = (key) => getOwnPropertyDescriptor(value, key)?.value;
    if (Array.isArray(value)) return 64 + value.length * 16 + some(value.length, own, depth);
    if (value instanceof Map) return 64 + value.size * 64 + first(value.keys(), value.size, depth) + first(value.values(), value.size, depth);
    if (value instanceof Set) return 64 + value.size * 64 + first(value.values(), value.size, depth);
    const names = keys(value);
    // Few objects have a shape of their own: objects that are made in the same way share one.
    const perName = names.length > 64 ? 48 : 16;
    return 48 + names.length * perName + some(names.length, (index) => own(names[index]), depth);
  }
  const list = [];
  for (const name of keys(globalThis).slice(0, 200)) {
    left = 5000;
    const value = getOwnPropertyDescriptor(globalThis, name)?.value;
    try { list.push({ name, bytes: Math.round(sizeOf(value, 0)) }); } catch {}
  }
  return list;
})()`,
};
