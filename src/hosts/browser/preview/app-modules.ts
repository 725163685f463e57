// The modules of a previewed app, resolved and compiled like those of a cell, but with packages'
// entries for browsers. Loaded with the first page that has modules, because it includes a parser.
import { SdkError } from '../../../core/errors.ts';
import { extname, joinPath } from '../../../core/path.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import {
  pageTarget,
  resolveModule,
  type ModuleFiles,
} from '../../../repl/modules/module-resolver.ts';
import { findProjectOptions } from '../../../repl/modules/find-project-options.ts';
import { ModuleSources } from '../../../repl/modules/module-source.ts';
import type { ProjectOptions } from '../../../repl/syntax/project-options.ts';
import { CodeSyntaxError } from '../../../repl/syntax/parse.ts';
import { loadStripTypes } from '../../../repl/syntax/typescript.ts';
import { isRemote, mediaTypeOf, type AppFiles } from './app-files.ts';
import { createKnownFiles } from './ask-files.ts';
import { inlineStyles, inlineText } from './app-styles.ts';
import { toCssModule } from './css-modules.ts';
import { createDocumentFiles } from './document-files.ts';
import {
  pageName,
  type CompiledComponent,
  type FoundModule,
  type WantedModule,
} from './frame/messages.ts';
import { replaceGlobs } from './glob-imports.ts';

export interface AppModules {
  /** Resolves a module. Includes its text unless the frame has it already. */
  find(wanted: WantedModule): Promise<FoundModule>;
  /** The module of a component that the page has compiled. */
  take(compiled: CompiledComponent & { readonly path: string }): Promise<FoundModule>;
}

/** What is compiled. It serves one page after the other, since most of their files stay the same. */
export type CompiledModules = ModuleSources;

export const createCompiledModules = (): CompiledModules => new ModuleSources();

export interface AppModulesOptions {
  readonly compiled: CompiledModules;
  readonly files: AppFiles;
  /** Inline modules of the page, by the names in the document. */
  readonly inline: ReadonlyMap<string, string>;
  readonly clock: Pick<Clock, 'now'>;
  /** Called if a file that a style refers to doesn't exist. */
  readonly onMissing: (reference: string, from: string) => void;
}

// What Vite and others give for a file that is asked for so.
const bundlerQueries = new Set([
  'raw',
  'url',
  'inline',
  'worker',
  'sharedworker',
  'react',
  'component',
]);

const asset = (path: string) => ({ type: 'module', path, kind: 'asset' }) as const;

const componentFile = /\.(?:vue|svelte|svelte\.[jt]s)$/u;

const codeFile = /\.[cm]?[jt]sx?$/u;

export function createAppModules({
  compiled,
  files,
  inline,
  clock,
  onMissing,
}: AppModulesOptions): AppModules {
  const known = createKnownFiles(files);
  const sent = new Set<string>();
  const stripTypes = loadStripTypes();
  // The error is reported to whoever awaits it.
  stripTypes.catch(() => undefined);

  /** With a `?` and what a bundler is asked for by it. */
  async function locate([wanted, importer, request]: WantedModule): Promise<string | undefined> {
    if (inline.has(wanted)) return wanted;
    const [, asked, query] = /^([^?]*)\?(\w+)$/u.exec(wanted) ?? [];
    const isAsked = asked !== undefined && query !== undefined && bundlerQueries.has(query);
    const path = await locateFile(isAsked ? asked : wanted, importer, request);
    return isAsked && path !== undefined ? `${path}?${query}` : path;
  }

  async function locateFile(
    specifier: string,
    importer: string,
    request: WantedModule[2],
  ): Promise<string | undefined> {
    // A leading slash means the page's root, as in a browser.
    if (/^\/(?!\/)/u.test(specifier)) {
      const found = await files.find(specifier, importer);
      const path = found ?? joinPath(files.root, specifier);
      return known.ask((fs) => resolveModule(fs, path, importer, request, pageTarget));
    }
    return known.ask((fs) => resolveModule(fs, specifier, importer, request, pageTarget));
  }

  async function read(path: string): Promise<Extract<FoundModule, { type: 'module' }>> {
    const [, asked, query] = /^(.*)\?(\w+)$/u.exec(path) ?? [];
    if (asked !== undefined) return { ...asset(path), text: await readAs(asked, query) };
    if (componentFile.test(path)) {
      const text = await files.readText(path);
      // Svelte's own compiler reads types in components, but not in modules beside them.
      const isTyped = path.endsWith('.ts');
      const plain = isTyped
        ? (await stripTypes)(text, { jsx: undefined, keepUnusedImports: false }).code
        : text;
      return { type: 'module', path, kind: 'component', text: plain };
    }
    const own = inline.get(path);
    if (own !== undefined || codeFile.test(path)) {
      const text = await replaceGlobs(files, own ?? (await files.readText(path)), path);
      // An inline module is JavaScript, whatever the page's file name.
      const name = own === undefined ? path : `${path}.js`;
      return toCode(path, name, text);
    }
    if (path.endsWith('.json')) {
      return { type: 'module', path, kind: 'json', text: await files.readText(path) };
    }
    if (path.endsWith('.css')) {
      const style = await readStyle(path);
      return { type: 'module', path, kind: 'style', ...style };
    }
    return { ...asset(path), text: await files.toDataUrl(path) };
  }

  /** `name` says by its ending how the text is read. */
  async function toCode(path: string, name: string, text: string) {
    const projectOptions = await known.ask((fs) => readLazily(fs, name));
    const compiler = { stripTypes: await stripTypes, projectOptions, locationOf: pageName };
    return {
      ...({ type: 'module', path, kind: 'code' } as const),
      text: compiled.get(name, text, compiler),
    };
  }

  async function readAs(path: string, query: string | undefined): Promise<string> {
    if (query === 'raw') return files.readText(path);
    if (query === 'inline' && path.endsWith('.css')) return (await readStyle(path)).text;
    return files.toDataUrl(path);
  }

  /** `above` has the modules that take classes of this one. One bound holds for all that they read. */
  async function readStyle(
    path: string,
    bounded = createDocumentFiles(files, { path, clock }),
    above: readonly string[] = [],
  ): Promise<{ readonly text: string; readonly names?: Readonly<Record<string, string>> }> {
    const text = await inlineStyles(bounded, path, onMissing);
    if (!path.endsWith('.module.css')) return { text };
    const { css, names, compositions } = toCssModule(text, path);
    const all = Object.fromEntries(names);
    const sheets: string[] = [];
    for (const { of, names: taken, from } of compositions) {
      let theirs: Readonly<Record<string, string>> = from === 'global' ? {} : all;
      if (from !== undefined && from !== 'global') {
        const file = await bounded.find(from, path);
        if (file === undefined) onMissing(from, path);
        // Two that take classes of each other.
        if (file === undefined || above.includes(file)) continue;
        const other = await readStyle(file, bounded, [...above, path]);
        sheets.push(other.text);
        theirs = other.names ?? {};
      }
      const added = taken.map((name) => theirs[name] ?? name);
      for (const name of of) all[name] = [all[name], ...added].join(' ');
    }
    return { text: [...sheets, css].join('\n'), names: all };
  }

  return {
    async take({ path, code, language, styles }) {
      try {
        const bounded = createDocumentFiles(files, { path, clock });
        const inlined: string[] = [];
        for (const style of styles) {
          inlined.push(await inlineText(bounded, style, path, onMissing, [path]));
        }
        return { ...(await toCode(path, `${path}.${language}`, code)), styles: inlined };
      } catch (error) {
        return { type: 'none', message: describeFailure(path, error) };
      }
    },
    async find(wanted) {
      const [specifier] = wanted;
      try {
        const path = await locate(wanted);
        if (path === undefined) return { type: 'none', message: explainNone(specifier) };
        const why = inline.has(path) ? undefined : whyNot(path);
        if (why !== undefined) return { type: 'none', message: why };
        if (sent.has(path)) return { type: 'known', path };
        const module = await read(path);
        sent.add(path);
        return module;
      } catch (error) {
        return { type: 'none', message: describeFailure(specifier, error) };
      }
    },
  };
}

/** Most modules need no settings, so a configuration that can't be read is an error only of those that do. */
function readLazily(files: ModuleFiles, name: string): () => ProjectOptions {
  try {
    const options = findProjectOptions(files, name);
    return () => options;
  } catch (error) {
    if (!SdkError.isInstance(error)) throw error;
    return () => {
      throw error;
    };
  }
}

function explainNone(specifier: string): string {
  const what = `Cannot find module '${specifier}'`;
  if (isRemote(specifier))
    return `${what}: a preview reaches no network. Install it into node_modules`;
  if (/^[./]/u.test(specifier)) return `${what}: there is no such file`;
  return `${what}: no node_modules above the file has it, and Node's own modules aren't in a page`;
}

/** Explains why a file that bundlers would transform isn't supported. */
function whyNot(path: string): string | undefined {
  const query = /\?(\w+)$/u.exec(path)?.[1];
  if (query === 'raw' || query === 'url' || query === 'inline') return undefined;
  if (query === 'react' || query === 'component') {
    return `${path} would be a component made of an image, which a preview can't do. Import the file, and show it by an img`;
  }
  if (query !== undefined) return `${path} can't be loaded: a preview has no workers`;
  if (componentFile.test(path)) return undefined;
  const isSource = /\.(?:s[ac]ss|less|astro|mdx)$/u.test(path);
  if (isSource) return `${path} has to be compiled, which a preview can't do for ${extname(path)}`;
  const isKnown = codeFile.test(path) || mediaTypeOf(path) !== 'application/octet-stream';
  return isKnown ? undefined : `${path} is no module: a preview knows no such files`;
}

function describeFailure(specifier: string, error: unknown): string {
  if (error instanceof CodeSyntaxError) {
    return `SyntaxError in '${specifier}' at ${error.line}:${error.column}: ${error.message}`;
  }
  if (SdkError.isInstance(error)) return `'${specifier}' can't be loaded: ${error.message}`;
  throw error;
}
