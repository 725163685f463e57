// The loader's records of the modules of a cell, or of a test file.
import type { Dependency, LoadedModule } from '../host.ts';
import type { Namespace } from '../kernel-type.ts';

/** A file as a module: its imports, its exports and its state. */
export interface ModuleRecord {
  readonly path: string;
  kind?: 'esm' | 'cjs';
  /** True if it awaits at its top level. */
  isAsync?: boolean;
  /** True if imported names must exist, both in this module and for its importers. */
  isChecked?: boolean;
  state: 'new' | 'linked' | 'running' | 'done' | 'failed';
  error?: unknown;
  dependencies: readonly Dependency[];
  /** The namespace of each dependency, by its index. The module's code reads it. */
  readonly of: Namespace[];
  /** The records of the dependencies. Sparse, because built-in modules have none. */
  readonly targets: ModuleRecord[];
  reexports: LoadedModule[4];
  stars: readonly number[];
  readonly exports: Map<string, () => unknown>;
  namespace?: Namespace;
  /** The value of `require` for an ES module. */
  required?: unknown;
  readonly module: { exports: unknown; loaded?: boolean };
  /** The key of the module that this record replaces, if a test has replaced one. */
  readonly replaces?: string;
  /** The modules that this one waits for. */
  readonly waitsFor: Set<ModuleRecord>;
  /** Creates the functions and exports before any module runs. */
  instantiate?: () => void;
  run?: () => unknown;
  promise: Promise<void> | undefined;
}

/** `replaces` is the key of the module for which a test's replacement stands. */
export function newRecord(path: string, replaces?: string): ModuleRecord {
  return {
    path,
    state: 'new',
    of: [],
    targets: [],
    dependencies: [],
    reexports: {},
    stars: [],
    exports: new Map(),
    module: { exports: {} },
    promise: undefined,
    waitsFor: new Set(),
    ...(replaces !== undefined && { replaces }),
  };
}

/** The modules of a cell, or of a test file. */
export interface Graph {
  modules: Map<string, ModuleRecord>;
  /** Replacements that tests have set, by a file's path or by a built-in module's name. */
  readonly replacements: Map<string, () => unknown>;
}
