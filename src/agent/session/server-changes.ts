// The changes of a session's servers while it was open: `/clear` takes them along to the session in
// its place. They hold in this realm, like the servers themselves.
import type { McpServerConfig } from '../../core/mcp/mcp-server.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** What the query's options don't say. */
export interface ServerChanges {
  /** The servers of the last `setMcpServers`. */
  readonly dynamic: Readonly<Record<string, McpServerConfig>>;
  /** The names of those that were switched off. */
  readonly disabled: readonly string[];
}

const left = new WeakMap<Workspace, Map<string, ServerChanges>>();

/** Leaves them to the session with that id, which isn't open yet. */
export function leaveServerChanges(
  workspace: Workspace,
  sessionId: string,
  changes: ServerChanges,
): void {
  if (changes.disabled.length === 0 && Object.keys(changes.dynamic).length === 0) return;
  const all = left.get(workspace) ?? new Map<string, ServerChanges>();
  left.set(workspace, all.set(sessionId, changes));
}

/** Takes what was left to the session, once. */
export function takeServerChanges(
  workspace: Workspace,
  sessionId: string,
): ServerChanges | undefined {
  const changes = left.get(workspace)?.get(sessionId);
  left.get(workspace)?.delete(sessionId);
  return changes;
}
