// The loader's records of the modules of a cell, or of a test file.
import type { Dependency, LoadedModule } from './host.ts';
import type { Namespace } from './kernel-type.ts';

/** A file as a module: its imports and exports, and its progress. */
export interface ModuleRecord {
  readonly path: string;
  kind?: 'esm' | 'cjs';
  /** True if it awaits at its top level. */
  isAsync?: boolean;
  /** True if the names that it imports, and that others import of it, must be there. */
  isChecked?: boolean;
  state: 'new' | 'linked' | 'running' | 'done' | 'failed';
  error?: unknown;
  dependencies: readonly Dependency[];
  /**
   * The namespace of each dependency by its place, for the code, and its record if it is a file.
   */
  readonly of: Namespace[];
  /** Sparse: a built-in module has none. */
  readonly targets: ModuleRecord[];
  reexports: LoadedModule[4];
  stars: readonly number[];
  readonly exports: Map<string, () => unknown>;
  namespace?: Namespace;
  /** The value of `require` for an ES module. */
  required?: unknown;
  readonly module: { exports: unknown; loaded?: boolean };
  /** The module that it replaces, if a test has put it in that place. */
  readonly replaces?: string;
  /** Whose end it waits for. */
  readonly waitsFor: Set<ModuleRecord>;
  /** Makes the functions and exports, before any module runs. */
  instantiate?: () => void;
  run?: () => unknown;
  promise: Promise<void> | undefined;
}

/** The modules of a cell, or of a test file. */
export interface Graph {
  modules: Map<string, ModuleRecord>;
  /**
   * The replacements of a test for modules: by path, or by the name of a module that is no file.
   */
  readonly replacements: Map<string, () => unknown>;
}
