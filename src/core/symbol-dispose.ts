/**
 * Defines `Symbol.dispose` and `Symbol.asyncDispose` in a browser without them: Safari, up to 26. The symbols are
 * registered under their names, because compilers that lower `using` use these, too. Every entry that a page may
 * import, and every worker, imports this module first, for its effect.
 */
for (const name of ['dispose', 'asyncDispose']) {
  if (name in Symbol) continue;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

async function* none() {}
const asyncIterators = Object.getPrototypeOf(Object.getPrototypeOf(none.prototype)) as object;

// A query is an async generator, and `await using` ends it by this method. Newer engines have it already.
if (!(Symbol.asyncDispose in asyncIterators)) {
  Object.defineProperty(asyncIterators, Symbol.asyncDispose, {
    async value(this: AsyncIterator<unknown>) {
      await this.return?.();
    },
    configurable: true,
    writable: true,
  });
}
