// The names of the built-in tools, from the table of tools. So a new tool needs no change of lists in tests.
import { getTools } from '../../../src/agent/registry/assemble.ts';
import { definitions } from '../../../src/tools/definitions.ts';

const tools = await Promise.all(definitions.map((entry) => entry.load()));

/** All tools of a host. */
export const builtInNames = tools.map(({ name }) => name);

const noDenial = { mode: 'default', rules: [], additionalWorkingDirectories: new Map() } as const;
const offered = getTools({
  builtIn: tools,
  others: [],
  unchosen: [],
  switches: { toolSearch: true },
  permissions: noDenial,
}).map(({ name }) => name);

/** The tools that a query has by default. */
export const offeredNames = builtInNames.filter((name) => offered.includes(name));

/** The deferred tools among these. */
export const deferredNames = offeredNames.filter(
  (name) => tools.find((tool) => tool.name === name)?.shouldDefer,
);

/** The tools that every request has. */
export const coreNames = offeredNames.filter((name) => !deferredNames.includes(name));
