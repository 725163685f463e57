/**
 * Makes `Symbol.dispose` and `Symbol.asyncDispose` where the browser has neither: Safari, up to 26. What is registered
 * under their names is what compilers that lower `using` fall back on, too. Every subpath that a page may import, and
 * every worker, imports it first, for its effect.
 */
for (const name of ['dispose', 'asyncDispose']) {
  if (name in Symbol) continue;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

async function* none() {}
const asyncIterators = Object.getPrototypeOf(Object.getPrototypeOf(none.prototype)) as object;

// A query is an async generator, so `await using` ends it by this method, which the language gives all async iterators.
if (!(Symbol.asyncDispose in asyncIterators)) {
  Object.defineProperty(asyncIterators, Symbol.asyncDispose, {
    async value(this: AsyncIterator<unknown>) {
      await this.return?.();
    },
    configurable: true,
    writable: true,
  });
}
