// Guest source. `tools`: the conversation's tools, each a function of its input, and `tools.search`,
// which finds them.

/** A function of the kernel that returns the global `tools`. */
export const toolsSource = String.raw`
(function (kernel) {
  'use strict';
  const { host, parse, stringify } = kernel;
  // Asked each time: the variable outlives its cell, and the next one may call others.
  const names = () => parse(host.toolNames());
  const made = new Map();

  function find(name) {
    if (!names().includes(name)) return name === 'search' && canSearch() ? search : undefined;
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
  // A nested call like any other: counted, judged, and to be caught where it is refused.
  const canSearch = () => names().includes('ToolSearch');
  async function search(query, maxResults) {
    const { matches } = await find('ToolSearch')({ query, max_results: maxResults });
    return matches;
  }
  const refuse = () => false;
  return new Proxy(Object.create(null), {
    get: (target, name) => find(name),
    has: (target, name) => find(name) !== undefined,
    // Without search: who walks through all of them wants tools.
    ownKeys: names,
    getOwnPropertyDescriptor: (target, name) => {
      const value = find(name);
      return value && { value, enumerable: true, configurable: true, writable: false };
    },
    set: refuse, defineProperty: refuse, deleteProperty: refuse,
  });
})`;
