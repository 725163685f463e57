/**
 * A Vite plugin for self-contained workers. What most calls don't need leaves the worker's file and
 * becomes a self-contained module beside it. It is loaded by its URL when it is needed. A chunk
 * couldn't do that. Bundlers of a library's users refuse to split a worker, or copy the parts under
 * names that the worker doesn't know. An asset's URL they all follow.
 */
import type { Plugin } from 'vite';

const marked = /__IMPORT_BESIDE__\((["'`])([\w.-]+)\1\)/g;
const dynamicImport = /\bimport\(\s*(['"])([\w@#./-]+)\1\s*\)/g;

/** Source says `import('specifier')` for each of these; in dist it is the file of this name. */
export function importBeside(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'import-beside',
    // Without `enforce`, so after TypeScript is gone: `typeof import('name')` is no import.
    transform: (code) => ({
      code: code.replace(dynamicImport, (whole, _quote, specifier: string) =>
        Object.hasOwn(files, specifier) ? `__IMPORT_BESIDE__('${files[specifier]}')` : whole,
      ),
      map: null,
    }),
    // When all minifiers are done: the comments keep bundlers from following, and none may go.
    generateBundle(_options, output) {
      for (const part of Object.values(output)) {
        if (part.type !== 'chunk') continue;
        part.code = part.code.replace(
          marked,
          "import(/* webpackIgnore: true */ /* @vite-ignore */ new URL('./$2', import.meta.url).href)",
        );
      }
    },
  };
}
