// Errors that the engine itself throws say what Node's say, as far as the engine tells enough: tests compare these
// messages. Stacks become text when they are read, as most never are.
import { addCallSites, type CallSite } from './call-sites.ts';

/** What the engine keeps as an error's stack. */
class Places {
  readonly sites: readonly CallSite[];
  constructor(sites: readonly CallSite[]) {
    this.sites = sites;
  }
}

/** The same in Node, whatever the error is about. */
const messages: Readonly<Record<string, string>> = {
  __proto__: null,
  'revoked proxy': "Cannot perform 'get' on a proxy that has been revoked",
  'could not delete property': 'Cannot delete property of an object that is sealed or frozen',
  'no setter for property': 'Cannot set property of an object which has only a getter',
  "class constructors must be invoked with 'new'":
    "Class constructor cannot be invoked without 'new'",
  'cannot convert symbol to string': 'Cannot convert a Symbol value to a string',
  'cannot convert symbol to number': 'Cannot convert a Symbol value to a number',
  'cannot convert BigInt to number': 'Cannot mix BigInt and other types, use explicit conversions',
  'invalid array length': 'Invalid array length',
  'this is not initialized':
    "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
} as never;

/** Messages of built-in functions. A program might use such a text for an error of its own. */
const messagesOfBuiltIns: Readonly<Record<string, string>> = {
  __proto__: null,
  'circular reference': 'Converting circular structure to JSON',
  'empty array': 'Reduce of empty array with no initial value',
  'invalid array length': 'Invalid array length',
  'invalid repeat count': 'Invalid count value',
  'Date value is NaN': 'Invalid time value',
} as never;

/**
 * Takes the engine's errors over. `sourceLine` gives a line of the program. The result gives the frames of a stack as
 * text, or undefined if the stack isn't the engine's.
 */
export function addEngineErrors(
  capture: typeof Error.captureStackTrace,
  sourceLine: (file: string, line: number) => string | undefined,
): (stack: unknown) => string | undefined {
  // Kept, because every error comes here, and a cell may have broken the built-ins.
  const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
  const { apply } = Reflect;
  const { indexOf, lastIndexOf, slice } = String.prototype;
  const ofTypes = TypeError.prototype;
  const ofRanges = RangeError.prototype;
  const ofReferences = ReferenceError.prototype;
  const ofUris = URIError.prototype;
  const ofEngine = (globalThis as { InternalError?: ErrorConstructor }).InternalError?.prototype;
  const cut = (text: string, from: number, to?: number): string => apply(slice, text, [from, to]);
  const has = (text: string, part: string, at: number) => cut(text, at, at + part.length) === part;

  /** Undefined for the engine's own functions and for those of the world. */
  function fileOf(site: CallSite | undefined): string | undefined {
    const file = site?.getFileName();
    return !file || file === '<null>' || has(file, 'rockpool:', 0) ? undefined : file;
  }

  /** True if the line assigns to a variable of this name, and not to a property. */
  function assignsVariable(line: string, name: string): boolean {
    for (let at = -1; (at = apply(indexOf, line, [name, at + 1])) !== -1;) {
      const before = at === 0 ? ' ' : line[at - 1];
      let next = at + name.length;
      while (line[next] === ' ') next += 1;
      const assigns =
        line[next] === '='
          ? line[next + 1] !== '='
          : line[next + 1] === '=' || has(line, '++', next) || has(line, '--', next);
      if (assigns && (before === ' ' || before === ';' || before === '(' || before === '{'))
        return true;
    }
    return false;
  }

  /** `between` is the quoted name in the message. */
  function mendType(message: string, between: string, sites: readonly CallSite[]): string {
    const verb = has(message, "cannot read property '", 0)
      ? 'read'
      : has(message, "cannot set property '", 0)
        ? 'set'
        : '';
    if (verb !== '') {
      const of = cut(message, apply(lastIndexOf, message, [' of ']));
      const key = has(between, 'Symbol.', 0) ? 'Symbol(' + between + ')' : between;
      const doing = verb === 'set' ? 'setting' : 'reading';
      return 'Cannot ' + verb + ' properties' + of + ' (' + doing + " '" + key + "')";
    }
    const ofOthers = ' from an object whose class did not declare it';
    if (has(message, "private class field '", 0))
      return 'Cannot read private member ' + between + ofOthers;
    if (message !== "'" + between + "' is read-only") return message;
    // A constant keeps the engine's message, as Node's names none.
    let at = 0;
    while (at < sites.length && fileOf(sites[at]) === undefined) at += 1;
    const file = fileOf(sites[at]);
    const line = file && sourceLine(file, sites[at]?.getLineNumber() ?? 1);
    if (line && assignsVariable(line, between)) return message;
    const isIndex = between === 'length' || String(+between) === between;
    const object = isIndex ? '[object Array]' : '#<Object>';
    return "Cannot assign to read only property '" + between + "' of object '" + object + "'";
  }

  function mended(message: string, prototype: unknown, sites: readonly CallSite[]): string {
    const isBuiltIn = fileOf(sites[0]) === undefined;
    if (prototype === ofUris) return isBuiltIn ? 'URI malformed' : message;
    const known = messages[message] ?? (isBuiltIn ? messagesOfBuiltIns[message] : undefined);
    if (known !== undefined) return known;
    if (prototype === ofReferences) {
      const at = apply(indexOf, message, [' is not initialized']);
      return at === -1
        ? message
        : "Cannot access '" + cut(message, 0, at) + "' before initialization";
    }
    if (prototype !== ofTypes) return message;
    const from = apply(indexOf, message, ["'"]);
    if (from === -1) return message;
    const between = cut(message, from + 1, apply(lastIndexOf, message, ["'"]));
    return mendType(message, between, sites);
  }

  function mend(error: object, sites: readonly CallSite[]) {
    const prototype = getPrototypeOf(error);
    if (prototype === ofEngine) {
      if (getOwnPropertyDescriptor(error, 'message')?.value !== 'string too long') return;
      setPrototypeOf(error, ofRanges);
      (error as Error).message = 'Invalid string length';
    }
    if (
      prototype !== ofTypes &&
      prototype !== ofRanges &&
      prototype !== ofReferences &&
      prototype !== ofUris
    )
      return;
    const message = getOwnPropertyDescriptor(error, 'message')?.value;
    if (typeof message !== 'string') return;
    const better = mended(message, prototype, sites);
    if (better !== message) (error as Error).message = better;
  }

  addCallSites(capture);
  const prepareOwn = (error: object, sites: readonly CallSite[]) => {
    try {
      mend(error, sites);
    } catch {
      // The stack or the memory is at its end. The engine's own words stay.
    }
    return typeof own === 'function' ? apply(own, Error, [error, sites]) : new Places(sites);
  };
  // Other engines than the sandbox's have a plain property. The tests of its walls run this code in one.
  const set = getOwnPropertyDescriptor(Error, 'prepareStackTrace')?.set;
  if (set) apply(set, Error, [prepareOwn]);
  /** What a program has set. */
  let own: unknown;
  Object.defineProperty(Error, 'prepareStackTrace', {
    get: () => own,
    set(prepare) {
      own = prepare;
    },
    enumerable: false,
    configurable: true,
  });

  return (stack) => {
    if (!(stack instanceof Places)) return undefined;
    let text = '';
    for (let at = 0; at < stack.sites.length; at += 1) {
      const site = stack.sites[at] as CallSite;
      const file = fileOf(site);
      if (file === undefined) continue;
      text +=
        (text === '' ? '' : '\n') +
        '    at ' +
        (site.getFunctionName() || '<anonymous>') +
        ' (' +
        file +
        ':' +
        site.getLineNumber() +
        ')';
    }
    return text;
  };
}
