// Tells a development build from a production build, by the sign that bundlers share.

// Node's, or what a bundler writes in its place; not there in a page without a bundler.
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Whether checks for programmers run. As in React: `process.env.NODE_ENV` is anything but
 * `'production'`. Without a `process` it counts as production.
 */
export function isDevelopment(): boolean {
  try {
    // Spelled out, and not asked for by `typeof process`, because bundlers replace these very
    // words. A page that Vite serves in development has them without having a `process`.
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
}
