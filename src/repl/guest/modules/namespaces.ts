// Builds the values of `import *` and `require` for a module.
import type { Namespace } from '../kernel-type.ts';

const define = Object.defineProperty;

/** Creates the value of `import *`. It is printed with its values, although each is a getter. */
export function makeNamespace(): Namespace {
  const namespace: Namespace = Object.create(null);
  define(namespace, Symbol.toStringTag, { value: 'Module' });
  define(namespace, Symbol.for('nodejs.util.inspect.custom'), {
    value: () => {
      const shown = define(Object.create(null), Symbol.toStringTag, { value: 'Module' });
      for (const name of Object.keys(namespace)) {
        define(shown, name, { value: valueOf(namespace, name), enumerable: true });
      }
      return shown;
    },
  });
  return namespace;
}

function valueOf(namespace: Namespace, name: string): unknown {
  try {
    return namespace[name];
  } catch {
    return { [Symbol.for('nodejs.util.inspect.custom')]: () => '<uninitialized>' };
  }
}

export function exportGetter(
  namespace: Namespace | undefined,
  name: string,
  get: () => unknown,
): void {
  define(namespace as Namespace, name, { get, enumerable: true, configurable: true });
}

/** Returns a namespace object over module.exports, for imports of CommonJS, JSON and built-ins. */
export function namespaceOf(exports): Namespace {
  const namespace = makeNamespace();
  const isObject =
    (typeof exports === 'object' && exports !== null) || typeof exports === 'function';
  if (isObject)
    for (const key of Object.keys(exports)) exportGetter(namespace, key, () => exports[key]);
  const value = isObject && exports.__esModule && 'default' in exports ? exports.default : exports;
  define(namespace, 'default', { value, enumerable: true, configurable: true });
  return namespace;
}

/**
 * Returns the value of `require` for an ES module: its export named 'module.exports', or all
 * exports. `__esModule` lets code compiled to CommonJS find the default export.
 */
export function toRequired(namespace: Namespace): unknown {
  if ('module.exports' in namespace) return namespace['module.exports'];
  if (!('default' in namespace) || '__esModule' in namespace) return namespace;
  const required = makeNamespace();
  define(required, '__esModule', { value: true, enumerable: true });
  for (const name of Object.keys(namespace)) exportGetter(required, name, () => namespace[name]);
  return required;
}
