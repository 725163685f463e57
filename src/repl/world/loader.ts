// Guest source. `require` and `import` of the workspace's files and of the built-in modules. The
// graph of modules is fresh in every cell and in every test file, so a changed file is read anew.

/** A function of the kernel that makes the loader. */
export const loaderSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse } = kernel;
  let modules = new Map();

  /** Runs with a graph of its own; the old one is back when it returns. */
  kernel.withFreshModules = async (run) => {
    const before = modules;
    modules = new Map();
    try { return await run(); } finally { modules = before; }
  };
  kernel.forgetModules = () => { modules = new Map(); };

  function where(importer, line) { return ', imported from ' + importer + (line ? ':' + line : ''); }

  function builtin(specifier) {
    const get = kernel.builtin(specifier);
    return get === undefined ? undefined : get();
  }
  function notFound(specifier, importer, line) {
    const isPath = /^[./#]|^file:/.test(specifier);
    const hint = isPath ? '' :
      '. There is no npm install here; what there is: ' + kernel.builtinNames().join(', ') +
      ', files of the workspace, and packages in its node_modules';
    const failure = new Error("Cannot find module '" + specifier + "'" + where(importer, line) + hint);
    failure.code = 'ERR_MODULE_NOT_FOUND';
    return failure;
  }

  /** A namespace object over module.exports, for imports of CommonJS, JSON and built-ins. */
  function namespaceOf(exports) {
    const namespace = Object.create(null);
    const isObject = (typeof exports === 'object' && exports !== null) || typeof exports === 'function';
    if (isObject) {
      for (const key of Object.keys(exports)) {
        Object.defineProperty(namespace, key, { get: () => exports[key], enumerable: true, configurable: true });
      }
    }
    const value = isObject && exports.__esModule && 'default' in exports ? exports.default : exports;
    Object.defineProperty(namespace, 'default', { value, enumerable: true, configurable: true });
    return namespace;
  }

  function load(specifier, importer, line) {
    const path = host.resolve(specifier, importer);
    if (path === undefined) throw notFound(specifier, importer, line);
    let record = modules.get(path);
    if (record === undefined) {
      record = make(path, importer, line);
      modules.set(path, record);
    }
    return record;
  }

  function make(path, importer, line) {
    const record = { path, state: 'new', of: [], dependencies: [], module: { exports: {} }, promise: undefined };
    if (path.endsWith('.json')) {
      record.kind = 'cjs';
      record.run = () => {
        try { record.module.exports = parse(host.readText(path)); } catch (error) {
          throw new SyntaxError(path + ' is no valid JSON: ' + error.message);
        }
      };
      return record;
    }
    let parts;
    try { parts = host.loadModule(path); } catch (error) {
      if (error instanceof SyntaxError) throw new SyntaxError(error.message + where(importer, line));
      throw error;
    }
    const [kind, dependencies, isChecked, body] = parts;
    record.kind = kind === 'cjs' ? 'cjs' : 'esm';
    record.isAsync = kind === 'async';
    record.isChecked = isChecked;
    record.dependencies = dependencies;
    const runtime = {
      of: record.of,
      bare: (value) => value,
      import: (target) => importFrom(path)(target),
      meta: { url: 'file://' + path, filename: path, dirname: kernel.path.dirname(path), resolve: (target) => 'file://' + load(target, path).path },
      export(getters) {
        for (const name of Object.keys(getters)) {
          Object.defineProperty(record.namespace, name, { get: getters[name], enumerable: true, configurable: true });
        }
      },
      star(...indexes) {
        for (const index of indexes) {
          const source = record.of[index];
          for (const name of Object.keys(source)) {
            if (name === 'default' || Object.hasOwn(record.namespace, name)) continue;
            Object.defineProperty(record.namespace, name, { get: () => source[name], enumerable: true, configurable: true });
          }
        }
      },
    };
    if (record.kind === 'esm') {
      record.namespace = Object.create(null);
      Object.defineProperty(record.namespace, Symbol.toStringTag, { value: 'Module' });
      record.run = () => body(runtime);
    } else {
      const module = record.module;
      Object.assign(module, { id: path, filename: path, loaded: false, children: [], paths: [] });
      record.run = () => {
        body.call(module.exports, module.exports, requireFrom(path), module, path, kernel.path.dirname(path), runtime);
        module.loaded = true;
      };
    }
    return record;
  }

  function takenFrom(record) {
    if (record.kind === 'esm') return record.namespace;
    // A module in a circle may replace module.exports later: asked again until it has run.
    if (record.state !== 'done') return namespaceOf(record.module.exports);
    return (record.namespace ??= namespaceOf(record.module.exports));
  }

  /** Runs what a module imports, then the module. A promise if anything on the way awaits. */
  function evaluate(record) {
    if (record.state === 'failed') throw record.error;
    if (record.state !== 'new') return record.promise;
    record.state = 'running';
    let waiting;
    record.dependencies.forEach(([specifier, line, names], index) => {
      const take = () => {
        const known = builtin(specifier);
        if (known !== undefined) { record.of[index] = namespaceOf(known); check(record, names, index, specifier, line); return undefined; }
        const target = load(specifier, record.path, line);
        if (target.kind === 'esm') record.of[index] = target.namespace;
        const settle = () => {
          record.of[index] = takenFrom(target);
          if (target.state === 'done' && target.isChecked !== false) check(record, names, index, specifier, line);
        };
        const promise = evaluate(target);
        if (promise === undefined) { settle(); return undefined; }
        return promise.then(settle);
      };
      waiting = waiting === undefined ? guard(record, take) : waiting.then(take);
    });
    const run = () => record.run();
    const done = () => { record.state = 'done'; };
    const failed = (error) => { record.state = 'failed'; record.error = error; throw error; };
    if (waiting === undefined && !record.isAsync) {
      guard(record, run);
      done();
      return undefined;
    }
    record.promise = Promise.resolve(waiting).then(run).then(done, failed);
    return record.promise;
  }

  function guard(record, run) {
    try { return run(); } catch (error) { record.state = 'failed'; record.error = error; throw error; }
  }

  function check(record, names, index, specifier, line) {
    if (record.isChecked === false) return;
    for (const name of names) {
      if (name in record.of[index]) continue;
      throw new SyntaxError("The module '" + specifier + "' has no export named '" + name + "'" + where(record.path, line));
    }
  }

  function requireFrom(importer) {
    const require = (specifier) => {
      if (typeof specifier !== 'string') throw new TypeError('The "id" argument must be of type string.');
      const known = builtin(specifier);
      if (known !== undefined) return known;
      const record = load(specifier, importer);
      if (record.kind === 'cjs') {
        evaluate(record);
        return record.module.exports;
      }
      if (evaluate(record) !== undefined) {
        throw new Error("require('" + specifier + "') can't wait for a module that awaits at its top level; use await import('" + specifier + "').");
      }
      return record.namespace;
    };
    require.resolve = (specifier) => (kernel.builtin(specifier) ? specifier : load(specifier, importer).path);
    require.main = undefined;
    require.cache = {};
    return require;
  }

  function importFrom(importer, line) {
    return async (specifier) => {
      const target = typeof specifier === 'object' ? specifier.href : String(specifier);
      const known = builtin(target);
      if (known !== undefined) return namespaceOf(known);
      const record = load(target, importer, line);
      await evaluate(record);
      return takenFrom(record);
    };
  }
  kernel.requireFrom = requireFrom;
  kernel.importFrom = importFrom;
  kernel.isUnchecked = (specifier, importer) => {
    if (kernel.builtin(specifier)) return false;
    return load(specifier, importer).isChecked === false;
  };
  const createRequire = (from) => requireFrom(String(from?.href ?? from).replace(/^file:\/\//, ''));
  kernel.defineModule(['module'], () => ({ createRequire, builtinModules: kernel.builtinNames() }));
})`;
