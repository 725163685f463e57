// A whole workspace in memory and on one thread: for Node, isolates, tests and small embeds.
import { createMemoryMedium } from './drivers/memory.ts';
import { openWorkspace } from './open-workspace.ts';
import type { ViewSource } from './draft/view.ts';
import type { Workspace } from './workspace.ts';

/** A name for the status line; it opens nothing. */
export interface MemoryWorkspaceOptions {
  /** @defaultValue `'memory'` */
  readonly name?: string;
}

/** The same writer, log and checks as in a tab; only the medium is memory, gone with the process. */
export function createMemoryWorkspace(
  options: MemoryWorkspaceOptions = {},
): Promise<Workspace & ViewSource> {
  const { name = 'memory' } = options;
  return openWorkspace(createMemoryMedium(), { name });
}
