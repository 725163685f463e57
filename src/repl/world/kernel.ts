// Guest source. The kernel: what every other part of the world hangs on. It is what the host calls
// (startCell, state, runTimer, answerCall, …) and holds the host functions, which guest code never
// sees.

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
  // Refusals that a program may look for, with codes as Node would have them.
  const refusals = { PermissionDenied: 'ERR_ACCESS_DENIED', LimitError: 'ERR_LIMIT' };
  // Node has none for these: they keep the tool's own.
  const hasOwnCode = (name) => name === 'ToolError';

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
    if (refusals[sent.name] !== undefined || hasOwnCode(sent.name)) {
      define(failure, 'name', { value: sent.name, configurable: true, writable: true });
      failure.code = refusals[sent.name] ?? code;
    }
    if (!/^E[A-Z_]+$/.test(code)) return failure;
    failure.code = code;
    if (syscall !== undefined) failure.syscall = syscall;
    if (path !== undefined) failure.path = path;
    if (dest !== undefined) failure.dest = dest;
    return failure;
  }

  // What process.exit throws. Once it has, the cell is over: whatever catches it reaches no more.
  const exitSignal = new Error('process.exit ended the cell.');

  // What programs call by the thousand passes one value or none: a list of arguments that is made for
  // each call takes longer than the call's way to the host.
  const ofOneValue = ['exists', 'stat', 'lstat', 'statTime', 'readText', 'readBytes', 'now', 'random'];
  const host = {};
  for (const name of Object.keys(rawHost)) {
    const raw = rawHost[name];
    host[name] = ofOneValue.includes(name) ? function (value) {
      if (kernel.hasExited) throw exitSignal;
      try { return raw(value); } catch (error) { throw toGuestError(error); }
    } : function (first, ...others) {
      if (kernel.hasExited) throw exitSignal;
      try { return others.length === 0 ? raw(first) : raw(first, ...others); } catch (error) { throw toGuestError(error); }
    };
  }

  const builtins = new Map();
  // Between cells these are looked through: not by methods, which a cell may have changed.
  const parts = { __proto__: null };

  const kernel = {
    host, parse, stringify, exitSignal,
    hasExited: false,
    /** A promise's unhandled reason as text; empty where it is nothing to tell. */
    describe: (reason) => { if (reason === exitSignal) return ''; try { return kernel.inspect(reason); } catch { return 'a value that could not be shown'; } },
    /** A global as built-ins are: not enumerable, free to be replaced. */
    defineGlobal(name, value) {
      define(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
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
      return (parts[name] ??= host.part(name)(kernel));
    },
    hasPart: (name) => name in parts,
    /** What a part hangs on the kernel, loaded when one of these names is first read. */
    fromPart(part, names) {
      for (const name of names) {
        define(kernel, name, {
          get() { kernel.part(part); return kernel[name]; },
          set(value) { define(kernel, name, { value, writable: true, configurable: true }); },
          configurable: true,
        });
      }
    },
    /** A stack without the world's own frames. */
    cleanStack(stack) {
      return String(stack ?? '').split('\n')
        // Compiled ahead, the world's functions have no file: the engine writes '<null>'.
        .filter((line) => line.trim() !== '' && !line.includes('rockpool:') && !line.includes('(<null>:') && !line.includes('(native)'))
        // Columns are those of the rewritten text, and would mislead.
        .map((line) => line.replace(/(:\d+):\d+(\)?)$/, '$1$2'))
        .join('\n');
    },
  };

  /** What the host was asked for, by the number that it gave. */
  const calls = { __proto__: null };
  /**
   * A promise of the answer's values to a call that 'start' starts. When the signal aborts, it rejects
   * with its reason, and the host is told.
   */
  kernel.callHost = (start, signal) => {
    // Taken here, where the stack still shows who asked.
    const { stack } = new Error();
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = start();
      const drop = () => {
        delete calls[id];
        host.cancelCall(id);
        reject(signal.reason);
      };
      const settle = (by) => (value) => { signal?.removeEventListener('abort', drop); by(value); };
      calls[id] = { stack, resolve: settle(resolve), reject: settle(reject) };
      signal?.addEventListener('abort', drop, { once: true });
    });
  };
  function takeCall(id) {
    const call = calls[id];
    delete calls[id];
    return call;
  }
  kernel.answerCall = (id, ...values) => { takeCall(id)?.resolve(values); };
  kernel.refuseCall = (id, message) => {
    const call = takeCall(id);
    if (call === undefined) return;
    call.reject(withStack(toGuestError(new Error(message)), call));
  };
  const withStack = (failure, { stack }) => define(failure, 'stack', { value: stack, configurable: true, writable: true });
  /** The cell has its outcome: what the host hasn't answered, it never will. */
  kernel.endCell = () => {
    for (const id in calls) {
      const call = takeCall(id);
      call.reject(withStack(new DOMException('The cell ended before this was done: await it in the cell that starts it.', 'AbortError'), call));
    }
  };
  define(Math, 'random', { value: function random() { return host.random(); }, writable: true, configurable: true });
  return kernel;
})`;
