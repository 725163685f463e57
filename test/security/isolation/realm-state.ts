// What of a realm's globals and built-ins an attack could have changed. Runs in the page and in its
// workers, so it is one function that needs nothing from outside.

/** A realm's texts by what they are of; see {@link readRealm}. */
export function parseRealm(text: string): Record<string, string> {
  const lines = text.split('\n').slice(0, -1);
  // A name may have such a character, and then it's still seen that there is another one.
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('\t');
      return [name, rest.join()] as const;
    }),
  );
}

/**
 * A short text for each global and for each built-in that has no name. A function's has all that
 * stands on it and on its prototype. An object's stands beside one for each of its properties.
 * Untouched realms have equal ones. Calls nobody's getters. As lines, for {@link parseRealm}:
 * playwright takes five times as long over an object of so many.
 */
export function readRealm(): string {
  const describe = (object: object): string =>
    Reflect.ownKeys(object)
      .map((key) => `${String(key)}: ${describeProperty(object, key)}`)
      .join('\n');
  const describeProperty = (object: object, key: PropertyKey): string => {
    const found = Reflect.getOwnPropertyDescriptor(object, key);
    return [found?.value, found?.get, found?.set]
      .map((part: unknown) =>
        typeof part === 'function' ? Function.prototype.toString.call(part) : typeof part,
      )
      .join('/');
  };
  // FNV-1a: of some thousand texts a realm, only what is needed to tell them apart leaves it.
  const shorten = (text: string): string => {
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    return `${text.length} characters, ${(hash >>> 0).toString(16)}`;
  };

  const texts: Record<string, string> = {};
  for (const key of Reflect.ownKeys(globalThis)) {
    const name = `global ${String(key)}`;
    const value: unknown = Reflect.getOwnPropertyDescriptor(globalThis, key)?.value;
    const parts = [describeProperty(globalThis, key)];
    if (typeof value === 'function') {
      parts.push(describe(value));
      if (value.prototype) parts.push(describe(value.prototype as object));
    } else if (typeof value === 'object' && value !== null && value !== globalThis) {
      // Apart, as modules that load fill an object of their own bit by bit.
      for (const part of Reflect.ownKeys(value)) {
        texts[`${name}.${String(part)}`] = shorten(describeProperty(value, part));
      }
    }
    texts[name] = shorten(parts.join('\n'));
  }
  const prototypeOf = (value: unknown) => Object.getPrototypeOf(value) as object;
  const unnamed = {
    TypedArray: prototypeOf(Uint8Array),
    'TypedArray.prototype': prototypeOf(Uint8Array.prototype),
    ArrayIterator: prototypeOf([].values()),
    MapIterator: prototypeOf(new Map().values()),
    SetIterator: prototypeOf(new Set().values()),
    StringIterator: prototypeOf(''[Symbol.iterator]()),
    GeneratorFunction: prototypeOf(function* () {}),
    Generator: prototypeOf(prototypeOf((function* () {})())),
    AsyncFunction: prototypeOf(async () => {}),
    AsyncGeneratorFunction: prototypeOf(async function* () {}),
    AsyncGenerator: prototypeOf(prototypeOf((async function* () {})())),
  };
  for (const [name, object] of Object.entries(unnamed)) texts[name] = shorten(describe(object));
  let lines = '';
  for (const name of Reflect.ownKeys(texts)) lines += `${String(name)}\t${texts[String(name)]}\n`;
  return lines;
}
