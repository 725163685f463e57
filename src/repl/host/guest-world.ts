// The guest's world from the host's side: its source, and what its parts need from the host. This
// module is a file of its own beside the tool worker's (see load-world.ts), fetched together with
// the engine. The source is generated from the files in guest/, which run only in the guest.
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

/** Stack frames of files with this prefix belong to the world and are never shown. */
const worldPrefix = 'rockpool:';

/**
 * Built-ins that the world uses, saved at boot. A cell that declares a variable `Map` or `Object`
 * doesn't affect the world.
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

/** Returns the code that an engine boots: see `create` of vm/engine.ts. */
export function bootCode(): GuestCode {
  return {
    source:
      "(host => { 'use strict'; " +
      `return ((${intrinsics}) => ${world}(host, [${intrinsics}]))(${intrinsics}); })`,
    filename: `${worldPrefix}world`,
  };
}

/** Returns the boot code for a workflow's script. */
export function workflowBootCode(): GuestCode {
  return {
    source: `(host => { 'use strict'; return ${workflow}(host); })`,
    filename: `${worldPrefix}workflow`,
  };
}

/**
 * Returns the code of a part that is loaded on demand. `kernel.part` passes its name.
 *
 * @throws SdkError if there is no part of this name
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
 * Returns the version of the world in a snapshot: a hash of the guest's source, so it changes by
 * itself. It is needed because the functions in a snapshot call the host functions of their time.
 */
export function worldVersion(): string {
  return (version ??= hashText([bootCode().source, ...Object.values(parts)].join('\n')).toString(
    16,
  ));
}
