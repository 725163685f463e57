// Node's vm. There is one realm: a context has globals of its own, and shares the language's objects with the cell.
import { languageNames } from '../language-names.ts';
import type { Kernel } from '../kernel-type.ts';

interface Context {
  /** The object that the program gave. */
  readonly members: object;
  /** What scripts have declared by let, const and class. */
  readonly lexical: Record<string, unknown>;
  /** The names of its vars. Those without a value are no members. */
  readonly declared: Set<string>;
  /** `this` and `globalThis` of its scripts. */
  readonly global: object;
  /** Its eval, which runs text outermost in the context wherever it is called. */
  readonly eval: (code: unknown) => unknown;
}

interface ScriptNames {
  readonly code: string;
  readonly functions: readonly string[];
  readonly vars: readonly string[];
  readonly lexical: readonly string[];
  readonly writes: readonly string[];
  readonly asked: readonly string[];
}

/** Returns the module. */
export function addVm(kernel: Kernel) {
  const contexts = new WeakMap<object, Context>();
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';

  const read = (code: string) => kernel.parse(kernel.host.scriptNames(code)) as ScriptNames;
  const ofLanguage = (key: PropertyKey, context: Context): unknown =>
    key === 'eval' ? context.eval : languageNames.has(key) ? globalThis[key as string] : undefined;

  function createContext(members: unknown = {}): object {
    // The constant DONT_CONTEXTIFY asks for a plain global object.
    const own = typeof members === 'symbol' ? {} : members;
    if (!isObject(own)) throw kernel.invalidType('contextObject', 'of type object', members);
    if (contexts.has(own)) return own;
    const global = new Proxy(own, {
      get: (target, key) => (key in target ? target[key] : ofLanguage(key, context)),
      has: (target, key) => key in target || languageNames.has(key),
    });
    const lexical: Context['lexical'] = Object.create(null);
    const context: Context = {
      members: own,
      lexical,
      declared: new Set<string>(),
      global,
      eval: (code) => (typeof code === 'string' ? run(read(code), context) : code),
    };
    contexts.set(own, context);
    contexts.set(global, context);
    return own;
  }

  /** The names that a script sees. It stands in a `with` around the script. */
  function scopeOf(context: Context, names: ScriptNames): object {
    const { members, lexical, declared, global } = context;
    let hasBegun = false;
    const isOfContext = (key: string) => key in lexical || key in members || declared.has(key);
    return new Proxy(Object.create(null), {
      has(_target, key) {
        if (typeof key !== 'string') return false;
        // The engine first looks for what runs the script.
        if (!hasBegun) {
          hasBegun = key === '__code';
          return false;
        }
        if (key === '__define') return false;
        if (isOfContext(key) || names.writes.includes(key)) return true;
        if (key === 'globalThis' || key === 'eval') return true;
        // What only the cell has.
        return !languageNames.has(key) && key in globalThis;
      },
      get(_target, key) {
        if (typeof key !== 'string') return undefined;
        if (key in lexical) return lexical[key];
        if (key in members) return members[key];
        if (key === 'globalThis') return global;
        if (languageNames.has(key)) return ofLanguage(key, context);
        if (declared.has(key) || names.asked.includes(key)) return undefined;
        throw new ReferenceError(key + ' is not defined');
      },
      set(_target, key, value) {
        if (typeof key === 'string' && key in lexical) lexical[key] = value;
        else members[key] = value;
        return true;
      },
      deleteProperty: (_target, key) => Reflect.deleteProperty(members, key),
    });
  }

  function run(names: ScriptNames, context: Context): unknown {
    const { declared, lexical, global, members } = context;
    for (const name of names.lexical) lexical[name] = undefined;
    for (const name of names.vars) declared.add(name);
    const define = (functions: object) => void Object.assign(members, functions);
    // oxlint-disable-next-line no-new-func -- it is what the cell asks for, in the cell's own world
    const runner = Function('__scope', '__define', '__code', 'with (__scope) return eval(__code)');
    const first =
      names.functions.length === 0 ? '' : '__define({ ' + names.functions.join(', ') + ' });';
    return runner.call(global, scopeOf(context, names), define, first + names.code);
  }

  class Script {
    readonly #code: string;
    #names: ScriptNames | undefined;
    cachedDataRejected: boolean | undefined;
    sourceMapURL: string | undefined;
    constructor(code: unknown) {
      this.#code = String(code);
      // As in Node, a syntax error is told before the script runs.
      void this.#read();
    }
    #read(): ScriptNames {
      return (this.#names ??= read(this.#code));
    }
    runInThisContext() {
      // oxlint-disable-next-line no-eval -- it is what the cell asks for, in the cell's own world
      return globalThis.eval(this.#code);
    }
    runInContext(contextified: unknown) {
      const context = isObject(contextified) ? contexts.get(contextified) : undefined;
      if (context === undefined)
        throw kernel.invalidType('contextifiedObject', 'an vm.Context', contextified);
      return run(this.#read(), context);
    }
    runInNewContext(members?: unknown) {
      return this.runInContext(createContext(members));
    }
    createCachedData() {
      return kernel.Buffer.alloc(0);
    }
  }

  function compileFunction(code: unknown, names: readonly string[] = [], options: any = {}) {
    const { parsingContext, contextExtensions = [] } = options;
    const members = parsingContext ?? createContext(Object.assign({}, ...contextExtensions));
    if (parsingContext === undefined && contextExtensions.length === 0)
      // oxlint-disable-next-line no-new-func -- it is what the cell asks for, in the cell's own world
      return Function(...names, String(code));
    return new Script('(function (' + names.join(',') + ') {' + String(code) + '\n})').runInContext(
      members,
    );
  }

  return {
    ...kernel
      .part('absent')
      .functionsOf('vm', ". It isn't available in this sandbox: run a script of it"),
    Script,
    createScript: (code: unknown) => new Script(code),
    createContext,
    isContext(value: unknown) {
      if (!isObject(value)) throw kernel.invalidType('object', 'of type object', value);
      return contexts.has(value);
    },
    runInThisContext: (code: unknown) => new Script(code).runInThisContext(),
    runInContext: (code: unknown, context: unknown) => new Script(code).runInContext(context),
    runInNewContext: (code: unknown, members?: unknown) =>
      new Script(code).runInNewContext(members),
    compileFunction,
    constants: {
      DONT_CONTEXTIFY: Symbol('vm_context_no_contextify'),
      USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default'),
    },
  };
}
