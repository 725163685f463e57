// What the loader knows of the modules of a cell, or of a test file.
import type { Dependency, LoadedModule } from './host.ts';
import type { Namespace } from './kernel-type.ts';

/** A file as a module: what it imports and exports, and how far it has come. */
export interface ModuleRecord {
  readonly path: string;
  kind?: 'esm' | 'cjs';
  /** It awaits at its top level. */
  isAsync?: boolean;
  /** Whether the names that it imports, and that others import of it, must be there. */
  isChecked?: boolean;
  state: 'new' | 'linked' | 'running' | 'done' | 'failed';
  error?: unknown;
  dependencies: readonly Dependency[];
  /** By the dependency's place: what the code gets of it, and its record where it is a file. */
  readonly of: Namespace[];
  /** Sparse: a built-in module has none. */
  readonly targets: ModuleRecord[];
  reexports: LoadedModule[4];
  stars: readonly number[];
  readonly exports: Map<string, () => unknown>;
  namespace?: Namespace;
  /** What `require` gives of an ES module. */
  required?: unknown;
  readonly module: { exports: unknown; loaded?: boolean };
  /** What it stands for, where a test has put it in the place of a module. */
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
  /** What a test puts in the place of modules: by path, or by the name of what is no file. */
  readonly replacements: Map<string, () => unknown>;
}
