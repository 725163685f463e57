/**
 * A Vite plugin for self-contained workers: a package that most calls don't need leaves the
 * worker's file and becomes a self-contained module beside it, loaded by its URL when it is needed.
 * A chunk couldn't do that: bundlers of a library's users refuse to split a worker, or copy the
 * parts under names that the worker doesn't know. An asset's URL they all follow.
 */
import type { Plugin } from 'vite';

const marked = /__IMPORT_BESIDE__\((["'`])([\w.-]+)\1\)/g;

/** Source says `import('name')` for each of these packages; in dist it is name.js. */
export function importBeside(packages: readonly string[]): Plugin {
  const inSource = new RegExp(`\\bimport\\(\\s*(['"])(${packages.join('|')})\\1\\s*\\)`, 'g');
  return {
    name: 'import-beside',
    // Without `enforce`, so after TypeScript is gone: `typeof import('name')` is no import.
    transform: (code) => ({
      code: code.replace(inSource, "__IMPORT_BESIDE__('$2.js')"),
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
