// The guest's world as the host sees it: its source, and what its parts ask of the host. One module, and
// a file of its own beside the tool worker's (see load-world.ts), fetched together with the engine.
import { SdkError } from '../../core/errors.ts';
import type { GuestCode } from '../vm/engine.ts';
import { hashText } from '../vm/text-hash.ts';
import { lazyParts } from '../world/lazy-parts.ts';
import { bootCode, toPartCode } from '../world/world.ts';

export * as hashes from './hashes.ts';
export { createNetworkBroker } from './network-broker.ts';
export { bootCode } from '../world/world.ts';

/**
 * A part that a VM doesn't boot with, by the name that `kernel.part` takes.
 *
 * @throws SdkError where there is none of this name
 */
export function findPart(name: string): GuestCode {
  const source = Object.hasOwn(lazyParts, name) ? lazyParts[name] : undefined;
  if (source === undefined) {
    throw new SdkError('invalid-input', 'There is no such part of the world.');
  }
  return toPartCode(name, source);
}

let version: string | undefined;

/**
 * Which world a snapshot holds. Differs where anything of the guest's source does, so nobody has to
 * count it up: a snapshot's kernel and functions call the host as it was then.
 */
export function worldVersion(): string {
  return (version ??= hashText(
    [bootCode().source, ...Object.values(lazyParts)].join('\n'),
  ).toString(16));
}
