// Detects a development build, as bundlers mark it.

// Node's variable, or a bundler's replacement; undefined in a page without a bundler.
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * True if checks for programmers should run. As in React, that is so if `process.env.NODE_ENV`
 * isn't `'production'`. Without `process` it counts as production.
 */
export function isDevelopment(): boolean {
  try {
    // This exact expression, without `typeof process`, because bundlers replace its text. A page
    // that Vite serves in development gets the replacement although it has no `process`.
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
}
