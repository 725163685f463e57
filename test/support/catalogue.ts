// The names of the built-in tools as the catalogue has them, by name: whoever adds a tool finds no list
// to mend in tests.
import { definitions } from '../../src/tools/definitions.ts';

const tools = await Promise.all(definitions.map((entry) => entry.load()));

export const builtInNames = tools.map(({ name }) => name);

/** Those that ToolSearch loads. */
export const deferredNames = tools.filter((tool) => tool.shouldDefer).map(({ name }) => name);

/** Those that every request begins with. */
export const coreNames = builtInNames.filter((name) => !deferredNames.includes(name));
