// The app's modules. Imports are requested level by level until all are loaded. Then the cells'
// loader links and runs them, so modules behave as in a cell.
import { addClasses } from '../../../../repl/guest/parts/classes.ts';
import { addLoader } from '../../../../repl/guest/parts/loader.ts';
import type { LoadedModule } from '../../../../repl/guest/host.ts';
import type { Namespace } from '../../../../repl/guest/kernel-type.ts';
import { kindOfComponent } from './components.ts';
import type { Report } from './console.ts';
import type { Link } from './link.ts';
import type { FoundModule, WantedModule } from './messages.ts';
import type { Rest } from './rest.ts';
import { createTailwind, type Tailwind } from './tailwind.ts';

export interface Modules {
  /** Imports a specifier from a file, as a module of the app does. */
  import(specifier: string, importer: string): Promise<unknown>;
  /** Makes the styles of Tailwind in the document itself. */
  prepareDocument(): Promise<void>;
}

export interface ModulesOptions {
  /** The HTML file. */
  readonly path: string;
  /** What `import.meta.env` has beside Vite's own values. */
  readonly env: Readonly<Record<string, string>>;
  readonly report: Report;
}

const literalRequire = /\brequire\s*\(\s*(?:'([^'\n]+)'|"([^"\n]+)")\s*\)/g;

export function createModules(
  link: Link,
  rest: Rest,
  { path: page, env, report }: ModulesOptions,
): Modules {
  /** Specifier and importer → the path, or why it can't be resolved. */
  const paths = new Map<string, { readonly path: string } | { readonly message: string }>();
  const parts = new Map<string, LoadedModule>();
  const texts = new Map<string, string>();
  const keyOf = ([specifier, importer, request]: WantedModule) =>
    `${request} ${importer}\n${specifier}`;

  // A page has no AsyncLocalStorage, so no context must be tracked.
  const same = (value: unknown) => value;
  const forCode = { context() {}, wait: same, back: same, again() {} };

  const classes = addClasses();

  const loader = addLoader({
    asyncContext: { forCode },
    classes: () => classes,
    host: {
      resolve(specifier, importer, isRequired) {
        const request = isRequired ? 'require' : 'import';
        const known = paths.get(keyOf([specifier, importer, request]));
        if (known && 'message' in known) throw new Error(`${known.message} (in ${importer})`);
        return known?.path;
      },
      readText: (path) => texts.get(path) ?? '',
      loadModule(path) {
        const known = parts.get(path);
        if (!known) throw new Error(`${path} isn't loaded.`);
        return known;
      },
    },
    parse: JSON.parse,
    metaEnv: { ...env, BASE_URL: '/', MODE: 'development', DEV: true, PROD: false, SSR: false },
    builtin: () => undefined,
    builtinNames: () => [],
    standInFor: () => undefined,
    findPackage: () => undefined,
    insteadOf: () => '. require takes what stands in it as a text; for anything else use import()',
    importFrom: (path) => (specifier) => importModule(String(specifier), path),
    requireFrom: (path) =>
      Object.assign((specifier: string) => loader.require(specifier, path), {
        resolve: (specifier: string) => loader.resolve(specifier, path),
        main: undefined,
        cache: {},
      }),
    coded: (Kind, code, message) => Object.assign(new Kind(message), { code }),
    invalidType: (name, wanted) => new TypeError(`The "${name}" argument must be ${wanted}.`),
  });

  // One request after the other, because modules may share imports.
  let fetching: Promise<void> = Promise.resolve();
  function inTurn(work: () => Promise<void>): Promise<void> {
    fetching = fetching.then(() => rest.whileBusy(work));
    return fetching;
  }

  async function importModule(specifier: string, importer: string): Promise<Namespace> {
    await inTurn(async () => {
      await fetchAll([[specifier, importer, 'import']]);
      tailwind.update();
    });
    return loader.import(specifier, importer);
  }

  const tailwind = createTailwind(async (specifier, importer) => {
    await fetchAll([[specifier, importer, 'import']]);
    return loader.import(specifier, importer);
  }, report);

  async function fetchAll(first: readonly WantedModule[]): Promise<void> {
    let wanted = first;
    while (wanted.length > 0) {
      const asked = wanted.filter((one) => !paths.has(keyOf(one)));
      const found = asked.length === 0 ? [] : await link.findModules(asked);
      wanted = [];
      for (const [at, one] of found.entries()) {
        const isComponent = one.type === 'module' && one.kind === 'component';
        const module = isComponent ? await compile(one) : one;
        if (one.type === 'module' && isText(one)) tailwind.note(one.path, one.text);
        if (module.type === 'module') await prepareSheets(module);
        wanted = [...wanted, ...take(asked[at] as WantedModule, module)];
      }
    }
  }

  async function prepareSheets(module: ModuleText): Promise<void> {
    const { path, text, styles = [] } = module;
    for (const css of isSheet(module) ? [text] : styles) await tailwind.prepare(css, path);
  }

  async function compile({ path, text }: ModuleText): Promise<FoundModule> {
    const { compiler: name, request, compile: run } = kindOfComponent(path);
    try {
      await fetchAll([[name, path, request]]);
      const isRequired = request === 'require';
      const compiler: unknown = isRequired
        ? loader.require(name, path)
        : await loader.import(name, path);
      return await link.takeCompiled(path, run(compiler, path, text));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { type: 'none', message: `${path} can't be compiled: ${why}` };
    }
  }

  /** Stores a module and returns its imports. */
  function take(asked: WantedModule, found: FoundModule): readonly WantedModule[] {
    if (found.type === 'none') {
      paths.set(keyOf(asked), { message: found.message });
      return [];
    }
    const { path } = found;
    paths.set(keyOf(asked), { path });
    if (found.type === 'known') return [];
    if (found.kind === 'json') {
      texts.set(path, found.text);
      return [];
    }
    const module = toParts(found, tailwind);
    parts.set(path, module);
    if (found.kind !== 'code') return [];
    const [kind, dependencies, , body] = module;
    const isRequired = kind === 'cjs';
    const names = isRequired
      ? [...String(body).matchAll(literalRequire)].map(([, one, other]) => one ?? other ?? '')
      : dependencies.map(([specifier]) => specifier);
    const request = isRequired ? 'require' : 'import';
    return [...new Set(names)].map((name) => [name, path, request] as const);
  }

  return {
    import: importModule,
    prepareDocument: () => inTurn(() => tailwind.takeDocument(page)),
  };
}

type ModuleText = Extract<FoundModule, { type: 'module' }>;

/** `?inline` gives a sheet as a text. */
const isSheet = ({ kind, path }: ModuleText) => kind === 'style' || path.endsWith('.css?inline');

/** What may name classes. */
const isText = (module: ModuleText) => !isSheet(module) && !module.text.startsWith('data:');

function toParts(given: ModuleText, tailwind: Tailwind): LoadedModule {
  const { path, kind, text, names = {}, styles = [] } = given;
  const addStyle = (css: string) => {
    const style = document.createElement('style');
    tailwind.fill(style, css);
    document.head.append(style);
  };
  for (const style of styles) addStyle(style);
  if (kind === 'style' || kind === 'asset') {
    const run = (_exports: unknown, _require: unknown, module: { exports: unknown }) => {
      if (kind === 'style') addStyle(text);
      module.exports = kind === 'style' ? names : isSheet(given) ? tailwind.toCss(text) : text;
    };
    return ['cjs', [], false, run, {}, []];
  }
  let taken: LoadedModule | undefined;
  const take = (module: LoadedModule) => (taken = module);
  Object.assign(window, { [takeName]: take });
  runScript(`${takeName}(${text})`, path);
  if (!taken) throw new SyntaxError(`${path} can't be run: see the error before this one.`);
  return taken;
}

const takeName = '__takePreviewModule';

/** Runs a script at once under its own name, so that errors are reported as for any script. */
export function runScript(code: string, path: string): void {
  const script = document.createElement('script');
  script.textContent = `${code}\n//# sourceURL=${encodeURI(path)}`;
  document.head.append(script);
  script.remove();
}
