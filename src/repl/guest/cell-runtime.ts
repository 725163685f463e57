// Runs a cell that syntax/cell.ts has rewritten. It defines the cell's names in the session and
// keeps the outcome until the session reads it.
import { withAdvice } from './advice.ts';
import type { Access, Kernel } from './kernel-type.ts';
import { toExpression } from './set-expressions.ts';

/** Adds startCell and state to the kernel. */
export function addCellRuntime(kernel: Kernel) {
  const { parse, stringify } = kernel;
  const maxDisplay = 200000;
  // 50 000: the sum of a value's characters and parts. A program can use so much directly, and it
  // is little beside the output.
  const maxValue = 50000;
  // Security: a cell may replace methods of Object, Array and Promise. A change that breaks the
  // cell is rolled back with it. A change that only affects the next cell would break every later
  // one. So code that all cells run uses only own properties, and functions saved at boot.
  const setOwn = Object.defineProperty;
  const { getOwnPropertyDescriptor, keys } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  // Not the global `process`: a cell may declare a variable of that name.
  const process = kernel.process;
  let outcome;
  let lastTimer = 0;
  let givenRequire;

  // The world's own globals. A variable with such a name hides the global without changing it, as
  // in a module. So it isn't a property of the global object, but a name in the engine's global
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
  /** Returns a variable's value. Also undefined if the variable's line was never reached. */
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

  /** Returns the names, of the given ones, that hide a global for the first time. */
  kernel.namesToHide = (encoded) => {
    const given = parse(encoded);
    const found = [];
    for (let at = 0; at < given.length; at += 1) {
      const name = given[at];
      if (worldNames[name] !== true || hiding[name] !== undefined) continue;
      // A frozen global can't be hidden.
      if (getOwnPropertyDescriptor(globalThis, name)?.configurable === false) continue;
      setOwn(found, found.length, { __proto__: null, value: name, enumerable: true });
    }
    return stringify(found);
  };
  /** Makes the name refer to the variable, which starts with the global's value. */
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
    // Enumerable globals of the world aren't variables of the session.
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

  /** Makes each access to a name throw until the name has a value (temporal dead zone). */
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
  /** Called after the imports were loaded, because their modules may read any global. */
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

  /**
   * Sets the global `require` for this cell, unless a cell has replaced it or has frozen the
   * globals.
   */
  function giveRequire(importer) {
    const own = getOwnPropertyDescriptor(globalThis, 'require');
    if (own?.value !== givenRequire || own?.configurable === false) return;
    kernel.defineGlobal('require', (givenRequire = kernel.requireFrom(importer)));
  }

  function settle(promise, onValue, onError) {
    // Without a constructor, `then` doesn't look up the class of the promise, which guest code may
    // have changed.
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
      /** Makes the names assignable, because the pattern's assignment follows. */
      declare(value, ...names) {
        for (const name of names) {
          // The value may be the global object itself.
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

  /** Defines the cell's imports as live variables that can't be assigned. */
  async function takeImports(list, importer, filename) {
    for (const [specifier, line, names] of list) {
      try {
        const load = kernel.importFrom(importer, line, Object.values(names));
        takeImport(specifier, names, await load(specifier), importer);
      } catch (error) {
        // No code of the cell is on the stack yet, so the error has no useful place.
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
      // TypeScript exports types under names that don't exist at run time. They don't count as
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
  /** Returns a value's JSON. Undefined if JSON would change the value, or if it is too long. */
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
   * True if JSON can represent the value, apart from its parts. JSON has no undefined, no -0 and no
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
    // The match of a regular expression is an array with further properties.
    return prototype === Array.prototype && Object.keys(object).length === object.length;
  }
  function succeed(value) {
    if (kernel.hasExited) return;
    outcome = { __proto__: null, ok: true, display: undefined };
    if (value === undefined) return;
    // Printing a value may run guest code. An error in it must not roll back the cell.
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
      // The cell's own error decides the outcome, not an error of an exit listener.
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
    // Other fields of the error (code, path, cause) are shown too.
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

  /** Ends the cell at once. The cell succeeds for code 0, and fails for any other code. */
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

  /** Starts a cell. Its outcome is known once promise jobs and timers have run. */
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

  /** Returns as JSON what the session needs to know to continue. */
  kernel.state = () =>
    stringify({
      __proto__: null,
      outcome,
      nextTimer: outcome === undefined ? kernel.nextTimer() : -1,
      // Only counts the cell's own timers. Those of earlier cells were reported before.
      pendingTimers: outcome === undefined ? 0 : kernel.timersAfter(lastTimer),
      takesRejections: kernel.takeUncaught !== undefined,
      testFailures: kernel.testFailures,
      exitCode: exitCode(),
    });
  /** Guest code may define this property, so reading it may throw. */
  function exitCode() {
    try {
      return Number(process.exitCode ?? 0);
    } catch {
      return 0;
    }
  }
}
