// Methods of the language that the engine lacks or has wrong. It has no locales: those methods are implemented by Intl
// (parts/intl.ts).
import type { Kernel } from './kernel-type.ts';

/** Defines the global Intl, and the methods that take locales. */
export function addLocales(kernel: Kernel) {
  kernel.defineLazyGlobal('Intl', () => kernel.part('intl').Intl);
  const redefine = (holder: object, methods: Record<string, Function>) => {
    for (const name of Object.keys(methods))
      Object.defineProperty(holder, name, {
        __proto__: null,
        value: methods[name],
        writable: true,
        configurable: true,
        enumerable: false,
      });
  };
  const { toUpperCase, toLowerCase } = String.prototype;
  const { valueOf: numberOf } = Number.prototype;
  const { valueOf: bigintOf } = BigInt.prototype;
  const { valueOf: timeOf, toString: dateText, toTimeString: timeText } = Date.prototype;
  const inZone = (text: string) => text.replace(/GMT.*$/, '$& (Coordinated Universal Time)');
  const { apply } = Reflect;
  // Written as methods, so that they aren't constructors, like the language's own.
  redefine(String.prototype, {
    localeCompare(this: unknown, other: unknown, locales?: unknown, options?: unknown) {
      if (this === undefined || this === null) throw new TypeError('not an object');
      return kernel.part('intl').compare(String(this), String(other), locales, options);
    },
    toLocaleUpperCase(this: unknown, locales?: unknown) {
      return locales === undefined
        ? apply(toUpperCase, this, [])
        : kernel.part('intl').changeCase('toLocaleUpperCase', String(this), locales);
    },
    toLocaleLowerCase(this: unknown, locales?: unknown) {
      return locales === undefined
        ? apply(toLowerCase, this, [])
        : kernel.part('intl').changeCase('toLocaleLowerCase', String(this), locales);
    },
  });
  redefine(Number.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      return kernel.part('intl').formatNumber(apply(numberOf, this, []), locales, options);
    },
  });
  redefine(BigInt.prototype, {
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      return kernel.part('intl').formatNumber(apply(bigintOf, this, []), locales, options);
    },
  });
  // The engine leaves a date as it was where the language makes it an invalid one: `date.setFullYear(NaN)`.
  const { setTime } = Date.prototype;
  const { isNaN } = Number;
  for (const name of Reflect.ownKeys(Date.prototype) as string[]) {
    const set: Function = Date.prototype[name];
    if (!/^set(?!Time)/.test(String(name))) continue;
    const { [name]: mended } = {
      [name](this: Date, ...args: unknown[]) {
        const time = apply(set, this, args);
        return isNaN(time) ? apply(setTime, this, [NaN]) : time;
      },
    };
    Object.defineProperty(mended, 'length', {
      __proto__: null,
      value: set.length,
      configurable: true,
    });
    redefine(Date.prototype, { [name]: mended });
  }
  redefine(Date.prototype, {
    toString(this: unknown) {
      return inZone(apply(dateText, this, []));
    },
    toTimeString(this: unknown) {
      return inZone(apply(timeText, this, []));
    },
    toLocaleString(this: unknown, locales?: unknown, options?: unknown) {
      return kernel.part('intl').formatDate(apply(timeOf, this, []), locales, options, 'all');
    },
    toLocaleDateString(this: unknown, locales?: unknown, options?: unknown) {
      return kernel.part('intl').formatDate(apply(timeOf, this, []), locales, options, 'date');
    },
    toLocaleTimeString(this: unknown, locales?: unknown, options?: unknown) {
      return kernel.part('intl').formatDate(apply(timeOf, this, []), locales, options, 'time');
    },
  });
}
