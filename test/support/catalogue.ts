// The names of the built-in tools as the catalogue has them, by name: whoever adds a tool finds no list
// to mend in tests.
import { getTools } from '../../src/agent/registry/assemble.ts';
import { definitions } from '../../src/tools/definitions.ts';

const tools = await Promise.all(definitions.map((entry) => entry.load()));

/** All that a host has. */
export const builtInNames = tools.map(({ name }) => name);

const noDenial = { mode: 'default', rules: [], additionalWorkingDirectories: new Map() } as const;
const offered = getTools({
  builtIn: tools,
  others: [],
  unchosen: [],
  switches: { toolSearch: true },
  permissions: noDenial,
}).map(({ name }) => name);

/** Those that a query has without any switch. */
export const offeredNames = builtInNames.filter((name) => offered.includes(name));

/** Those of them that ToolSearch loads. */
export const deferredNames = offeredNames.filter(
  (name) => tools.find((tool) => tool.name === name)?.shouldDefer,
);

/** Those that every request begins with. */
export const coreNames = offeredNames.filter((name) => !deferredNames.includes(name));
