/**
 * A Vite plugin for the library's modules: one package of MCP takes zod as one object (`import { z }`). wrangler's
 * bundler keeps all that such an object has, every language's messages too: 64 kB gzipped in each Worker. As a
 * namespace (`import * as z`) the same import costs what is used of it. Used by build.ts.
 */
import type { Plugin } from 'vite';

/** What is built into the library for it, though it is a package. */
export const zodAsObject = '@modelcontextprotocol/ext-tasks';

const anObject = /\bimport \{ z \} from (["'])(zod(?:\/v4)?)\1/gu;

/** @throws Error at the build's end where nothing was rewritten: the package needs it no more, and can stay outside. */
export function zodByName(): Plugin {
  let rewritten = 0;
  return {
    name: 'zod-by-name',
    transform(code, id) {
      if (!id.includes(`/node_modules/${zodAsObject}/`)) return;
      return {
        code: code.replace(anObject, (_whole, quote: string, from: string) => {
          rewritten += 1;
          return `import * as z from ${quote}${from}${quote}`;
        }),
        map: null,
      };
    },
    buildEnd(error) {
      if (error || rewritten > 0) return;
      throw new Error(
        `${zodAsObject} takes zod by name now: leave it outside of dist again, without scripts/zod-by-name.ts.`,
      );
    },
  };
}
