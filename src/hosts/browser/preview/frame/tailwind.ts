// Tailwind CSS: the project's own package makes the styles, as it is plain JavaScript. Imports of the sheet are in its
// text already. Classes are looked for in the text of the app's modules, as Tailwind's own tools do. So a class
// that is put together at run time has no style here, either.
import { classesIn } from './class-names.ts';
import type { Report } from './console.ts';

export interface Tailwind {
  /** The text of one of the app's files, which may name classes. */
  note(path: string, text: string): void;
  /** Makes a sheet ready. One that can't be made is reported, and is used as it stands. */
  prepare(css: string, path: string): Promise<void>;
  /** The sheet with the classes that are named by now; as it stands if it isn't Tailwind's. */
  toCss(css: string): string;
  /** Puts the sheet into the element, also later, when more classes are named. */
  fill(style: Element, css: string): void;
  /** Adds the classes named since to the sheets that are shown. */
  update(): void;
  /** Makes the sheets of the document itself, which is named so. Its classes count. */
  takeDocument(path: string): Promise<void>;
}

/** The part of the package `tailwindcss` that is used. */
interface TailwindPackage {
  compile?(css: string, options: object): Promise<Compiler>;
}

interface Compiler {
  readonly sources: readonly { readonly pattern: string; readonly negated: boolean }[];
  build(classes: readonly string[]): string;
}

const comments = /\/\*[^]*?(?:\*\/|$)/g;
const directives =
  /@(?:tailwind|theme|apply|utility|variant|custom-variant|reference|plugin|config|source)\b/;
const olderDirectives = /@tailwind\s+(?:base|components|variants|screens)\b/;

const older =
  'A preview runs Tailwind CSS 4, and this is for version 3. Upgrade with npx @tailwindcss/upgrade, or build the sheet and import what was built';

/** `load` imports a module by its specifier, for a file. */
export function createTailwind(
  load: (specifier: string, importer: string) => Promise<unknown>,
  report: Report,
): Tailwind {
  /** By the text of the sheet. */
  const compilers = new Map<string, Compiler>();
  const prepared = new Set<string>();
  const shown: { readonly style: Element; readonly css: string }[] = [];
  const names = new Set<string>();
  let texts: { readonly path: string; readonly text: string }[] = [];

  /** Reads the texts that have come since. Nothing is read in an app without Tailwind. */
  function classes(): readonly string[] {
    const packages = [...compilers.values()].flatMap(packagesOf);
    const isSource = (path: string) =>
      !path.includes('/node_modules/') || packages.some((name) => path.includes(name));
    for (const { path, text } of texts) {
      if (isSource(path)) for (const name of classesIn(text)) names.add(name);
    }
    texts = texts.filter(({ path }) => !isSource(path));
    return [...names];
  }

  async function compile(css: string, path: string): Promise<Compiler> {
    if (olderDirectives.test(css)) throw new Error(older);
    const { compile: run } = await loadPackage(path);
    if (!run) throw new Error(older);
    return run(css, {
      base: path,
      from: path,
      async loadModule(name: string, importer: string) {
        const module = await load(name.startsWith('/') ? `file://${name}` : name, importer);
        return { path: name, base: importer, module: (module as { default?: unknown }).default };
      },
      async loadStylesheet(name: string) {
        throw new Error(`There is no sheet ${name}`);
      },
    });
  }

  async function loadPackage(path: string): Promise<TailwindPackage> {
    try {
      return (await load('tailwindcss', path)) as TailwindPackage;
    } catch (error) {
      throw new Error(`${messageOf(error)}. Run npm install tailwindcss@4`);
    }
  }

  const tailwind: Tailwind = {
    note: (path, text) => void texts.push({ path, text }),
    async prepare(css, path) {
      if (prepared.has(css) || !directives.test(css.replaceAll(comments, ''))) return;
      prepared.add(css);
      try {
        compilers.set(css, await compile(css, path));
      } catch (error) {
        report('error', `${path} has no styles of Tailwind CSS: ${messageOf(error)}`);
      }
    },
    toCss: (css) => compilers.get(css)?.build(classes()) ?? css,
    fill(style, css) {
      style.textContent = tailwind.toCss(css);
      if (compilers.has(css)) shown.push({ style, css });
    },
    update() {
      if (shown.length === 0) return;
      for (const { style, css } of shown) {
        const text = tailwind.toCss(css);
        if (style.textContent !== text) style.textContent = text;
      }
    },
    async takeDocument(path) {
      const named = [...document.querySelectorAll('[class]')].map((one) => one.classList.value);
      // Without the first script, which is this code.
      const [, ...scripts] = document.scripts;
      for (const { text } of scripts) named.push(text);
      tailwind.note(path, named.join('\n'));
      for (const style of document.querySelectorAll('style')) {
        const css = style.textContent ?? '';
        await tailwind.prepare(css, path);
        if (compilers.has(css)) tailwind.fill(style, css);
      }
    },
  };
  return tailwind;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The folders of packages whose classes the sheet asks for (`@source "../node_modules/ui"`). */
function packagesOf({ sources }: Compiler): readonly string[] {
  return sources.flatMap(({ pattern, negated }) => {
    const [folder] = /node_modules\/(?:@[^/*]+\/)?[^/*{]+/.exec(pattern) ?? [];
    return folder === undefined || negated ? [] : [`/${folder}/`];
  });
}
