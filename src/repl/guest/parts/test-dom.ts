// A DOM for test files that ask for one, as vitest's environments do. It comes from the project's
// own happy-dom, or from jsdom if that is requested and happy-dom isn't installed.
import type { Kernel, Namespace } from '../kernel-type.ts';
import { readTestConfig } from '../tests/config.ts';

type Close = () => Promise<void>;

interface DomWindow {
  readonly document: object;
}

interface HappyWindow extends DomWindow {
  readonly happyDOM: { abort(): Promise<void>; close?(): Promise<void> };
}

interface OpenWindow {
  readonly window: DomWindow;
  readonly close: Close;
}

/** Globals that aren't replaced: the language, console, and the network under the cell's rules. */
const kept =
  'globalThis global console process Buffer require fetch Headers Request Response performance structuredClone ' +
  'queueMicrotask setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate crypto ' +
  'TextEncoder TextDecoder ReadableStream WritableStream TransformStream eval undefined NaN Infinity';

/** Returns the function that opens DOMs for test files. */
export function addTestDom(kernel: Kernel) {
  const { host } = kernel;
  const isLanguage = new Set([...kept.split(' '), ...Object.getOwnPropertyNames(globalThis)]);
  // Globals that the DOM replaces although the cell has them too.
  const shared =
    'Event CustomEvent EventTarget AbortController AbortSignal Blob File FormData URL URLSearchParams';
  for (const name of shared.split(' ')) isLanguage.delete(name);
  const loaded = new Map<string, Promise<Namespace>>();

  const read = (file: string) => (host.exists(file) ? host.readText(file) : undefined);

  /** Returns the environment that the comment at the file's head or the nearest config names. */
  function environmentOf(file: string): string | undefined {
    const own = /@(?:vitest|jest)-environment\s+([\w-]+)/.exec(
      /^\s*(?:\/\*[^]*?\*\/|(?:\/\/[^\n]*\s*)+)/.exec(read(file) ?? '')?.[0] ?? '',
    );
    if (own) return own[1];
    return readTestConfig(kernel, file).environment;
  }

  function load(name: string, file: string): Promise<Namespace> {
    const known = loaded.get(name) ?? kernel.importFrom(file)(name);
    loaded.set(name, known);
    return known;
  }
  const isMissing = (error: unknown, name: string) =>
    (error as Error).code === 'ERR_MODULE_NOT_FOUND' &&
    (error as Error).message.startsWith("Cannot find module '" + name + "'");

  /** Prefers happy-dom even if jsdom is requested, because it loads faster. */
  async function openWindow(file: string, environment: string): Promise<OpenWindow> {
    const url = 'http://localhost:3000/';
    try {
      const { GlobalWindow } = (await load('happy-dom', file)) as Namespace & {
        GlobalWindow: new (options: object) => HappyWindow;
      };
      const window = new GlobalWindow({ url, console: kernel.console });
      const { happyDOM } = window;
      return { window, close: async () => happyDOM.close?.() ?? happyDOM.abort() };
    } catch (error) {
      if (!isMissing(error, 'happy-dom')) throw error;
      if (environment === 'jsdom') return openJsdom(file, url, error as Error);
      throw noDom(error as Error);
    }
  }

  async function openJsdom(file: string, url: string, missing: Error): Promise<OpenWindow> {
    let taken: Namespace & Record<'JSDOM' | 'VirtualConsole', new (...args: unknown[]) => any>;
    try {
      taken = (await load('jsdom', file)) as typeof taken;
    } catch (error) {
      throw isMissing(error, 'jsdom') ? noDom(missing) : error;
    }
    const virtualConsole = new taken.VirtualConsole();
    virtualConsole.forwardTo(kernel.console);
    const options = { url, virtualConsole, pretendToBeVisual: true };
    const { window } = new taken.JSDOM('<!DOCTYPE html>', options);
    return { window, close: async () => window.close() };
  }

  const noDom = (error: Error) =>
    kernel.coded(
      Error,
      'ERR_MODULE_NOT_FOUND',
      'This file asks for a DOM, which is the package happy-dom here, or jsdom, and neither is in node_modules: ' +
        'add happy-dom to the devDependencies and have them installed. ' +
        error.message,
    );

  function* namesOf(window: object): Generator<string> {
    for (let own = window; own && own !== Object.prototype; own = Object.getPrototypeOf(own))
      yield* Object.getOwnPropertyNames(own);
  }

  async function open(file: string): Promise<Close | undefined> {
    const environment = environmentOf(file);
    if (environment === undefined || environment === 'node') return undefined;
    if (environment !== 'happy-dom' && environment !== 'jsdom')
      throw new Error(
        "This file asks for the environment '" +
          environment +
          "'. There are node, happy-dom and jsdom.",
      );
    const { window, close } = await openWindow(file, environment);
    const before = new Map<string, PropertyDescriptor | undefined>();
    const put = (name: string, property: PropertyDescriptor) => {
      if (!before.has(name)) before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      Object.defineProperty(globalThis, name, { ...property, configurable: true });
    };
    for (const name of new Set(namesOf(window))) {
      if (isLanguage.has(name) || name === 'constructor' || name.startsWith('_')) continue;
      let own: unknown;
      let isOwn = false;
      put(name, {
        get() {
          if (isOwn) return own;
          const value = window[name];
          // Lowercase functions are methods of the window and must be bound. Classes begin with a
          // capital letter.
          return typeof value === 'function' && /^[a-z]/.test(name) ? value.bind(window) : value;
        },
        set(value) {
          own = value;
          isOwn = true;
        },
        enumerable: true,
      });
    }
    for (const name of ['window', 'self', 'top', 'parent'])
      put(name, { value: globalThis, writable: true, enumerable: true });
    Object.defineProperty(window.document, 'defaultView', {
      get: () => globalThis,
      configurable: true,
    });
    return async () => {
      await close();
      for (const [name, property] of before) {
        if (property) Object.defineProperty(globalThis, name, property);
        else delete globalThis[name];
      }
    };
  }
  return {
    open,
    /** Drops the DOM's many modules when a test run has ended. */
    forget() {
      loaded.clear();
    },
  };
}
