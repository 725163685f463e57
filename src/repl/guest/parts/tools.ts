// The global `tools`: the conversation's tools as functions of their input, and `tools.search`,
// which finds tools.
import type { Kernel } from '../kernel-type.ts';

/** Returns the global `tools`. */
export function addTools(kernel: Kernel) {
  const { host, parse, stringify } = kernel;
  // Read each time: the object outlives its cell, and the next cell may have other tools.
  const names = (): string[] => parse(host.toolNames());
  const made = new Map<string, Function>();

  function find(name): Function | undefined {
    if (!names().includes(name)) return name === 'search' && canSearch() ? search : undefined;
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  }
  function make(name: string): Function {
    const call = async (input = {}) => {
      const [output] = await kernel.callHost<[string | undefined]>(() =>
        host.startTool(name, stringify(input)),
      );
      return output === undefined ? undefined : parse(output);
    };
    return Object.defineProperty(call, 'name', { value: name });
  }
  // A search is an ordinary nested call: counted, authorized, and an error can be caught.
  const canSearch = () => names().includes('ToolSearch');
  async function search(query: unknown, maxResults: unknown) {
    const { matches } = await (find('ToolSearch') as Function)({ query, max_results: maxResults });
    return matches;
  }
  const refuse = () => false;
  return new Proxy(Object.create(null), {
    get: (_target, name) => find(name),
    has: (_target, name) => find(name) !== undefined,
    // Without `search`, because code that enumerates the object wants tools.
    ownKeys: names,
    getOwnPropertyDescriptor: (_target, name) => {
      const value = find(name);
      return value && { value, enumerable: true, configurable: true, writable: false };
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
  });
}
