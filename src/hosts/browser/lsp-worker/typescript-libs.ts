// The texts of TypeScript's `lib.*.d.ts`, by name, as a worker can't read the compiler's folder. Vite puts them in;
// it is built as a file of its own.
/// <reference types="vite/types/importMeta.d.ts" />

const texts = import.meta.glob<string>('/node_modules/@typescript/old/lib/lib.*.d.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** `lib.es5.d.ts` and its like. */
export const libs: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(texts).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1), text]),
);
