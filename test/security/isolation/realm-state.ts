// What of a realm's globals and built-ins an attack could have changed. Runs in the page and in its
// workers, so it is one function that needs nothing from outside.

/** Texts by name; equal ones for an untouched realm. */
export function readRealm(): Record<string, string> {
  const describe = (object: object): string =>
    Reflect.ownKeys(object)
      .map((key) => {
        const found = Reflect.getOwnPropertyDescriptor(object, key);
        const parts = [found?.value, found?.get, found?.set].map((part: unknown) =>
          typeof part === 'function' ? Function.prototype.toString.call(part) : typeof part,
        );
        return `${String(key)}: ${parts.join('/')}`;
      })
      .sort()
      .join('\n');
  const builtIns = {
    Object,
    Array,
    Function,
    String,
    Promise,
    Map,
    Set,
    RegExp,
    Error,
    ArrayBuffer,
    Uint8Array,
    MessagePort,
  };
  const texts: Record<string, string> = {
    globals: Reflect.ownKeys(globalThis).map(String).sort().join(),
  };
  for (const [name, builtIn] of Object.entries(builtIns)) {
    texts[name] = describe(builtIn);
    texts[`${name}.prototype`] = describe(builtIn.prototype as object);
  }
  for (const [name, object] of Object.entries({ JSON, Math, Reflect, WebAssembly })) {
    texts[name] = describe(object);
  }
  return texts;
}
