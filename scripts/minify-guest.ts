/**
 * A Vite plugin that minifies the guest's world (src/repl/world): it is source text for another
 * engine, so to a bundler it is a string like any other. Names of functions and classes stay: a
 * guest can see them.
 */
import { minifySync, type Plugin } from 'vite';

const worldFile = /\/src\/repl\/world\/[\w-]+\.ts$/;
/** One expression in source text; it holds no back quotes and no substitutions. */
const guestSource = /String\.raw`([^`]*)`/g;

export function minifyGuest(): Plugin {
  return {
    name: 'minify-guest',
    // Before anything has turned the template into another kind of string.
    enforce: 'pre',
    transform: (code, id) =>
      worldFile.test(id)
        ? {
            code: code.replace(guestSource, (_all, source: string) =>
              JSON.stringify(minifyExpression(source, id)),
            ),
            map: null,
          }
        : undefined,
  };
}

/** @throws Error where the text is no expression. */
export function minifyExpression(source: string, name: string): string {
  // Assigned, since an expression whose value nobody takes would be minified to nothing.
  const { code, errors } = minifySync(name, `taken = ${source.trim()}`, {
    module: false,
    compress: { target: 'esnext', keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
  });
  const [error] = errors;
  if (error) throw new Error(`${name}: ${error.message}`);
  const [, expression] = /^taken=([^]*?);?\s*$/.exec(code) ?? [];
  if (expression === undefined) throw new Error(`${name}: minified to what is no assignment`);
  return expression;
}
