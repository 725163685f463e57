// `process`. There is no real process, so most values are fixed.
import type { Kernel } from './kernel-type.ts';

/** Defines `process`. */
export function addProcess(kernel: Kernel) {
  const { host, parse } = kernel;
  const started = host.now();
  /** Where process.chdir has led. The host, its tools and imports know of the session's own only. */
  let folder: string | undefined;
  kernel.cwd = () => folder ?? host.cwd();
  kernel.fromHere = (path) =>
    folder === undefined || /^(?:\/|$)/.test(path) ? path : kernel.path.resolve(path);

  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: false,
    columns: 80,
    writable: true,
    write(text, ...rest) {
      host.write(name, typeof text === 'string' ? text : kernel.decode(text));
      const callback = rest.findLast((value) => typeof value === 'function');
      if (callback) queueMicrotask(kernel.asyncContext.bind(() => callback()));
      return true;
    },
    end(text) {
      if (text !== undefined) this.write(text);
    },
    // Output never fills up or closes, so these streams emit no events.
    emit: () => false,
    listenerCount: () => 0,
    on: self,
    once: self,
    off: self,
    prependListener: self,
    removeListener: self,
  });
  function self(this: unknown) {
    return this;
  }
  function hrtime(since) {
    if (since !== undefined && !Array.isArray(since))
      throw kernel.invalidType('time', 'an instance of Array', since);
    if (since !== undefined && since.length !== 2)
      throw kernel.outOfRange('time', '2', since.length);
    const now = performance.now();
    const seconds = Math.floor(now / 1000);
    const rest = Math.round((now % 1000) * 1e6);
    if (since === undefined) return [seconds, rest];
    const difference = (seconds - since[0]) * 1e9 + rest - since[1];
    return [Math.floor(difference / 1e9), difference % 1e9];
  }
  hrtime.bigint = () => BigInt(Math.round(performance.now() * 1e6));

  let env;
  let exitCode;
  let stdin;
  const process = {
    platform: 'rockpool',
    arch: 'wasm',
    pid: 1,
    ppid: 0,
    title: 'rockpool',
    version: 'v24.0.0',
    versions: { node: '24.0.0' },
    // Libraries choose by this name, such as Hono, whose env() then reads process.env.
    release: { name: 'node' },
    argv: ['rockpool', 'cell'],
    execArgv: [],
    execPath: 'rockpool',
    // Created on first use: a session restored from elsewhere keeps its values.
    get env() {
      return (env ??= parse(host.env()));
    },
    set env(value) {
      env = value;
    },
    get exitCode() {
      return exitCode;
    },
    set exitCode(code) {
      const number =
        typeof code === 'string' && code !== '' && Number.isInteger(Number(code))
          ? Number(code)
          : code;
      if (code !== undefined && code !== null) {
        if (typeof number !== 'number') throw kernel.invalidType('code', 'of type number', code);
        if (!Number.isInteger(number)) throw kernel.outOfRange('code', 'an integer', code);
      }
      exitCode = number ?? undefined;
    },
    /** There is no terminal input, so stdin has ended. */
    get stdin() {
      return (stdin ??= kernel.part('stream').Readable.from([]));
    },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    cwd: kernel.cwd,
    chdir(directory) {
      if (typeof directory !== 'string')
        throw kernel.invalidType('directory', 'of type string', directory);
      const to = kernel.path.resolve(directory);
      // It throws if there is no such directory.
      (kernel.fs as unknown as { readdirSync(path: string): unknown }).readdirSync(to);
      folder = to === host.cwd() ? undefined : to;
    },
    exit(code) {
      // As in Node, an invalid code leaves the current exit code.
      if (code || code === 0) process.exitCode = code;
      kernel.exit(process.exitCode ?? 0);
    },
    hrtime,
    uptime: () => (host.now() - started) / 1000,
    nextTick: (callback, ...args) => {
      const run = kernel.asyncContext.bind(callback);
      queueMicrotask(() => {
        try {
          run(...args);
        } catch (error) {
          if (kernel.takeUncaught?.(error)) return;
          // Printed here, because the error's origin is only known here. The cell then fails with
          // it.
          kernel.print('stderr', 'Uncaught in process.nextTick: ' + kernel.inspect(error));
          throw error;
        }
      });
    },
    memoryUsage: Object.assign(
      () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
      { rss: () => 0 },
    ),
    emitWarning(warning, given?, givenCode?) {
      const { type, code, detail } =
        typeof given === 'object' && given !== null ? given : { type: given, code: givenCode };
      const isError = warning instanceof Error;
      const name = isError ? warning.name : (type ?? 'Warning');
      const shownCode = isError ? warning.code : code;
      const text = isError ? warning.message : warning;
      kernel.print(
        'stderr',
        (shownCode ? '[' + shownCode + '] ' : '') +
          (name + ': ' + text) +
          (detail ? '\n' + detail : ''),
      );
      if (emitter === undefined) return;
      const made = isError ? warning : Object.assign(new Error(text), { name, code, detail });
      (ends['emit'] as Function)('warning', made);
    },
    argv0: 'rockpool',
    features: {},
    config: { target_defaults: {}, variables: {} },
    umask: () => 0o22,
    cpuUsage: () => ({ user: 0, system: 0 }),
    loadEnvFile(path: unknown = '.env') {
      const { parseEnv } = kernel.part('node-util');
      const found = parseEnv(kernel.fs['readFileSync'](path, 'utf8'));
      for (const name of Object.keys(found)) process.env[name] ??= found[name];
    },
    setSourceMapsEnabled() {},
    ref() {},
    unref() {},
    getActiveResourcesInfo: () => [],
    hasUncaughtExceptionCaptureCallback: () => false,
    allowedNodeEnvironmentFlags: new Set(),
    getBuiltinModule: (name: string) => kernel.builtin(String(name))?.(),
  };
  const ends: Record<string, unknown> = process;
  ends.abort = ends.kill = () => process.exit(1);

  /** The emitter with the listeners of the current cell. Earlier cells have emitted their end. */
  let emitter: object | undefined;
  const ofEmitters =
    'on once off emit addListener prependListener prependOnceListener removeListener removeAllListeners listeners ' +
    'rawListeners listenerCount eventNames setMaxListeners getMaxListeners';
  for (const name of ofEmitters.split(' '))
    ends[name] = (...args) => {
      const EventEmitter = kernel.part('events') as new () => object;
      const own = (emitter ??= new EventEmitter());
      const given = own[name](...args);
      return given === own ? process : given;
    };
  kernel.forgetListeners = () => {
    const earlier = emitter;
    emitter = undefined;
    return () => {
      emitter = earlier;
    };
  };
  let isEnding = false;
  kernel.tellEnd = (code, isWell) => {
    if (emitter === undefined || isEnding) return;
    isEnding = true;
    const emit = (name: string) =>
      (ends['emit'] as Function)(name, process.exitCode === undefined ? code : process.exitCode);
    try {
      if (isWell) emit('beforeExit');
      emit('exit');
    } finally {
      isEnding = false;
      emitter = undefined;
    }
  };
  Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });
  kernel.process = process;
  const modes = { BASE_URL: '/', MODE: 'test', DEV: true, PROD: false, SSR: true };
  kernel.metaEnv = new Proxy(modes, {
    get: (own, name) => own[name] ?? process.env[name as string],
    has: (own, name) => name in own || name in process.env,
  });
  kernel.defineGlobal('process', process);
  kernel.defineGlobal('global', globalThis);
  kernel.defineModule(['process'], () => process);
}
