// Decides who answers the questions that hooks leave open, by the query's options. Used by
// create-session.ts.
import type { CanUseTool } from '../core/permissions/permission.ts';
import type { Host } from './host.ts';
import type { QueryOptions } from './query-options.ts';
import type { McpServers } from './session/mcp/mcp-servers.ts';
import type { Answerer } from './permissions/questions.ts';

/** `servers`: called for the session's current servers. */
export function toAnswerer(
  { permissionPrompts, permissionPromptToolName: name, canUseTool, host }: QueryOptions,
  servers: () => McpServers | undefined,
): Answerer {
  if (permissionPrompts === 'none') return { type: 'nobody', why: "permissionPrompts is 'none'" };
  if (name !== undefined) {
    const ask: CanUseTool = async (...asked) => {
      const { askPromptTool } = await import('./session/mcp/prompt-tool.ts');
      return askPromptTool(name, servers(), ...asked);
    };
    return { type: 'tool', toolName: name, canUseTool: asWork(ask, host) };
  }
  return canUseTool ? { type: 'person', canUseTool } : { type: 'nobody', why: 'no canUseTool' };
}

/** An answering program counts as work, so the session isn't idle meanwhile. */
export function asWork(canUseTool: CanUseTool, { steps }: Host): CanUseTool {
  if (!steps) return canUseTool;
  return async (...asked) => {
    const working = steps.work();
    try {
      return await canUseTool(...asked);
    } finally {
      working[Symbol.dispose]();
    }
  };
}
