// Guest source. `tools`: the conversation's tools, each a function of its input.

/** A function of the kernel that returns the global `tools`. */
export const toolsSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse, stringify } = kernel;
  // Asked each time: the variable outlives its cell, and the next one may call others.
  const names = () => parse(host.toolNames());
  const made = new Map();

  function find(name) {
    if (!names().includes(name)) return undefined;
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  }
  function make(name) {
    const call = async (input = {}) => {
      const [output] = await kernel.callHost(() => host.startTool(name, stringify(input)));
      return output === undefined ? undefined : parse(output);
    };
    return Object.defineProperty(call, 'name', { value: name });
  }
  const refuse = () => false;
  return new Proxy(Object.create(null), {
    get: (target, name) => find(name),
    has: (target, name) => find(name) !== undefined,
    ownKeys: names,
    getOwnPropertyDescriptor: (target, name) => {
      const value = find(name);
      return value && { value, enumerable: true, configurable: true, writable: false };
    },
    set: refuse, defineProperty: refuse, deleteProperty: refuse,
  });
})`;
