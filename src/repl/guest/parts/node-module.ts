// Node's `module`, for programs that load modules themselves.
import type { Kernel } from '../kernel-type.ts';

/** Returns the module, which is the class of CommonJS modules. */
export function addNodeModule(kernel: Kernel) {
  const dirname = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';
  const createRequire = (from) =>
    kernel.requireFrom(String(from?.href ?? from).replace(/^file:\/\//, ''));
  const ofTests = /^(?:@jest\/globals|bun:test|mocha|vitest)$/;
  const isBuiltin = (name: unknown) =>
    !ofTests.test(String(name)) &&
    (kernel.builtin(String(name)) ?? kernel.standInFor(String(name))) !== undefined;
  const importerOf = (parent) => parent?.filename ?? kernel.cwd() + '/cell';

  class Module {
    id: string;
    path: string;
    exports: unknown = {};
    filename: string | null = null;
    loaded = false;
    children: unknown[] = [];
    paths: string[] = [];
    parent: unknown;
    constructor(id = '', parent?: unknown) {
      this.id = id;
      this.path = dirname(id);
      this.parent = parent;
    }
    require(specifier: string) {
      return kernel.requireFrom(this.filename ?? this.id)(specifier);
    }
    /** Runs a text as the file's code. */
    _compile(code: unknown, filename: string) {
      this.filename ??= filename;
      // oxlint-disable-next-line no-new-func -- it is what the program asks for, in the cell's own world
      const body = Function(
        'exports',
        'require',
        'module',
        '__filename',
        '__dirname',
        String(code),
      );
      const { exports } = this;
      return body.call(
        exports,
        exports,
        createRequire(filename),
        this,
        filename,
        dirname(filename),
      );
    }
  }
  const wrapper = [
    '(function (exports, require, module, __filename, __dirname) { ',
    '\n});',
  ] as const;
  const compile = (module: Module, filename: string) =>
    module._compile(kernel.host.readText(filename), filename);
  return Object.assign(Module, {
    ...kernel
      .part('absent')
      .functionsOf(
        'module',
        ". It isn't available in this sandbox: a cell imports TypeScript as it is, and tests replace modules by vi.mock",
      ),
    Module,
    createRequire,
    isBuiltin,
    builtinModules: [...kernel.builtinNames(), ...kernel.absentNames].filter(
      (name) => !ofTests.test(name),
    ),
    wrapper,
    wrap: (code: string) => wrapper[0] + code + wrapper[1],
    globalPaths: [],
    _cache: {},
    _pathCache: {},
    _extensions: {
      '.js': compile,
      '.json'(module: Module, filename: string) {
        module.exports = kernel.parse(kernel.host.readText(filename));
      },
    },
    _load: (specifier: string, parent?: unknown) =>
      kernel.requireFrom(importerOf(parent))(specifier),
    _resolveFilename: (specifier: string, parent?: unknown) =>
      kernel.requireFrom(importerOf(parent)).resolve(specifier),
    _nodeModulePaths(from: string) {
      const paths: string[] = [];
      for (let folder = from; ; folder = dirname(folder)) {
        if (!folder.endsWith('/node_modules'))
          paths.push(folder.replace(/\/$/, '') + '/node_modules');
        if (folder === '/') return paths;
      }
    },
    _initPaths: () => {},
    syncBuiltinESMExports: () => {},
    findSourceMap: () => undefined,
    getSourceMapsSupport: () => ({ enabled: false, nodeModules: false, generatedCode: false }),
    setSourceMapsSupport: () => {},
    constants: { compileCacheStatus: { FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 } },
    enableCompileCache: () => ({ status: 3 }),
    flushCompileCache: () => {},
    getCompileCacheDir: () => undefined,
  });
}
