// The kernel: the object through which all parts of the guest's world reach each other. The host
// calls its methods (startCell, state, runTimer, answerCall, …), and it holds the host functions.
// No global refers to it. A program can still find it with a call site's getFunction. So the host
// must check everything that the kernel can do.
import { addEngineErrors } from './engine-errors.ts';
import type { HostFunctions } from './host.ts';
import type { Kernel, Parts } from './kernel-type.ts';

/** An open call of the host, and the caller that awaits it. */
interface StartedCall {
  readonly asked: Error;
  resolve(values: readonly unknown[]): void;
  reject(reason: unknown): void;
  onNote?: ((...values: unknown[]) => void) | undefined;
}

/** Creates the kernel over the host functions. */
export function createKernel(rawHost: HostFunctions): Kernel {
  const parse = JSON.parse;
  const stringify = JSON.stringify;
  const define = Object.defineProperty;

  // Node's messages for codes that programs look for. For other codes the workspace's message says
  // more than Node's: which rule refuses, and what to do.
  const texts: Record<string, string> = {
    EEXIST: 'file already exists',
    EISDIR: 'illegal operation on a directory',
    ENOENT: 'no such file or directory',
    ENOTDIR: 'not a directory',
    ENOTEMPTY: 'directory not empty',
  };
  // The error numbers of Linux.
  const errnos: Record<string, number> = {
    EPERM: -1,
    ENOENT: -2,
    EIO: -5,
    EBADF: -9,
    EACCES: -13,
    EBUSY: -16,
    EEXIST: -17,
    ENOTDIR: -20,
    EISDIR: -21,
    EINVAL: -22,
    EFBIG: -27,
    ENOSPC: -28,
    EROFS: -30,
    ENAMETOOLONG: -36,
    ENOTEMPTY: -39,
    ELOOP: -40,
  };
  // The system call that Node makes first, and so names in ENOENT errors.
  const firstCalls: Record<string, string> = {
    rm: 'lstat',
    cp: 'lstat',
    realpath: 'lstat',
    utimes: 'utime',
  };
  const kinds: Record<string, new (message: string) => Error> = {
    TypeError,
    RangeError,
    SyntaxError,
  };
  // Codes for refusals that programs may look for. They follow Node's naming.
  const refusals: Record<string, string> = {
    PermissionDenied: 'ERR_ACCESS_DENIED',
    LimitError: 'ERR_LIMIT',
  };
  // Errors of tools keep their own code, because Node has none.
  const hasOwnCode = (name: string) => name === 'ToolError';

  function toGuestError(error: Error): Error {
    let sent;
    try {
      sent = parse(error.message);
    } catch {
      return error;
    }
    const { code, path } = sent;
    let { message, syscall, dest } = sent;
    if (code === 'ERR_INVALID_ARG_VALUE') {
      message = message.replace(/^ERR_INVALID_ARG_VALUE: /, '');
      sent.name = 'TypeError';
    } else if (code === 'ENOENT' && firstCalls[syscall] !== undefined) {
      syscall = firstCalls[syscall];
      dest = undefined;
    }
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
    if (errnos[code] !== undefined) failure.errno = errnos[code];
    failure.code = code;
    if (syscall !== undefined) failure.syscall = syscall;
    if (path !== undefined) failure.path = path;
    if (dest !== undefined) failure.dest = dest;
    return failure;
  }

  // The error that process.exit throws. The cell is over then, and code that catches the error
  // can't do anything more.
  const exitSignal = new Error('process.exit ended the cell.');

  // Functions that are called very often and take one argument at most. A rest parameter would cost
  // more than the call to the host.
  const ofOneValue = [
    'exists',
    'stat',
    'lstat',
    'statTime',
    'statInode',
    'readText',
    'readBytes',
    'now',
    'random',
  ];
  const host = {} as HostFunctions;
  const wrapped: Record<string, Function> = host;
  const raws: Record<string, Function> = rawHost;
  for (const name of Object.keys(rawHost)) {
    const raw = raws[name] as Function;
    wrapped[name] = ofOneValue.includes(name)
      ? function (value) {
          if (kernel.hasExited) throw exitSignal;
          try {
            return raw(value);
          } catch (error) {
            throw toGuestError(error as Error);
          }
        }
      : function (first, ...others) {
          if (kernel.hasExited) throw exitSignal;
          try {
            return others.length === 0 ? raw(first) : raw(first, ...others);
          } catch (error) {
            throw toGuestError(error as Error);
          }
        };
  }

  const builtins = new Map<string, () => unknown>();
  // A plain object: it is searched between cells, and a cell may have changed the methods of Map.
  const parts: Record<string, unknown> = { __proto__: null };

  /** Tells the program's listeners of `process`. False if there are none. */
  const isHeard = (event: string, error: unknown): boolean => {
    const process = kernel.process as unknown as Record<'listenerCount' | 'emit', Function>;
    return process.listenerCount(event) > 0 && process.emit(event, error, event);
  };

  const kernel = {
    host,
    parse,
    stringify,
    exitSignal,
    errnos,
    hasExited: false,
    madeModules: [] as unknown[],
    takeUncaught: undefined,
    /** Returns the reason of an unhandled rejection as text. Empty if it needs no report. */
    describe: (reason) => {
      if (reason === exitSignal) return '';
      try {
        if (isHeard('unhandledRejection', reason) || kernel.takeUncaught?.(reason)) return '';
        return kernel.inspect(reason);
      } catch {
        return 'a value that could not be shown';
      }
    },
    reportUncaught(where, error) {
      if (isHeard('uncaughtException', error) || kernel.takeUncaught?.(error)) return;
      kernel.print('stderr', 'Uncaught in ' + where + ': ' + kernel.inspect(error));
    },
    /** Defines a global like a built-in: not enumerable, and replaceable. */
    defineGlobal(name, value) {
      define(globalThis, name, {
        __proto__: null,
        value,
        writable: true,
        configurable: true,
        enumerable: false,
      });
    },
    /** Defines a global that is created on first use. */
    defineLazyGlobal(name, make) {
      define(globalThis, name, {
        get() {
          const value = make();
          kernel.defineGlobal(name, value);
          return value;
        },
        set(value) {
          define(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
        },
        configurable: true,
        enumerable: false,
      });
    },
    /** Defines a module by its names, with and without 'node:'. Created on first use. */
    defineModule(names, make) {
      let exports;
      const get = () => {
        if (exports === undefined) {
          exports = make();
          kernel.madeModules.push(exports);
          kernel.onModule?.(exports);
        }
        return exports;
      };
      for (const name of names) builtins.set(name, get);
      return get;
    },
    builtin(specifier) {
      const get = builtins.get(specifier) ?? builtins.get(specifier.replace(/^node:/, ''));
      // Only 'node:test' is the module's name, as in Node. 'test' may be a package.
      if (specifier === 'test') return undefined;
      return get;
    },
    builtinNames: () => [...builtins.keys()].sort(),
    /** Returns another part of the world, which is loaded on first use. */
    part<Name extends keyof Parts>(name: Name) {
      return (parts[name] ??= host.part(name)(kernel)) as Parts[Name];
    },
    hasPart: (name) => name in parts,
    /**
     * Adds a part's members to the kernel. Reading one of these names for the first time loads the
     * part.
     */
    fromPart(part, names) {
      for (const name of names) {
        define(kernel, name, {
          get() {
            kernel.part(part);
            return kernel[name];
          },
          set(value) {
            define(kernel, name, { value, writable: true, configurable: true });
          },
          configurable: true,
        });
      }
    },
    /** Returns a stack without the frames of the world. */
    cleanStack(stack) {
      return (
        String(stack ?? '')
          .split('\n')
          // The world's functions are precompiled and have no file: the engine writes '<null>'.
          .filter(
            (line) =>
              line.trim() !== '' &&
              !line.includes('rockpool:') &&
              !line.includes('(<null>:') &&
              !line.includes('(native)'),
          )
          // Columns are removed, because they refer to the rewritten code.
          .map((line) => line.replace(/(:\d+):\d+(\)?)$/, '$1$2'))
          .join('\n')
      );
    },
    // The other members are added below and by the other parts.
  } as Kernel;

  // The engine's `stack` has only frames. Programs expect Node's, which begins with the error.
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { apply } = Reflect;
  const { get: enginePlaces } = getOwnPropertyDescriptor(Error.prototype, 'stack') as {
    get(this: unknown): unknown;
  };
  function titleOf(
    error: { name?: unknown; message?: unknown },
    name = String(error.name ?? 'Error'),
  ) {
    const message = String(error.message ?? '');
    return message === '' ? name : name + ': ' + message;
  }
  const toStack = (error: Error, places: string) =>
    titleOf(error) + (places === '' ? '' : '\n' + places);
  /**
   * Returns the stack frames of an error without those of the world, from its own stack or the
   * engine's.
   */
  function placesOf(error: unknown): string {
    if (typeof error !== 'object' || error === null) return '';
    const own = getOwnPropertyDescriptor(error, 'stack');
    const kept = own === undefined ? apply(enginePlaces, error, []) : own.value;
    const stack = framesOf(kept) ?? kept;
    // A program's own Error.prepareStackTrace may return anything.
    if (typeof stack !== 'string') return '';
    if (own === undefined) return kernel.cleanStack(stack);
    const title = titleOf(error);
    const rest = stack.startsWith(title) ? stack.slice(title.length) : stack;
    return kernel
      .cleanStack(rest)
      .split('\n')
      .filter((line) => /^\s*at /.test(line))
      .join('\n');
  }
  function setStack<Made extends object>(error: Made, stack: unknown): Made {
    return define(error, 'stack', {
      __proto__: null,
      value: stack,
      writable: true,
      configurable: true,
    });
  }
  const capture = Error.captureStackTrace;
  const framesOf = addEngineErrors(capture, host.sourceLine);
  const nativeErrors = [
    Error,
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
    AggregateError,
    SuppressedError,
  ];
  const isNative = (object: unknown) => {
    for (let at = 0; at < nativeErrors.length; at += 1)
      if (nativeErrors[at].prototype === object) return true;
    return false;
  };
  const ownValue = (object: object, key: string): unknown =>
    getOwnPropertyDescriptor(object, key)?.value;
  /**
   * Returns an error's displayed name: its class's name, as in Node, unless the error or its class
   * defines another.
   */
  kernel.nameOf = (error) => {
    let called;
    for (let at = error; at !== null && at !== undefined; at = getPrototypeOf(at)) {
      const made = ownValue(at, 'constructor');
      if (called === undefined && typeof made === 'function') {
        const name = ownValue(made, 'name');
        if (typeof name === 'string' && name !== '') called = name;
      }
      if (isNative(at)) return called ?? String(error.name);
      if (getOwnPropertyDescriptor(at, 'name') !== undefined) break;
    }
    return String(error.name ?? 'Error');
  };
  kernel.titleOf = titleOf;
  kernel.placesOf = placesOf;
  // Engine messages such as "not a function" name no value, so the source line is added.
  kernel.shownPlacesOf = (error) => {
    const places = placesOf(error).split('\n');
    const [, file, line] = /\((.+):([1-9]\d*)\)$/.exec(places[0]) ?? [];
    const source = file === undefined ? undefined : host.sourceLine(file, Number(line));
    if (source !== undefined) places.splice(1, 0, '      ' + line + ' | ' + source);
    return places.join('\n');
  };
  /** Sets an error's stack frames. Inverse of placesOf. */
  kernel.setPlaces = (error, places) => setStack(error, toStack(error, places));
  /**
   * True for text that consists of frames. A program's own Error.prepareStackTrace may return other
   * text.
   */
  const isPlaces = (stack: unknown): stack is string =>
    typeof stack === 'string' && (stack === '' || stack.trimStart().startsWith('at '));
  // The error whose title is being built. A `message` getter that reads the stack would recurse
  // without end.
  let titled: unknown;
  define(Error.prototype, 'stack', {
    get() {
      const kept = apply(enginePlaces, this, []);
      const places = framesOf(kept) ?? kept;
      if (!isPlaces(places) || titled === this) return places;
      const outer = titled;
      // oxlint-disable-next-line no-this-alias -- the error whose stack is read, to be told from others
      titled = this;
      try {
        return toStack(this, kernel.cleanStack(places));
      } finally {
        titled = outer;
      }
    },
    set(stack) {
      setStack(this, stack);
    },
    configurable: true,
    enumerable: false,
  });
  const captureStackTrace = (target, above) => {
    capture(target, above ?? captureStackTrace);
    const stack = framesOf(target.stack) ?? target.stack;
    if (isPlaces(stack)) kernel.setPlaces(target, kernel.cleanStack(stack));
  };
  define(Error, 'captureStackTrace', {
    value: captureStackTrace,
    writable: true,
    configurable: true,
  });

  /** The open calls of the host, by the numbers that it gave. */
  const calls: Record<string, StartedCall> = Object.create(null);
  /**
   * Starts a call of the host and returns a promise of its result. If the signal aborts, the
   * promise rejects with the signal's reason and the host is told. `onNote` gets progress. If it
   * throws, the promise rejects with that error.
   */
  kernel.callHost = (start, signal, onNote) => {
    // Created here, where the stack still has the caller.
    const asked = new Error();
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = start();
      const drop = () => {
        delete calls[id];
        host.cancelCall(id);
        reject(signal?.reason);
      };
      const settle = (by) => (value) => {
        signal?.removeEventListener('abort', drop);
        by(value);
      };
      calls[id] = { asked, resolve: settle(resolve), reject: settle(reject), onNote };
      signal?.addEventListener('abort', drop, { once: true });
    });
  };
  function takeCall(id: string | number): StartedCall | undefined {
    const call = calls[id];
    delete calls[id];
    return call;
  }
  kernel.answerCall = (id, ...values) => {
    takeCall(id)?.resolve(values);
  };
  kernel.noteCall = (id, ...values) => {
    try {
      calls[id]?.onNote?.(...values);
    } catch (error) {
      host.cancelCall(id);
      takeCall(id)?.reject(error);
    }
  };
  kernel.refuseCall = (id, message) => {
    const call = takeCall(id);
    if (call === undefined) return;
    call.reject(kernel.setPlaces(toGuestError(new Error(message)), placesOf(call.asked)));
  };
  /** Called when the cell has its outcome. Calls without an answer reject. */
  kernel.endCell = () => {
    for (const id in calls) {
      const call = takeCall(id);
      call?.reject(
        kernel.setPlaces(
          new DOMException(
            'The cell ended before this was done: await it in the cell that starts it.',
            'AbortError',
          ),
          placesOf(call?.asked),
        ),
      );
    }
  };

  // The functions that compile text. Most are only reachable through prototypes.
  const { eval: compile } = globalThis;
  const constructors = [
    Function,
    (async () => {}).constructor,
    function* () {}.constructor,
    async function* () {}.constructor,
  ];
  /** Why text isn't compiled any more. Undefined while it is. */
  kernel.evalRefusal = undefined;
  /**
   * Called after the engine was told to refuse compiling. Replaces the functions by ones that
   * explain why. If a program has kept the old functions, the engine still refuses, only without
   * the explanation.
   */
  kernel.forbidEval = (reason) => {
    if (kernel.evalRefusal !== undefined) return;
    kernel.evalRefusal = reason;
    const replace = (holder: object, key: string, refused: Function, prototype?: unknown) => {
      const own = getOwnPropertyDescriptor(holder, key);
      // A function that a program has replaced or frozen is left as it is.
      if (own === undefined || own.value !== refused || !own.configurable) return;
      const refuse = function () {
        throw kernel.evalRefused();
      };
      define(refuse, 'name', { __proto__: null, value: refused.name, configurable: true });
      define(refuse, 'length', { __proto__: null, value: 1, configurable: true });
      refuse.prototype = prototype;
      define(holder, key, { __proto__: null, ...own, value: refuse });
    };
    replace(globalThis, 'eval', compile);
    for (let at = 0; at < constructors.length; at += 1) {
      const { prototype } = constructors[at];
      replace(prototype, 'constructor', constructors[at], prototype);
    }
    replace(globalThis, 'Function', Function, Function.prototype);
  };
  kernel.evalRefused = () =>
    toGuestError(
      new Error(
        stringify({
          name: 'PermissionDenied',
          message: kernel.evalRefusal,
          code: 'permission-denied',
        }),
      ),
    );
  /** True for the engine's own refusal, which gives no reason. */
  kernel.isEvalRefusal = (error) =>
    kernel.evalRefusal !== undefined &&
    error instanceof TypeError &&
    error.message === 'eval is not supported';
  define(Math, 'random', {
    value: function random() {
      return host.random();
    },
    writable: true,
    configurable: true,
  });
  return kernel;
}
