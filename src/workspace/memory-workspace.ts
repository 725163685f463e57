// A whole workspace in memory on one thread: for Node, isolates, tests and small embeddings.
import { createMemoryMedium } from './drivers/memory.ts';
import { openWorkspace } from './open-workspace.ts';
import type { ViewSource } from './draft/view.ts';
import type { Workspace } from './workspace.ts';

/** The workspace's name for a status line. It has no other effect. */
export interface MemoryWorkspaceOptions {
  /** @defaultValue `'memory'` */
  readonly name?: string;
}

/**
 * Uses the same writer, log and checks as in a tab. Only the medium is in memory, so its data ends
 * with the process.
 */
export function createMemoryWorkspace(
  options: MemoryWorkspaceOptions = {},
): Promise<Workspace & ViewSource> {
  const { name = 'memory' } = options;
  return openWorkspace(createMemoryMedium(), { name });
}
