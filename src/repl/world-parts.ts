// The parts of the guest's world that a small cell doesn't need, loaded when one may: they are a
// file of their own beside the tool worker's.
import { SdkError } from '../core/errors.ts';
import type { GuestCode } from './engine.ts';
import { worldVersion } from './world-version.ts';
import type * as LazyParts from './world/lazy-parts.ts';
import { nearParts, toPartCode } from './world/world.ts';

/**
 * Seen in a cell, they say that it may come to a part: globals that are made of one, what has methods
 * that are, and whatever reaches names that aren't written out. Needless loading costs one request.
 */
const partWords = new RegExp(
  `\\b(?:${[
    ...['require', 'import', 'eval', 'Function', 'constructor', 'globalThis', 'global', 'this'],
    ...['fs', 'path', 'process', 'crypto', 'assert', 'util', 'structuredClone'],
    ...['Buffer', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams'],
    ...['Event', 'CustomEvent', 'EventTarget', 'AbortSignal', 'AbortController'],
    ...['fetch', 'Headers', 'Request', 'Response', 'tools', 'runTests'],
    ...['describe', 'it', 'test', 'expect', 'beforeAll', 'afterAll', 'beforeEach', 'afterEach'],
  ].join('|')})\\b`,
  'u',
);

export function mayNeedParts(code: string): boolean {
  return partWords.test(code);
}

type LoadedParts = typeof LazyParts;

/** Fetches them, once a worker. Rejects where they can't be. */
export function importParts(): Promise<LoadedParts> {
  return import('./world/lazy-parts.ts');
}

/** What one session has of them. */
export class WorldParts {
  #parts: LoadedParts | undefined;
  #failure: unknown;
  #version: string | undefined;

  /** Once; an attempt that failed (the network, say) doesn't stand for the next. Never rejects. */
  async load(): Promise<void> {
    if (this.#parts) return;
    try {
      this.#parts = await importParts();
    } catch (error) {
      this.#failure = error;
    }
  }

  /** @throws SdkError where the parts aren't there, or not one of this name */
  get(name: string): GuestCode {
    const sources = Object.hasOwn(nearParts, name) ? nearParts : this.#loaded().lazyParts;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) {
      throw new SdkError('invalid-input', 'There is no such part of the world.');
    }
    return toPartCode(name, source);
  }

  /**
   * What the part `hash` asks its host to do.
   *
   * @throws SdkError as {@link WorldParts.get}
   */
  get hashes(): LoadedParts['hashes'] {
    return this.#loaded().hashes;
  }

  /**
   * What the part `fetch` asks its host to do.
   *
   * @throws SdkError as {@link WorldParts.get}
   */
  get createNetworkBroker(): LoadedParts['createNetworkBroker'] {
    return this.#loaded().createNetworkBroker;
  }

  /** Of a world that these parts may have been added to. */
  get version(): string {
    // All of their source is hashed, and each cell that is kept asks.
    return (this.#version ??= worldVersion(Object.values(this.#loaded().lazyParts)));
  }

  /** Of the world as a snapshot of now may hold it. */
  get snapshotVersion(): string {
    return this.#parts ? this.version : worldVersion([]);
  }

  #loaded(): LoadedParts {
    if (this.#parts) return this.#parts;
    if (this.#failure === undefined) {
      throw new SdkError(
        'unsupported-environment',
        "What this cell uses wasn't loaded when it began, since the cell doesn't name it: run the " +
          'cell again.',
      );
    }
    const cause = this.#failure;
    throw new SdkError(
      'unsupported-environment',
      `A part of the sandbox's world could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        "Check the network, and that the library's repl-world.js is served beside the tool " +
        "worker's file, then try again.",
      { cause },
    );
  }
}
