// rockpool/inline: the agent on one thread, in Node or wherever JavaScript runs. `query` is in rockpool.
export { createInlineHost } from './hosts/inline/create-inline-host.ts';
export type { InlineHostOptions } from './hosts/inline/create-inline-host.ts';
export { createMemoryWorkspace } from './workspace/memory-workspace.ts';
export type { MemoryWorkspaceOptions } from './workspace/memory-workspace.ts';
