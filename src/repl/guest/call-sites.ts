// Completes the call sites that a program's Error.prepareStackTrace receives. The engine's have
// file, line and function. Programs for Node read more, and get values that are true for sandboxed
// code.

export interface CallSite {
  getFileName(): string | null;
  getFunctionName(): string | null;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

/** Adds the methods that the engine's call sites lack. */
export function addCallSites(capture: typeof Error.captureStackTrace): void {
  const owner = Error as { prepareStackTrace?: unknown };
  const { prepareStackTrace } = owner;
  owner.prepareStackTrace = (_error: unknown, sites: CallSite[]) => sites;
  const holder: { stack?: CallSite[] } = {};
  capture(holder);
  owner.prepareStackTrace = prepareStackTrace;
  const prototype = Object.getPrototypeOf(holder.stack?.[0]);
  const absent = () => undefined;
  const none = () => null;
  const no = () => false;
  const methods = {
    isEval: no,
    isToplevel: no,
    isAsync: no,
    isPromiseAll: no,
    getThis: absent,
    getEvalOrigin: absent,
    getTypeName: none,
    getMethodName: none,
    getPromiseIndex: none,
    getScriptNameOrSourceURL(this: CallSite) {
      return this.getFileName();
    },
    toString(this: CallSite) {
      const file = this.getFileName();
      const place = file
        ? [file, this.getLineNumber(), this.getColumnNumber()].join(':')
        : 'native';
      const name = this.getFunctionName();
      return name ? name + ' (' + place + ')' : place;
    },
  };
  for (const name of Object.keys(methods)) {
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, {
      value: methods[name],
      writable: true,
      configurable: true,
    });
  }
}
