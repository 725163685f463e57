// The address of a previewed page. Its document has `about:srcdoc`, which has no path, and which nothing can be
// relative to. So the page's modules have a `location` of their own, which stands for the file on a server, and
// `history` keeps that one's path beside the app's state. Plain scripts see the browser's own `location`.
import { pageName, type FrameSetup } from './messages.ts';
import type { Rest } from './rest.ts';

/** Matches the address of another host, or of data. */
const remote = /^(?!file:)[a-z][a-z+.-]*:|^\/\//i;

const own = 'about:srcdoc';

/** The scheme, host and port of the page around: those that the browser gives to `link.href`. */
const origin = new URL(document.baseURI).origin;

/** The reference to a file of the workspace. Undefined for another host, and for data. */
export function toOwn(address: string): string | undefined {
  const path = address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  return remote.test(path) ? undefined : path;
}

/** What an entry of the history has, beside what the app has put there. */
interface Entry {
  readonly [pageName]: string;
  readonly state: unknown;
}

const isEntry = (state: unknown): state is Entry =>
  typeof state === 'object' && state !== null && pageName in state;

/** `leave` is called where the page would be left for another one. */
export function giveAddress(
  { path, root, query }: Pick<FrameSetup, 'path' | 'root' | 'query'>,
  leave: (address: string) => void,
): void {
  const base = `file://${encodeURI(path)}`;
  window.URL = new Proxy(window.URL, {
    construct(target, [url, given]: readonly unknown[], newTarget) {
      if (given === undefined) return Reflect.construct(target, [url], newTarget) as URL;
      const from = String(given).startsWith(own) ? base : given;
      return Reflect.construct(target, [url, from], newTarget) as URL;
    },
  });
  // As a server has it: a directory's index.html is the directory.
  const served = path.slice(root === '/' ? 0 : root.length).replace(/\/index\.html$/, '/');
  const moves = keepPath(encodeURI(served) + query);
  const page = createLocation(moves.path, leave);
  const isHere = (value: unknown) => value === window || value === document;
  const value = Object.create(null, {
    location: {
      get: () => page,
      set: (address: unknown) => {
        page.assign(String(address));
      },
    },
    of: {
      value: (holder: { readonly location: unknown }) => (isHere(holder) ? page : holder.location),
    },
    parts: { value: (holder: object) => (isHere(holder) ? withLocation(holder, page) : holder) },
  }) as object;
  Object.defineProperty(window, pageName, { value });
  moves.begin((address) => new URL(address, page.href));
}

// 1 s: a step back takes some 10 ms, more on a busy machine. Where there is no entry, nothing happens.
const maxStepMs = 1_000;

/** A step in the history is only begun by the call: the page is at rest when it has come. */
export function waitForSteps(rest: Rest): void {
  const later = window.setTimeout.bind(window);
  const arrived = () =>
    new Promise<void>((resolve) => {
      window.addEventListener('popstate', () => resolve(), { capture: true, once: true });
      later(resolve, maxStepMs);
    });
  for (const name of ['back', 'forward', 'go'] as const) {
    const before = history[name].bind(history);
    history[name] = (steps?: number) => {
      void rest.whileBusy(arrived);
      before(steps);
    };
  }
}

function withLocation(holder: object, page: object): object {
  return new Proxy(holder, {
    get: (target, key) => (key === 'location' ? page : Reflect.get(target, key)),
  });
}

interface Moves {
  /** The path and the query of the current entry. */
  path(): string;
  /** From now on `history` takes paths. */
  begin(resolve: (address: string) => URL): void;
}

function keepPath(first: string): Moves {
  let path = first;
  const kept = Object.getOwnPropertyDescriptor(History.prototype, 'state')?.get as () => unknown;
  const read = () => kept.call(history);
  const replace = history.replaceState.bind(history);
  const toEntry = (state: unknown): Entry => ({ [pageName]: path, state });
  /** Before that, all entries are of the first path. */
  let hasMoved = false;
  /** An entry that a fragment has made is of the same path. */
  const arrive = () => {
    const state = read();
    if (isEntry(state)) path = state[pageName];
    else if (hasMoved) replace(toEntry(state), '');
  };
  for (const prototype of [History.prototype, PopStateEvent.prototype]) {
    const { get } = Object.getOwnPropertyDescriptor(prototype, 'state') ?? {};
    Object.defineProperty(prototype, 'state', {
      configurable: true,
      enumerable: true,
      get(this: unknown): unknown {
        const state: unknown = get?.call(this);
        return isEntry(state) ? state.state : state;
      },
    });
  }
  return {
    path: () => path,
    begin(resolve) {
      for (const name of ['popstate', 'hashchange']) window.addEventListener(name, arrive, true);
      for (const name of ['pushState', 'replaceState'] as const) {
        const before = history[name].bind(history);
        history[name] = (state: unknown, unused: string, url?: string | URL | null) => {
          const text = String(url ?? '');
          if (text === '') {
            before(hasMoved ? toEntry(state) : state, unused);
            return;
          }
          // Plain scripts read that address.
          const target = resolve(text.startsWith(own) ? text.slice(own.length) : text);
          if (target.origin !== origin) {
            throw new DOMException(
              `history.${name} can't set ${text}: it is of another origin than the page.`,
              'SecurityError',
            );
          }
          // Not before it is needed: WebKit forgets it while the page loads, and Firefox doesn't reload a page with it.
          if (!hasMoved && name === 'pushState') replace(toEntry(read()), '', own + location.hash);
          hasMoved = true;
          path = target.pathname + target.search;
          before(toEntry(state), unused, own + target.hash);
        };
      }
    },
  };
}

const parts = ['protocol', 'host', 'hostname', 'port', 'pathname', 'search'] as const;

function createLocation(path: () => string, leave: (address: string) => void): Location {
  const now = () => new URL(origin + path() + location.hash);
  const go = (address: string) => {
    const target = new URL(address, now());
    const isSame = target.origin === origin && target.pathname + target.search === path();
    if (isSame && target.hash !== '') location.hash = target.hash;
    else leave(toOwn(target.href) ?? target.href);
  };
  const page = {
    origin,
    ancestorOrigins: location.ancestorOrigins,
    assign: go,
    replace: go,
    reload: () => location.reload(),
    toString: () => now().href,
    get href() {
      return now().href;
    },
    set href(address: string) {
      go(address);
    },
    get hash() {
      return location.hash;
    },
    set hash(hash: string) {
      location.hash = hash;
    },
  };
  for (const name of parts) {
    Object.defineProperty(page, name, {
      enumerable: true,
      get: () => now()[name],
      set(value: string) {
        const target = now();
        target[name] = value;
        go(target.href);
      },
    });
  }
  return page as unknown as Location;
}
