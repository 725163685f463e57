// Finds values that JSON can't store without a change, in data from a host's tools.
import { clipText } from '../../core/text/clip-text.ts';
import { maxInputDepth } from '../../core/values/nesting.ts';

/**
 * The place and kind of the first value that isn't plain data: "state.items[2] is a function".
 * Undefined: the value has only objects, arrays, strings, finite numbers, booleans and null. A
 * member that is undefined counts as left out.
 */
export function findUnstorable(value: unknown, place: string, depth = 1): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return isPlainValue(value) ? undefined : `${place} is ${nameValue(value)}`;
  }
  // 60 characters: the place of a cyclic value would have thousands.
  if (depth > maxInputDepth) return `${clipText(place, 60)} is nested too deep, or holds itself`;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return `${place} is ${nameObject(value)}`;
  for (const [key, item] of Object.entries(value)) {
    if (!isList && item === undefined) continue;
    const wrong = findUnstorable(item, isList ? `${place}[${key}]` : `${place}.${key}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameValue(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  return `a ${typeof value}`;
}

function nameObject(value: object): string {
  const { constructor } = value as { readonly constructor?: unknown };
  const name = typeof constructor === 'function' ? constructor.name : '';
  return name === '' ? 'an instance of a class' : `an instance of ${name}`;
}
