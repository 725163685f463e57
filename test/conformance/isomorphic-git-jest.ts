// What isomorphic-git's own tests take of jest and of a plugin, as vitest has it.
import { describe, it, vi } from 'vitest';

Object.assign(globalThis, { xit: it.skip, xdescribe: describe.skip });

/** `@jest/globals` */
export const jest = vi;

const fail = () => Promise.reject(new Error('The plugin for signatures is not installed.'));

/** `@isomorphic-git/pgp-plugin`: tests that sign are in the list of what doesn't apply. */
export const pgp = { sign: fail, verify: fail };
