// Implements `require` and `import` for workspace files and built-in modules. Each cell and test
// file has a new module graph, so changed files are read again. Loaded by modules.ts.
import type { Classes } from './classes.ts';
import type { HostFunctions, LoadedModule } from '../host.ts';
import type { Kernel, Namespace } from '../kernel-type.ts';
import type { Loader } from '../modules/module-loader.ts';
import { newRecord, type Graph, type ModuleRecord } from '../modules/module-record.ts';
import { exportGetter, makeNamespace, namespaceOf, toRequired } from '../modules/namespaces.ts';
import { toExpression } from '../set-expressions.ts';

const newGraph = (): Graph => ({ modules: new Map(), replacements: new Map() });

/** The parts of the kernel that the loader uses. */
type LoaderKernel = Pick<
  Kernel,
  | 'builtin'
  | 'builtinNames'
  | 'coded'
  | 'importFrom'
  | 'insteadOf'
  | 'findPackage'
  | 'invalidType'
  | 'metaEnv'
  | 'parse'
  | 'requireFrom'
  | 'standInFor'
> & {
  readonly asyncContext: Pick<Kernel['asyncContext'], 'forCode'>;
  /** Returns the functions that decorated classes call. */
  classes(): Classes;
  readonly host: Pick<HostFunctions, 'loadModule' | 'readText' | 'resolve'>;
};

/** Creates the loader. */
export function addLoader(kernel: LoaderKernel): Loader {
  const { host, parse } = kernel;
  const define = Object.defineProperty;
  let graph = newGraph();

  async function withFreshModules<Result>(run: () => Promise<Result>): Promise<Result> {
    const before = graph;
    graph = newGraph();
    try {
      return await run();
    } finally {
      graph = before;
    }
  }
  function forgetModules() {
    graph.modules = new Map();
  }
  /** Called when a cell begins. Modules of an earlier cell keep their own graph. */
  function leaveModules() {
    graph = { ...graph, modules: new Map() };
  }
  /** A running module loads in its own graph, as it may outlive that of a test file. */
  function within<Result>(own: Graph, run: () => Result): Result {
    const before = graph;
    graph = own;
    try {
      return run();
    } finally {
      graph = before;
    }
  }

  const importCode = 'ERR_MODULE_NOT_FOUND';
  const requireCode = 'MODULE_NOT_FOUND';

  function where(importer: string, line?: number) {
    return ', imported from ' + importer + (line ? ':' + line : '');
  }

  // A cell that imports a missing module gets an error at once. A file gets a stand-in, because it
  // may never use it.
  const isCell = (importer: string) => /\/cell(?:-\d+)?$/.test(importer);
  const findBuiltin = (specifier: string, importer: string) =>
    kernel.builtin(specifier) ?? (isCell(importer) ? undefined : kernel.standInFor(specifier));
  function builtin(specifier: string, importer: string): unknown {
    const get = findBuiltin(specifier, importer);
    return get === undefined ? undefined : get();
  }
  function notFound(
    specifier: string,
    importer: string,
    line: number | undefined,
    code: string,
  ): Error {
    const isPath = /^(?:[./#]|file:)/.test(specifier);
    const isUrl = /^(?!node:|bun:)[a-z]+:/.test(specifier);
    const found = isPath || isUrl ? undefined : kernel.findPackage(specifier, importer);
    const hint = isPath
      ? ''
      : isUrl
        ? '. Modules come from files of the workspace only'
        : (found?.hint ??
          kernel.insteadOf(specifier) ??
          '. There is no npm install here; what there is: ' +
            kernel
              .builtinNames()
              .filter((name) => !name.startsWith('_'))
              .join(', ') +
            ', files of the workspace, and packages in its node_modules');
    const failure = new Error(
      "Cannot find module '" + specifier + "'" + where(importer, line) + hint,
    );
    failure.code = found?.code ?? code;
    return failure;
  }

  function load(
    specifier: string,
    importer: string,
    line?: number,
    code: typeof importCode | typeof requireCode = importCode,
    names: readonly string[] = [],
  ): ModuleRecord {
    const path = host.resolve(specifier, importer, code === requireCode, names.join());
    if (path === undefined) throw notFound(specifier, importer, line, code);
    const query = queryOf(specifier, path);
    let record = graph.modules.get(path + query);
    if (record === undefined) {
      record = make(path, query, importer, line);
      graph.modules.set(path + query, record);
    }
    return record;
  }

  /** Each query of a specifier makes another module of the same file. */
  function queryOf(specifier: string, path: string): string {
    const query = /^(?:file:|\.{0,2}\/)[^?#]*([?#].*)/.exec(specifier)?.[1] ?? '';
    return path.endsWith(query) ? '' : query;
  }

  function make(path: string, query: string, importer: string, line?: number): ModuleRecord {
    const record = newRecord(path);
    if (path.endsWith('.json')) {
      record.kind = 'cjs';
      record.run = () => {
        try {
          const text = host.readText(path);
          record.module.exports = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
        } catch (error) {
          throw new SyntaxError(path + ' is no valid JSON: ' + (error as Error).message);
        }
      };
      return record;
    }
    if (/\.(?:node|wasm)$/.test(path))
      throw kernel.coded(
        Error,
        'ERR_DLOPEN_FAILED',
        path +
          ' is no JavaScript' +
          where(importer, line) +
          ". It can't run in this sandbox: use a package that is written in JavaScript",
      );
    let parts: LoadedModule;
    try {
      parts = host.loadModule(path);
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new SyntaxError(error.message + where(importer, line));
      throw error;
    }
    const [kind, dependencies, isChecked, body, reexports, stars] = parts;
    record.kind = kind === 'cjs' ? 'cjs' : 'esm';
    record.isAsync = kind === 'async';
    record.isChecked = isChecked;
    record.dependencies = dependencies;
    const own = graph;
    const importOwn = kernel.importFrom(path);
    const runtime = {
      ...kernel.asyncContext.forCode,
      expression: toExpression,
      get classes() {
        return kernel.classes();
      },
      of: record.of,
      bare: (value) => value,
      import: (specifier: unknown) => within(own, () => importOwn(specifier)),
      get require() {
        const requireOwn = kernel.requireFrom(path);
        const resolve = (specifier: string) => within(own, () => requireOwn.resolve(specifier));
        const require = (specifier: string) => within(own, () => requireOwn(specifier));
        return Object.assign(require, { ...requireOwn, resolve });
      },
      meta: metaOf(path, query),
      export(getters) {
        for (const name of Object.keys(getters)) record.exports.set(name, getters[name]);
      },
    };
    if (record.kind === 'esm') {
      record.namespace = makeNamespace();
      record.reexports = reexports;
      record.stars = stars;
      // A generator: its first step creates functions and reports exports, its second runs the
      // code.
      const steps = body(runtime);
      record.instantiate = () => {
        steps.next();
      };
      record.run = () => (record.isAsync ? steps.next() : void steps.next());
    } else {
      const module = record.module;
      const { require } = runtime;
      Object.assign(module, { id: path, path: dirname(path), filename: path, loaded: false });
      Object.assign(module, { children: [], paths: [] });
      // Not enumerable, as in Node, where it is a method of the class.
      define(module, 'require', { value: require, writable: true, configurable: true });
      record.run = () => {
        body.call(module.exports, module.exports, require, module, path, dirname(path), runtime);
        module.loaded = true;
      };
    }
    return record;
  }

  const keyOf = (specifier: string, importer: string) =>
    findBuiltin(specifier, importer)
      ? specifier.replace(/^node:/, '')
      : (host.resolve(specifier, importer, false) ?? specifier);
  const recordName = (key: string) => 'replaced ' + key;

  /** Returns the replacement that a test has set for the module. */
  function replaced(specifier: string, importer: string): ModuleRecord | undefined {
    if (graph.replacements.size === 0) return undefined;
    const key = keyOf(specifier, importer);
    const makeExports = graph.replacements.get(key);
    if (makeExports === undefined) return undefined;
    let record = graph.modules.get(recordName(key));
    if (record === undefined) {
      record = makeReplacement(key, importer, makeExports);
      graph.modules.set(recordName(key), record);
    }
    return record;
  }

  function makeReplacement(
    key: string,
    importer: string,
    makeExports: () => unknown,
  ): ModuleRecord {
    const record = newRecord(key, key);
    record.kind = 'esm';
    record.isChecked = false;
    const namespace = (record.namespace = makeNamespace());
    let exports: unknown;
    const read = (name: string) => (exports as object | undefined)?.[name];
    // A module that re-exports everything of this one must know the names before it runs.
    record.instantiate = () => {
      if (!key.startsWith('/')) return;
      try {
        const actual = load(key, importer);
        link(actual);
        for (const name of actual.exports.keys()) record.exports.set(name, () => read(name));
      } catch {
        // The replaced module may be broken. That is a common reason to replace it.
      }
    };
    record.run = () => {
      const fill = (made: unknown) => {
        exports = record.module.exports = made;
        const isObject = (typeof made === 'object' && made !== null) || typeof made === 'function';
        for (const name of isObject ? Object.keys(made) : [])
          if (name !== 'default') exportGetter(namespace, name, () => read(name));
        const value = isObject && 'default' in made ? made.default : made;
        define(namespace, 'default', { value, enumerable: true, configurable: true });
      };
      const made = makeExports();
      return made instanceof Promise ? made.then(fill) : fill(made);
    };
    return record;
  }

  /** Returns the module itself after it has run. Returns a promise if it awaits. */
  function takeActual<Result>(
    specifier: string,
    importer: string,
    take: (module: Namespace) => Result,
  ): Result | Promise<Result> {
    const known = builtin(specifier, importer);
    if (known !== undefined) return take(namespaceOf(known));
    const record = load(specifier, importer);
    graph.modules.get(recordName(record.path))?.waitsFor.add(record);
    link(record);
    const promise = evaluate(record);
    const done = () => take(takenFrom(record));
    return promise === undefined ? done() : promise.then(done);
  }

  function takenFrom(record: ModuleRecord): Namespace {
    if (record.kind === 'esm') return record.namespace as Namespace;
    // In a cycle the module may still replace module.exports: nothing is cached until it has run.
    if (record.state !== 'done') return namespaceOf(record.module.exports);
    return (record.namespace ??= namespaceOf(record.module.exports));
  }

  /**
   * Loads everything that a module imports, and creates the functions and exports of each module
   * before any runs. So modules in a cycle can use each other's functions.
   */
  function link(root: ModuleRecord) {
    const linked: ModuleRecord[] = [];
    const visit = (record: ModuleRecord) => {
      if (record.state !== 'new') return;
      record.state = 'linked';
      linked.push(record);
      guard(record, () => {
        record.dependencies.forEach(([specifier, line, names], index) => {
          const replacement = replaced(specifier, record.path);
          const known = replacement ? undefined : builtin(specifier, record.path);
          if (known !== undefined) {
            record.of[index] = namespaceOf(known);
            return;
          }
          const target = replacement ?? load(specifier, record.path, line, importCode, names);
          visit(target);
          record.targets[index] = target;
          if (target.kind === 'esm') record.of[index] = target.namespace as Namespace;
        });
        record.instantiate?.();
        for (const name of Object.keys(record.reexports)) {
          const [index, imported] = record.reexports[name];
          record.exports.set(name, () =>
            imported === '*' ? record.of[index] : record.of[index][imported],
          );
        }
      });
    };
    visit(root);
    // An `export *` may re-export names of another `export *`, so repeat until nothing is new.
    while (linked.map(takeStars).includes(true));
    for (const record of linked) guard(record, () => finishLink(record));
  }

  /** Adds the names that `export *` provides so far. Returns true if there was a new one. */
  function takeStars(record: ModuleRecord): boolean {
    let isNew = false;
    for (const index of record.stars) {
      const target = record.targets[index];
      const source = record.of[index];
      const names = target?.kind === 'esm' ? [...target.exports.keys()] : Object.keys(source ?? {});
      for (const name of names) {
        if (name === 'default' || record.exports.has(name)) continue;
        record.exports.set(name, () => record.of[index][name]);
        isNew = true;
      }
    }
    return isNew;
  }

  function finishLink(record: ModuleRecord) {
    if (record.kind !== 'esm') return;
    for (const name of [...record.exports.keys()].sort())
      exportGetter(record.namespace, name, record.exports.get(name) as () => unknown);
    record.dependencies.forEach((_dependency, index) => {
      const target = record.targets[index];
      if (target?.kind !== 'cjs' && !(target && isOpen(target))) checkNames(record, index);
    });
  }

  /** True if the module has an `export *` from CommonJS, whose names are known after its run. */
  function isOpen(record: ModuleRecord, seen = new Set<ModuleRecord>()): boolean {
    if (record.state === 'done' || seen.has(record)) return false;
    seen.add(record);
    return record.stars.some((index) => {
      const target = record.targets[index];
      return target?.kind === 'cjs' || (target !== undefined && isOpen(target, seen));
    });
  }

  function checkNames(record: ModuleRecord, index: number) {
    const [specifier, line, names] = record.dependencies[index];
    const target = record.targets[index];
    if (record.isChecked === false || target?.isChecked === false) return;
    const known =
      target?.kind === 'esm'
        ? (name) => target.exports.has(name)
        : (name) => name in record.of[index];
    for (const name of names) {
      if (name === '*') continue;
      if (!known(name)) {
        throw new SyntaxError(
          "The module '" +
            specifier +
            "' has no export named '" +
            name +
            "'" +
            where(record.path, line),
        );
      }
      if (target?.kind === 'esm' && isCircular(target, name, [])) {
        throw new SyntaxError(
          "The export '" +
            name +
            "' of '" +
            specifier +
            "' goes in a circle: modules hand it on to each other, and none has it" +
            where(record.path, line),
        );
      }
    }
  }

  function isCircular(record: ModuleRecord, name: string, seen: string[]): boolean {
    if (seen.includes(record.path)) return true;
    const reexport = record.reexports[name];
    const target = reexport && record.targets[reexport[0]];
    return (
      target?.kind === 'esm' &&
      reexport[1] !== '*' &&
      isCircular(target, reexport[1], [...seen, record.path])
    );
  }

  /** Runs a module's imports, then the module. Returns a promise if any of them awaits. */
  function evaluate(record: ModuleRecord): Promise<void> | undefined {
    if (record.state === 'failed') throw record.error;
    if (record.state !== 'linked') return record.promise;
    record.state = 'running';
    let waiting: Promise<void> | undefined;
    record.targets.forEach((target, index) => {
      const take = () => {
        const wasOpen = isOpen(target);
        const settle = () => {
          if (target.kind === 'cjs') record.of[index] = takenFrom(target);
          else if (!wasOpen && !record.stars.includes(index)) return;
          if (takeStars(record))
            for (const [name, get] of record.exports) exportGetter(record.namespace, name, get);
          if (target.state === 'done') checkNames(record, index);
        };
        record.waitsFor.add(target);
        const promise = waitsFor(target, record) ? undefined : evaluate(target);
        if (promise === undefined) {
          settle();
          return undefined;
        }
        return promise.then(settle);
      };
      waiting = waiting === undefined ? guard(record, take) : waiting.then(take);
    });
    const run = () => record.run?.();
    const done = () => {
      record.state = 'done';
    };
    const failed = (error: unknown) => {
      record.state = 'failed';
      record.error = error;
      throw error;
    };
    if (waiting === undefined && !record.isAsync) {
      const result = guard(record, run);
      if (record.replaces === undefined || !(result instanceof Promise)) {
        done();
        return undefined;
      }
      record.promise = result.then(done, failed);
      return record.promise;
    }
    record.promise = Promise.resolve(waiting).then(run).then(done, failed);
    return record.promise;
  }

  /**
   * True if `from` waits, directly or through others, for `to`, which must then not wait for it.
   */
  function waitsFor(from: ModuleRecord, to: ModuleRecord, seen = new Set<ModuleRecord>()): boolean {
    if (from.state !== 'running' || seen.has(from)) return false;
    seen.add(from);
    return from === to || [...from.waitsFor].some((next) => waitsFor(next, to, seen));
  }

  function guard<Result>(record: ModuleRecord, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      record.state = 'failed';
      record.error = error;
      throw error;
    }
  }

  function requireModule(specifier: unknown, importer: string): unknown {
    if (typeof specifier !== 'string') throw kernel.invalidType('id', 'of type string', specifier);
    if (specifier === '')
      throw kernel.coded(
        TypeError,
        'ERR_INVALID_ARG_VALUE',
        "The argument 'id' must be a non-empty string. Received ''",
      );
    const replacement = replaced(specifier, importer);
    return replacement === undefined
      ? requireActual(specifier, importer)
      : take(replacement, specifier);
  }
  function requireActual(specifier: string, importer: string): unknown {
    const known = builtin(specifier, importer);
    return known ?? take(load(specifier, importer, undefined, requireCode), specifier);
  }
  /** Returns the value of `require`. */
  function take(record: ModuleRecord, specifier: string): unknown {
    link(record);
    if (record.kind === 'cjs') {
      evaluate(record);
      return record.module.exports;
    }
    if (evaluate(record) !== undefined) {
      throw new Error(
        "require('" +
          specifier +
          "') can't wait for a module that awaits at its top level; use await import('" +
          specifier +
          "').",
      );
    }
    return record.replaces === undefined ? requiredOf(record) : record.module.exports;
  }
  function requiredOf(record: ModuleRecord): unknown {
    return (record.required ??= toRequired(record.namespace as Namespace));
  }

  async function importModule(
    specifier,
    importer: string,
    line?: number,
    names?: readonly string[],
  ): Promise<Namespace> {
    const target = typeof specifier === 'object' ? specifier.href : String(specifier);
    const replacement = replaced(target, importer);
    const known = replacement ? undefined : builtin(target, importer);
    if (known !== undefined) return namespaceOf(known);
    const record = replacement ?? load(target, importer, line, importCode, names);
    link(record);
    await evaluate(record);
    return takenFrom(record);
  }
  /**
   * For an absolute, normalized path. kernel.path isn't used, because that would load another part.
   */
  const dirname = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';
  function metaOf(path: string, query = '') {
    const resolve = (target: string) =>
      findBuiltin(target, path) ? target : 'file://' + load(target, path).path;
    return {
      url: 'file://' + path + query,
      filename: path,
      dirname: dirname(path),
      env: kernel.metaEnv,
      resolve,
    };
  }
  return {
    require: requireModule,
    resolve: (specifier: string, importer: string) =>
      findBuiltin(specifier, importer)
        ? specifier
        : load(specifier, importer, undefined, requireCode).path,
    import: importModule,
    requireActual,
    importActual: async (specifier: string, importer: string) =>
      takeActual(specifier, importer, (module) => module),
    takeActual,
    replace(specifier: string, importer: string, makeExports: () => unknown) {
      const key = keyOf(specifier, importer);
      graph.replacements.set(key, makeExports);
      graph.modules.delete(recordName(key));
    },
    restore(specifier: string, importer: string) {
      graph.replacements.delete(keyOf(specifier, importer));
    },
    manualMock(specifier: string, importer: string) {
      const path = host.resolve(specifier, importer, false);
      const isFile = /^(?:[./#]|file:)/.test(specifier) && path !== undefined;
      const at = isFile ? path.lastIndexOf('/') + 1 : 0;
      return host.resolve(
        isFile
          ? path.slice(0, at) + '__mocks__/' + path.slice(at).replace(/\.[^.]*$/, '')
          : './__mocks__/' + specifier.replace(/^node:/, ''),
        importer,
        false,
      );
    },
    metaOf,
    isUnchecked(specifier: string, importer: string) {
      if (kernel.builtin(specifier)) return false;
      return load(specifier, importer).isChecked === false;
    },
    withFreshModules,
    forgetModules,
    leaveModules,
  };
}
