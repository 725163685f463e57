// A whole workspace in one thread and in memory: for Node, isolates, tests and tiny embeds.
import { createMemoryStore } from './drivers/memory.ts';
import type { ViewSource } from './view.ts';
import type { Workspace } from './workspace.ts';
import { createWriterWorkspace } from './writer-workspace.ts';
import { openWorkspaceWriter } from './writer.ts';

/** A name for the status line; it opens nothing. */
export interface MemoryWorkspaceOptions {
  /** @defaultValue `'memory'` */
  readonly name?: string;
}

/** The same writer, log and checks as in a tab; only the medium is memory, gone with the process. */
export async function createMemoryWorkspace(
  options: MemoryWorkspaceOptions = {},
): Promise<Workspace & ViewSource> {
  const writer = await openWorkspaceWriter(createMemoryStore(), {
    name: options.name ?? 'memory',
  });
  return createWriterWorkspace(writer);
}
