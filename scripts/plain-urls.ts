/**
 * A Vite plugin that keeps the library's asset URLs as `new URL('./x.worker.js', import.meta.url)`.
 * Left to itself, library mode writes absolute paths that no consumer's bundler can follow, and
 * inlines wasm as text.
 */
import type { Plugin } from 'vite';

/** Workers and wasm, wherever they stand in src/; in dist they all stand side by side. */
const inSource =
  /new URL\(\s*(['"])(?:\.{1,2}\/)(?:[\w.-]+\/)*(?:([\w.-]+\.worker)\.ts|([\w.-]+\.wasm))\1,\s*import\.meta\.url,?\s*\)/g;
const marked = /__PLAIN_URL__\((["'`])([\w.-]+)\1\)/g;

export function plainUrls(): Plugin {
  return {
    name: 'plain-urls',
    // Before Vite's own asset handling sees the URL; it is written back when that is over.
    enforce: 'pre',
    transform: (code) => ({
      code: code.replace(
        inSource,
        (_all, _quote, worker?: string, wasm?: string) =>
          `__PLAIN_URL__('${worker ? `${worker}.js` : wasm}')`,
      ),
      map: null,
    }),
    // When all minifiers are done, whose output has the mark in any quotes.
    generateBundle(_options, output) {
      for (const part of Object.values(output)) {
        if (part.type !== 'chunk') continue;
        part.code = part.code.replace(marked, "new URL('./$2', import.meta.url)");
      }
    },
  };
}
