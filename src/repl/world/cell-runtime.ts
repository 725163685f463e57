// Guest source. Runs a cell that cell.ts has rewritten: gives its names to the session, keeps its
// outcome until the session asks.

/** A function of the kernel that adds startCell and state to it. */
export const cellRuntimeSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse, stringify } = kernel;
  const maxDisplay = 200000;
  const setOwn = Object.defineProperty;
  let outcome;

  const variable = (name, value, writable) => {
    setOwn(globalThis, name, { value, writable, configurable: true, enumerable: true });
  };
  const current = (name) => Object.getOwnPropertyDescriptor(globalThis, name)?.value;

  function prepare(names) {
    for (const name of names.lexical) delete globalThis[name];
    for (const name of names.vars) variable(name, current(name), true);
    for (const name of names.functions) variable(name, undefined, true);
    for (const name of names.assigned) if (!(name in globalThis)) variable(name, undefined, true);
  }

  function runtimeFor(importer) {
    return {
      define: (name, value, isConst) => variable(name, value, !isConst),
      declare: (...names) => { for (const name of names) variable(name, undefined, true); },
      seal: (...names) => { for (const name of names) variable(name, globalThis[name], false); },
      import: kernel.importFrom(importer),
      meta: { url: 'file://' + importer, filename: importer, dirname: kernel.path.dirname(importer) },
      async imports(list) {
        for (const [specifier, line, names] of list) {
          const namespace = await kernel.importFrom(importer, line)(specifier);
          for (const local of Object.keys(names)) {
            const name = names[local];
            if (name === '*') { variable(local, namespace, false); continue; }
            // What TypeScript exports as a type isn't there at run time, and isn't missed.
            if (!(name in namespace) && !kernel.isUnchecked(specifier, importer)) {
              throw new SyntaxError("The module '" + specifier + "' has no export named '" + name + "'");
            }
            setOwn(globalThis, local, { get: () => namespace[name], configurable: true, enumerable: true });
          }
        }
      },
    };
  }

  async function runDeclaredTests(value) {
    if (kernel.hasPart('test-runner')) await kernel.part('test-runner').runDeclared();
    return value;
  }
  function cut(text) {
    return text.length <= maxDisplay ? text : text.slice(0, maxDisplay) + '... ' + (text.length - maxDisplay) + ' more characters';
  }
  function succeed(value) {
    outcome = { ok: true, display: undefined };
    if (value === undefined) return;
    // Showing a value runs its code too; what that does is no reason to undo the cell.
    try { outcome.display = cut(kernel.inspect(value)); } catch (error) {
      outcome.display = '(a value that could not be shown: ' + kernel.describe(error) + ')';
    }
  }
  function fail(error) {
    try { outcome = toFailure(error); } catch {
      outcome = { ok: false, name: 'Uncaught', message: 'a value that could not be shown', stack: '' };
    }
  }
  function toFailure(error) {
    const isError = error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
    if (!isError) return { ok: false, name: 'Uncaught', message: cut(kernel.inspect(error)), stack: '' };
    // What the error carries besides (code, path, cause) is worth a look too.
    const extra = Object.keys(error).filter((key) => !['name', 'message', 'stack'].includes(key));
    const shown = Object.fromEntries(extra.map((key) => [key, error[key]]));
    if (error.cause !== undefined) shown.cause = error.cause;
    if (Array.isArray(error.errors)) shown.errors = error.errors;
    return {
      ok: false,
      name: String(error.name),
      message: cut(String(error.message)),
      stack: cut(kernel.cleanStack(error.stack)),
      ...(Object.keys(shown).length > 0 && { display: cut(kernel.inspect(shown)) }),
    };
  }

  /** Starts a cell; its outcome comes when promise jobs and timers have run. */
  kernel.startCell = (makeFunctions, body, encoded) => {
    const { names, importer } = parse(encoded);
    outcome = undefined;
    kernel.testFailures = undefined;
    kernel.forgetModules();
    kernel.resetIndent();
    kernel.defineGlobal('require', kernel.requireFrom(importer));
    const runtime = runtimeFor(importer);
    prepare(names);
    makeFunctions.call(globalThis, runtime);
    body.call(globalThis, runtime).then(runDeclaredTests).then(succeed, fail);
  };

  /** What the session needs to know to go on: as JSON. */
  kernel.state = () => stringify({
    outcome,
    nextTimer: outcome === undefined ? kernel.nextTimer() : -1,
    pendingTimers: kernel.pendingTimers(),
    testFailures: kernel.testFailures,
  });
})`;
