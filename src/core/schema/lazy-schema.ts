// Builds schemas on first use, so that an unused tool costs nothing and no module does work when it loads.

/** A function that builds the schema once, and returns the same one from then on. */
export function lazySchema<Schema>(build: () => Schema): () => Schema {
  let schema: Schema | undefined;
  return () => (schema ??= build());
}
