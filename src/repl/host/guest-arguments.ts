// Security: arguments of host functions are under an attacker's control. Each argument passes one
// of these functions, which accept exactly one plain type.
import { SdkError } from '../../core/errors.ts';
import type { GuestValue } from '../vm/engine.ts';

export function textArgument(value: GuestValue, name: string): string {
  if (typeof value === 'string') return value;
  throw invalidArgument(name, 'a string');
}

/**
 * Accepts any path without a null byte. The file system checks the rest and throws Node's error
 * codes.
 */
export function pathArgument(value: GuestValue, name = 'path'): string {
  const path = textArgument(value, name);
  if (!path.includes('\0')) return path;
  const error = new SdkError(
    'ERR_INVALID_ARG_VALUE',
    `The argument '${name}' must be a string, Uint8Array, or URL without null bytes.`,
  );
  error.name = 'TypeError';
  throw error;
}

export function bytesArgument(value: GuestValue, name: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw invalidArgument(name, 'a Uint8Array');
}

export function dataArgument(value: GuestValue, name: string): string | Uint8Array {
  return typeof value === 'string' ? value : bytesArgument(value, name);
}

export function numberArgument(
  value: GuestValue,
  name: string,
  range: { readonly min: number; readonly max: number },
): number {
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value;
  throw invalidArgument(name, `a number from ${range.min} to ${range.max}`);
}

export function optionalText(value: GuestValue, name: string): string | undefined {
  return value === undefined ? undefined : textArgument(value, name);
}

/** Parses JSON of an array of strings. */
export function textListArgument(value: GuestValue, name: string): string[] {
  const list: unknown = parseJson(textArgument(value, name), name);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw invalidArgument(name, 'a list of strings');
}

/** Parses JSON of an array of pairs of strings. */
export function pairListArgument(value: GuestValue, name: string): [string, string][] {
  const list: unknown = parseJson(textArgument(value, name), name);
  const isPair = (item: unknown): item is [string, string] =>
    Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === 'string');
  if (Array.isArray(list) && list.every(isPair)) return list;
  throw invalidArgument(name, 'a list of pairs of strings');
}

/** Parses JSON of any value. */
export function jsonArgument(value: GuestValue, name: string): unknown {
  return parseJson(textArgument(value, name), name);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidArgument(name, 'JSON');
  }
}

/** Creates a TypeError for the guest, with Node's message. */
export function invalidArgument(name: string, wanted: string): SdkError {
  const error = new SdkError('invalid-input', `The "${name}" argument must be ${wanted}.`);
  error.name = 'TypeError';
  return error;
}

/** Creates the guest's error for work that is too large. `message` names the limit. */
export function tooMuch(message: string): SdkError {
  const error = new SdkError('limit-exceeded', `${message}, and this would be more.`);
  error.name = 'LimitError';
  return error;
}
