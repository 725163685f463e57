// A DOM for test files that ask for one: the project's own happy-dom, as vitest's environment of that name.
import type { Kernel, Namespace } from '../kernel-type.ts';

type Close = () => Promise<void>;

interface DomWindow {
  readonly document: object;
  readonly happyDOM: { abort(): Promise<void>; close?(): Promise<void> };
}

/** What stays the cell's own: its language and console, and the network under its rules. */
const kept =
  'globalThis global console process Buffer require fetch Headers Request Response performance structuredClone ' +
  'queueMicrotask setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate crypto ' +
  'TextEncoder TextDecoder ReadableStream WritableStream TransformStream eval undefined NaN Infinity';

const configs = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['.ts', '.mts', '.js', '.mjs'].map((end) => name + end),
);

/** Opens test files' DOMs. */
export function addTestDom(kernel: Kernel) {
  const { host, parse, path } = kernel;
  const isLanguage = new Set([...kept.split(' '), ...Object.getOwnPropertyNames(globalThis)]);
  // What the DOM has of its own, though the cell has it as well.
  const shared =
    'Event CustomEvent EventTarget AbortController AbortSignal Blob File FormData URL URLSearchParams';
  for (const name of shared.split(' ')) isLanguage.delete(name);
  let loaded: Promise<Namespace> | undefined;

  const read = (file: string) => (host.exists(file) ? host.readText(file) : undefined);

  /** The comment at the file's head, or the nearest config that names one as a literal. */
  function environmentOf(file: string): string | undefined {
    const own = /@(?:vitest|jest)-environment\s+([\w-]+)/.exec(
      /^\s*(?:\/\*[^]*?\*\/|(?:\/\/[^\n]*\s*)+)/.exec(read(file) ?? '')?.[0] ?? '',
    );
    if (own) return own[1];
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      for (const name of configs) {
        const text = read(path.join(folder, name));
        const found = /\benvironment\s*:\s*['"\x60]([\w-]+)['"\x60]/.exec(text ?? '');
        if (found) return found[1];
        if (text !== undefined) return undefined;
      }
      const manifest = read(path.join(folder, 'package.json'));
      if (manifest !== undefined) return parse(manifest)?.jest?.testEnvironment;
      if (folder === path.dirname(folder)) return undefined;
    }
  }

  function load(file: string) {
    loaded ??= (async () => {
      try {
        return await kernel.importFrom(file)('happy-dom');
      } catch (error) {
        loaded = undefined;
        if ((error as Error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw kernel.coded(
          Error,
          'ERR_MODULE_NOT_FOUND',
          'This file asks for a DOM, which is the package happy-dom here, and it is in no node_modules: ' +
            'add happy-dom to the devDependencies and have them installed. ' +
            (error as Error).message,
        );
      }
    })();
    return loaded;
  }

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
    const { GlobalWindow } = (await load(file)) as {
      GlobalWindow: new (options: object) => DomWindow;
    };
    const window = new GlobalWindow({ url: 'http://localhost:3000/', console: kernel.console });
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
          // Methods are the window's; classes have a large first letter.
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
      await (window.happyDOM.close?.() ?? window.happyDOM.abort());
      for (const [name, property] of before) {
        if (property) Object.defineProperty(globalThis, name, property);
        else delete globalThis[name];
      }
    };
  }
  return {
    open,
    /** Its modules are many: they go when a run has ended. */
    forget() {
      loaded = undefined;
    },
  };
}
