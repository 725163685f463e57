// Runs a cell that cell.ts has rewritten: gives its names to the session, keeps its
// outcome until the session asks.
import { withAdvice } from './advice.ts';
import type { Access, Kernel } from './kernel-type.ts';
import { toExpression } from './set-expressions.ts';

/** Adds startCell and state to the kernel. */
export function addCellRuntime(kernel: Kernel) {
  const { parse, stringify } = kernel;
  const maxDisplay = 200000;
  // Units and values: what a program takes up at once, and little beside the output.
  const maxValue = 50000;
  // Security: a cell may change the members of all objects, lists and promises. A change that
  // breaks the cell is undone with it. But one that only the next cell meets would break every cell
  // from then on. So code that every cell passes through uses none of them: only own properties,
  // and functions from the start.
  const setOwn = Object.defineProperty;
  const { getOwnPropertyDescriptor, keys } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  // Not the global: a cell may have a variable of that name.
  const process = kernel.process;
  let outcome;
  let lastTimer = 0;
  let givenRequire;

  // The world's own globals. A variable of such a name hides the global and leaves it as it is, as
  // in a module. So it is no property of the global object, but a name of the engine's global
  // scope.
  const worldNames: Record<string, true> = Object.create(null);
  const ownNames = Object.getOwnPropertyNames(globalThis);
  for (let at = 0; at < ownNames.length; at += 1) worldNames[ownNames[at] as string] = true;
  const hiding: Record<string, Access> = Object.create(null);

  const variable = (name, value, writable) => {
    if (hiding[name] !== undefined) {
      hiding[name].set(value);
      return;
    }
    setOwn(globalThis, name, {
      __proto__: null,
      value,
      writable,
      configurable: true,
      enumerable: true,
    });
  };
  /** Undefined also for a variable whose line was never reached. */
  const current = (name) => {
    try {
      return hiding[name] !== undefined ? hiding[name].get() : globalThis[name];
    } catch {
      return undefined;
    }
  };
  const isReadable = (name) => {
    try {
      return (void globalThis[name], name in globalThis);
    } catch {
      return false;
    }
  };

  /** The names among these that a cell is about to hide for the first time. */
  kernel.namesToHide = (encoded) => {
    const given = parse(encoded);
    const found = [];
    for (let at = 0; at < given.length; at += 1) {
      const name = given[at];
      if (worldNames[name] !== true || hiding[name] !== undefined) continue;
      // A global that was frozen can't be hidden.
      if (getOwnPropertyDescriptor(globalThis, name)?.configurable === false) continue;
      setOwn(found, found.length, { __proto__: null, value: name, enumerable: true });
    }
    return stringify(found);
  };
  /** From now on the name is the variable, which begins with the global's value. */
  kernel.hide = (name, access) => {
    access.set(current(name));
    hiding[name] = access;
  };

  kernel.keptNames = () => {
    const given = keys(globalThis);
    const hidden = keys(hiding);
    const names = [];
    const keep = (name) => {
      if (names.length < 1000) setOwn(names, names.length, own(name));
    };
    // Names that the world can enumerate are no variables.
    for (let at = 0; at < given.length; at += 1)
      if (worldNames[given[at]] !== true) keep(given[at]);
    for (let at = 0; at < hidden.length; at += 1) keep(hidden[at]);
    return toListText(names);
  };
  kernel.servers = Object.create(null);
  kernel.openPorts = () => toListText(keys(kernel.servers));

  /** A list of texts as JSON, whatever the cell has made of lists. */
  function toListText(list: string[]): string {
    setOwn(list, 'toJSON', { __proto__: null, value: undefined });
    return stringify(list);
  }
  const own = (value) => ({
    __proto__: null,
    value,
    writable: true,
    configurable: true,
    enumerable: true,
  });

  /** A name before it has its value. */
  function bar(name: string, assign?: (value: unknown) => void) {
    if (hiding[name] !== undefined) return;
    const refuse = () => {
      throw new ReferenceError("Cannot access '" + name + "' before initialization");
    };
    setOwn(globalThis, name, {
      __proto__: null,
      get: refuse,
      set: assign ?? refuse,
      configurable: true,
      enumerable: true,
    });
  }

  function each(list, run) {
    for (let at = 0; at < list.length; at += 1) run(list[at]);
  }
  /** Once the imports are there: their modules may ask for any name. */
  function barAll({ lexical, unnamed }) {
    each(lexical, (name) => bar(name));
    each(unnamed, (name) => {
      if (name in globalThis && worldNames[name] !== true) bar(name);
    });
  }
  function prepare(names) {
    each(names.vars, (name) => variable(name, current(name), true));
    each(names.functions, (name) => variable(name, undefined, true));
    each(names.assigned, (name) => {
      if (!(name in globalThis)) variable(name, undefined, true);
    });
  }

  /** If a cell has replaced it, or has frozen all globals, that stays. */
  function giveRequire(importer) {
    const own = getOwnPropertyDescriptor(globalThis, 'require');
    if (own?.value !== givenRequire || own?.configurable === false) return;
    kernel.defineGlobal('require', (givenRequire = kernel.requireFrom(importer)));
  }

  function settle(promise, onValue, onError) {
    // A promise without a constructor isn't a subclass's: 'then' asks nobody for a class.
    setOwn(promise, 'constructor', { __proto__: null, value: undefined });
    apply(then, promise, [onValue, onError]);
  }

  function runtimeFor(importer) {
    let meta;
    return {
      ...kernel.asyncContext.forCode,
      expression: toExpression,
      define(name, value, isConst) {
        variable(name, value, !isConst);
        return value;
      },
      /** The names may be assigned now: their pattern takes the value apart next. */
      declare(value, ...names) {
        for (const name of names) {
          // The value may be the global object.
          if (isReadable(name)) variable(name, current(name), true);
          else bar(name, (given) => variable(name, given, true));
        }
        return value;
      },
      seal: (...names) => {
        for (const name of names) variable(name, current(name), false);
      },
      import: kernel.importFrom(importer),
      get classes() {
        return kernel.classes();
      },
      get meta() {
        return (meta ??= kernel.metaOf(importer));
      },
    };
  }

  /** The cell's import declarations, as live variables that can't be assigned. */
  async function takeImports(list, importer, filename) {
    for (const [specifier, line, names] of list) {
      try {
        takeImport(specifier, names, await kernel.importFrom(importer, line)(specifier), importer);
      } catch (error) {
        // Nothing of the cell is on the stack yet.
        if (error instanceof Error && Object.isExtensible(error))
          kernel.setPlaces(
            error,
            [kernel.placesOf(error), '    at import (' + filename + ':' + line + ')']
              .filter((places) => places !== '')
              .join('\n'),
          );
        throw error;
      }
    }
  }
  function takeImport(specifier, names, namespace, importer) {
    for (const local of Object.keys(names)) {
      const name = names[local];
      // Names that TypeScript exports as types aren't there at run time. They don't count as
      // missing.
      if (name !== '*' && !(name in namespace) && !kernel.isUnchecked(specifier, importer)) {
        throw new SyntaxError("The module '" + specifier + "' has no export named '" + name + "'");
      }
      if (hiding[local] !== undefined) {
        hiding[local].set(name === '*' ? namespace : namespace[name]);
        continue;
      }
      setOwn(globalThis, local, {
        get: name === '*' ? () => namespace : () => namespace[name],
        set() {
          throw new TypeError("'" + local + "' is read-only");
        },
        configurable: true,
        enumerable: true,
      });
    }
  }

  async function runDeclaredTests() {
    await kernel.part('test-runner').runDeclared();
  }
  function finish(value) {
    if (kernel.hasPart('test-runner')) settle(runDeclaredTests(), () => end(value), fail);
    else end(value);
  }
  function end(value) {
    try {
      kernel.tellEnd(0, true);
    } catch (error) {
      fail(error);
      return;
    }
    succeed(value);
  }
  function cut(text) {
    return text.length <= maxDisplay
      ? text
      : text.slice(0, maxDisplay) + '... ' + (text.length - maxDisplay) + ' more characters';
  }
  /** The value as JSON; undefined for what JSON would tell otherwise, or is too long to carry along. */
  function toData(value) {
    let left = maxValue;
    try {
      return stringify(value, function (key, item) {
        const given = this[key];
        left -= 1 + key.length + (typeof given === 'string' ? given.length : 0);
        const isLong = left < 0 || (Array.isArray(given) && given.length > left);
        if (item !== given || isLong || !isData(given)) throw new TypeError('no data');
        return item;
      });
    } catch {
      return undefined;
    }
  }
  /**
   * True if JSON can write the value itself, its parts aside. JSON has no undefined, no -0 and no
   * holes.
   */
  function isData(value) {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0);
      case 'object':
        return value === null || isPlain(value);
      default:
        return false;
    }
  }
  function isPlain(object) {
    if (Object.getOwnPropertySymbols(object).length > 0) return false;
    const prototype = Object.getPrototypeOf(object);
    if (!Array.isArray(object)) return prototype === Object.prototype || prototype === null;
    // A match has more than its items.
    return prototype === Array.prototype && Object.keys(object).length === object.length;
  }
  function succeed(value) {
    if (kernel.hasExited) return;
    outcome = { __proto__: null, ok: true, display: undefined };
    if (value === undefined) return;
    // Showing a value runs its code too; what that does is no reason to undo the cell.
    outcome.value = toData(value);
    try {
      outcome.display = cut(kernel.inspect(value));
    } catch (error) {
      outcome.display = '(a value that could not be shown: ' + kernel.describe(error) + ')';
    }
  }
  function fail(error) {
    if (kernel.hasExited) return;
    try {
      kernel.tellEnd(1, false);
    } catch (second) {
      // The cell's own error is what it ends by.
      if (kernel.hasExited) return;
      kernel.print('stderr', "Uncaught in a listener of process 'exit': " + kernel.inspect(second));
    }
    try {
      outcome = { __proto__: null, ...toFailure(error) };
    } catch {
      outcome = {
        __proto__: null,
        ok: false,
        name: 'Error',
        message: 'The cell threw a value that could not be shown.',
        stack: '',
      };
    }
  }
  function toFailure(error) {
    if (kernel.isEvalRefusal(error))
      error = kernel.setPlaces(kernel.evalRefused(), kernel.placesOf(error));
    const isError =
      error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
    if (!isError)
      return {
        ok: false,
        name: 'Error',
        message: 'The cell threw what is no Error: ' + cut(kernel.inspect(error)),
        stack: '',
      };
    // The error's other fields (code, path, cause) are shown, too.
    const extra = Object.keys(error).filter((key) => !['name', 'message', 'stack'].includes(key));
    const shown = Object.fromEntries(extra.map((key) => [key, error[key]]));
    if (error.cause !== undefined) shown.cause = error.cause;
    if (Array.isArray(error.errors)) shown.errors = error.errors;
    if (error.name === 'SuppressedError') {
      shown.error = error.error;
      shown.suppressed = error.suppressed;
    }
    return {
      ok: false,
      name: kernel.nameOf(error),
      message: cut(withAdvice(String(error.message))),
      stack: cut(kernel.shownPlacesOf(error)),
      ...(Object.keys(shown).length > 0 && { display: cut(kernel.inspect(shown)) }),
    };
  }

  /** Ends the cell as it is: well for 0, like an uncaught error for any other code. */
  kernel.exit = (given) => {
    if (!kernel.hasExited) kernel.tellEnd(Number(given), false);
    if (!kernel.hasExited) {
      const code = Number(process.exitCode ?? given);
      kernel.dropTimersAfter(0);
      outcome =
        code === 0
          ? { ok: true }
          : {
              ok: false,
              name: 'ExitError',
              message: 'The cell ended by process.exit(' + code + ').',
              stack: kernel.placesOf(new Error()),
            };
      kernel.hasExited = true;
    }
    throw kernel.exitSignal;
  };

  /** Starts a cell; its outcome comes when promise jobs and timers have run. */
  kernel.startCell = (makeFunctions, body, encoded) => {
    const { names, imports, importer, filename } = parse(encoded);
    outcome = undefined;
    kernel.testFailures = undefined;
    kernel.hasExited = false;
    try {
      process.exitCode = undefined;
    } catch {}
    kernel.leaveModules();
    kernel.forgetListeners();
    kernel.resetIndent();
    lastTimer = kernel.lastTimer();
    giveRequire(importer);
    const runtime = runtimeFor(importer);
    prepare(names);
    makeFunctions(runtime);
    const start = () => {
      barAll(names);
      return body(runtime);
    };
    const run = async () => {
      await takeImports(imports, importer, filename);
      return start();
    };
    settle(imports.length > 0 ? run() : start(), finish, fail);
  };

  /** The state that the session needs to go on, as JSON. */
  kernel.state = () =>
    stringify({
      __proto__: null,
      outcome,
      nextTimer: outcome === undefined ? kernel.nextTimer() : -1,
      // Only the cell's own timers: those of earlier cells were told of.
      pendingTimers: outcome === undefined ? 0 : kernel.timersAfter(lastTimer),
      testFailures: kernel.testFailures,
      exitCode: exitCode(),
    });
  /** The property is the guest's own, so it may throw. */
  function exitCode() {
    try {
      return Number(process.exitCode ?? 0);
    } catch {
      return 0;
    }
  }
}
