// Opens a workspace on any medium in this realm. Called by embeddings without an agent, and by the
// part of each host that owns the log.
import { checkLimitOptions, checkOptionNames } from '../core/check-option-names.ts';
import { defaultLogLimits } from './log/log-limits.ts';
import type { LogMedium } from './log/log-medium.ts';
import type { ViewSource } from './draft/view.ts';
import type { Workspace } from './workspace.ts';
import { createWriterWorkspace } from './commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriterOptions } from './commit/writer.ts';

/**
 * Recovers the log and owns the medium until the workspace is disposed of. Rejects with `EIO` for a
 * log that this version can't read, and with `ENOSPC` if not even an empty log fits. The medium is
 * then closed.
 */
export async function openWorkspace(
  medium: LogMedium,
  options: WorkspaceWriterOptions,
): Promise<Workspace & ViewSource> {
  checkOptionNames('openWorkspace', options, knownOptions);
  checkLimitOptions('limits of openWorkspace', options.limits, defaultLogLimits);
  return createWriterWorkspace(await openWorkspaceWriter(medium, options));
}

const knownOptions = {
  name: true,
  maxFileBytes: true,
  gather: true,
  rest: true,
  onListenerError: true,
  limits: true,
} satisfies Record<keyof WorkspaceWriterOptions, true>;
