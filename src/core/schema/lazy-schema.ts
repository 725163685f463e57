// Schemas are built on first use: an unused tool costs nothing, and no module does work when loaded.

/** A function that builds the schema once, and gives the same one from then on. */
export function lazySchema<Schema>(build: () => Schema): () => Schema {
  let schema: Schema | undefined;
  return () => (schema ??= build());
}
