// Guest source. The kernel: what every other part of the world hangs on. It is what the host calls
// (startCell, state, runTimers, …) and holds the host functions, which guest code never sees.

/** A function of the host functions that returns the kernel. */
export const kernelSource = String.raw`
(function (rawHost) {
  'use strict';
  const parse = JSON.parse;
  const stringify = JSON.stringify;
  const define = Object.defineProperty;

  // Node's own texts, for programs that look at them. With the other codes the workspace says more
  // than Node would: which rule refuses, what to do.
  const texts = {
    EEXIST: 'file already exists', EISDIR: 'illegal operation on a directory',
    ENOENT: 'no such file or directory', ENOTDIR: 'not a directory',
    ENOTEMPTY: 'directory not empty',
  };
  const kinds = { TypeError, RangeError, SyntaxError };

  function toGuestError(error) {
    let sent;
    try { sent = parse(error.message); } catch { return error; }
    const { code, syscall, path, dest } = sent;
    let { message } = sent;
    if (texts[code] !== undefined && syscall !== undefined) {
      message = code + ': ' + texts[code] + ', ' + syscall;
      if (path !== undefined) message += " '" + path + "'";
      if (dest !== undefined) message += " -> '" + dest + "'";
    }
    const failure = new (kinds[sent.name] ?? Error)(message);
    if (!/^E[A-Z]+$/.test(code)) return failure;
    failure.code = code;
    if (syscall !== undefined) failure.syscall = syscall;
    if (path !== undefined) failure.path = path;
    if (dest !== undefined) failure.dest = dest;
    return failure;
  }

  const host = {};
  for (const name of Object.keys(rawHost)) {
    const raw = rawHost[name];
    host[name] = function (...args) {
      try { return raw(...args); } catch (error) { throw toGuestError(error); }
    };
  }

  const builtins = new Map();
  const parts = new Map();

  const kernel = {
    host, parse, stringify,
    describe: (reason) => { try { return kernel.inspect(reason); } catch { return 'a value that could not be shown'; } },
    /** A global as built-ins are: not enumerable, free to be replaced. */
    defineGlobal(name, value) {
      define(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
    },
    /** A global that is made on first use. */
    defineLazyGlobal(name, make) {
      define(globalThis, name, {
        get() { const value = make(); kernel.defineGlobal(name, value); return value; },
        set(value) {
          define(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
        },
        configurable: true, enumerable: false,
      });
    },
    /** A module by name, with and without 'node:'; made on first use. */
    defineModule(names, make) {
      let exports;
      const get = () => (exports ??= make());
      for (const name of names) builtins.set(name, get);
      return get;
    },
    builtin(specifier) {
      const get = builtins.get(specifier) ?? builtins.get(specifier.replace(/^node:/, ''));
      // node:test is no file's name, and neither is 'test' a module's.
      if (specifier === 'test') return undefined;
      return get;
    },
    builtinNames: () => [...builtins.keys()].sort(),
    /** Another part of the world, loaded when it is first needed. */
    part(name) {
      if (!parts.has(name)) parts.set(name, host.part(name)(kernel));
      return parts.get(name);
    },
    hasPart: (name) => parts.has(name),
    /** A stack without the world's own frames. */
    cleanStack(stack) {
      return String(stack ?? '').split('\n')
        .filter((line) => line.trim() !== '' && !line.includes('rockpool:') && !line.includes('(native)'))
        // Columns are those of the rewritten text, and would mislead.
        .map((line) => line.replace(/(:\d+):\d+(\)?)$/, '$1$2'))
        .join('\n');
    },
  };
  return kernel;
})`;
