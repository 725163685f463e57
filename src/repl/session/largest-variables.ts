// Finds the variables that fill a session's memory, for the error message about full memory. The
// guest estimates the sizes by walking over a sample of the values that each variable reaches.
import type { GuestCode, Vm } from '../vm/engine.ts';

/**
 * A variable and the estimated bytes that it reaches. A value that two variables share counts for
 * both.
 */
export interface VariableSize {
  readonly name: string;
  readonly bytes: number;
}

// 5: more can be listed once these are removed.
const maxVariables = 5;

// 8 MB: memory for the walk itself, in a VM that has none left. The VM is given up afterwards.
const spareBytes = 8 * 1024 * 1024;

/**
 * Returns the variables with `leastBytes` or more, the largest first. Returns none if the VM is too
 * damaged for the walk. Give the VM up afterwards, because its memory cap was raised.
 * Security: guest code may have changed the functions that the walk uses. A wrong result then only
 * affects the guest's own error message.
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
    // The cell's own error matters more than any error of the walk.
    return [];
  }
}

function isVariableSize(value: unknown): value is VariableSize {
  if (typeof value !== 'object' || value === null) return false;
  const { name, bytes } = value as Record<string, unknown>;
  return typeof name === 'string' && name.length <= 100 && Number.isSafeInteger(bytes);
}

/**
 * Estimates sizes from samples: of a long list 24 evenly spaced items are visited and stand for all
 * others. No getter is called. The walk stops after 5 000 values for each variable, and after 200
 * variables.
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
