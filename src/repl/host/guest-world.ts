// The guest's world as the host sees it: its source, and what its parts ask of the host. One module, and
// a file of its own beside the tool worker's (see load-world.ts), fetched together with the engine.
// The source is made of the files in guest/, which run in the guest alone.
import { SdkError } from '../../core/errors.ts';
import { parts, workflow, world } from '../guest-code.ts';
import { runtimeName } from '../syntax/runtime-name.ts';
import type { GuestCode } from '../vm/engine.ts';
import { hashText } from '../vm/text-hash.ts';

export * as hashes from './hashes.ts';
export { createNetworkBroker } from './network-broker.ts';
export { prepareSubtle } from './subtle.ts';
export { prepareDerivation, runCipher } from './sync-crypto.ts';
export { crc32, unzipPart, zipBytes } from './zip-bytes.ts';

/** Stack lines of files with this prefix are the world's own, and are shown to nobody. */
const worldPrefix = 'rockpool:';

/**
 * The built-ins that the world works with, as it found them. A cell that declares a variable `Map`
 * or `Object` has it for itself.
 */
const intrinsics = [
  ...['globalThis', 'Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol'],
  ...['BigInt', 'Math', 'JSON', 'Reflect', 'Proxy', 'Promise', 'Date', 'RegExp'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef'],
  ...['ArrayBuffer', 'DataView', 'Uint8Array', 'Uint16Array'],
  ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError'],
  ...['parseInt', 'parseFloat', 'isNaN', 'decodeURIComponent', 'encodeURIComponent'],
  ...['DOMException', 'performance', 'queueMicrotask', 'atob', 'btoa'],
].join(',');

/** The code that an engine boots: see `create` of vm/engine.ts. */
export function bootCode(): GuestCode {
  return {
    source:
      "(host => { 'use strict'; " +
      `return ((${intrinsics}) => ${world}(host, [${intrinsics}]))(${intrinsics}); })`,
    filename: `${worldPrefix}world`,
  };
}

/** The code that an engine boots for the script of a workflow. */
export function workflowBootCode(): GuestCode {
  return {
    source: `(host => { 'use strict'; return ${workflow}(host); })`,
    filename: `${worldPrefix}workflow`,
  };
}

/**
 * A part that a VM doesn't boot with, by the name that `kernel.part` takes.
 *
 * @throws SdkError where there is none of this name
 */
export function findPart(name: string): GuestCode {
  const source = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (source === undefined) {
    throw new SdkError('invalid-input', 'There is no such part of the world.');
  }
  return {
    source:
      "(kernel => { 'use strict'; " +
      `return ((${intrinsics},${runtimeName}) => ${source}(kernel))` +
      '(...kernel.intrinsics, kernel.asyncContext.forCode); })',
    filename: `${worldPrefix}${name}`,
  };
}

let version: string | undefined;

/**
 * The version of the world that a snapshot holds. It differs if anything of the guest's source
 * does, so nobody has to count it up. A snapshot's kernel and functions call the host as it was
 * then.
 */
export function worldVersion(): string {
  return (version ??= hashText([bootCode().source, ...Object.values(parts)].join('\n')).toString(
    16,
  ));
}
