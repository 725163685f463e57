// What the rest of the guest's world asks of the loader (parts/loader.ts).
import type { Namespace } from '../kernel-type.ts';

export interface Loader {
  require(specifier: string, importer: string): unknown;
  /** Returns the path of a file, or the name of a built-in module. */
  resolve(specifier: string, importer: string): string;
  /** `names`: as of `HostFunctions.resolve`. */
  import(
    specifier: unknown,
    importer: string,
    line?: number,
    names?: readonly string[],
  ): Promise<Namespace>;
  metaOf(path: string): object;
  isUnchecked(specifier: string, importer: string): boolean;
  withFreshModules<Result>(run: () => Promise<Result>): Promise<Result>;
  forgetModules(): void;
  leaveModules(): void;
  /** Later importers of the module get the result of `makeExports`, which may be a promise. */
  replace(specifier: string, importer: string, makeExports: () => unknown): void;
  restore(specifier: string, importer: string): void;
  /** Returns the path in `__mocks__` that replaces the module, if there is one. */
  manualMock(specifier: string, importer: string): string | undefined;
  // Returns the module itself, even if it is replaced.
  requireActual(specifier: string, importer: string): unknown;
  importActual(specifier: string, importer: string): Promise<Namespace>;
  takeActual<Result>(
    specifier: string,
    importer: string,
    take: (module: Namespace) => Result,
  ): Result | Promise<Result>;
}
