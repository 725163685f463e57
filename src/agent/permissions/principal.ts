// Finds the principal of a call and the permissions that apply to it. decide.ts uses them for every
// decision.
import type {
  PermissionRuleSource,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { Principal } from '../../core/permissions/principal.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { CallingTools } from '../calls/validate.ts';

/**
 * Stands for the browser's agent, to which a page has offered tools (WebMCP). It requests calls,
 * and is never called. Only its name and `isMcp` are read, because a server's limits apply to it.
 */
export const browserAgent = { name: 'WebMCP', isMcp: true } as Tool;

/** The sources of rules that were added during the session. */
const ownSources: ReadonlySet<PermissionRuleSource> = new Set(['session', 'turn']);

/**
 * The principal that is responsible for the call. For a server's tool it is the server, even if
 * code called the tool.
 */
export function toPrincipal({ caller, requester }: CallingTools): Principal {
  if (requester === browserAgent) return { kind: 'page' };
  if (requester?.isMcp) {
    return { kind: 'remote', serverName: requester.mcpInfo?.serverName ?? requester.name };
  }
  if (requester) return { kind: 'tool', toolName: requester.name };
  return caller ? { kind: 'code', toolName: caller.name } : { kind: 'agent' };
}

/**
 * Security: a server that may run its own tools may not use ours. Permissions that a person gave
 * the agent by a mode, in this session or by a skill don't apply to it. Deny and ask rules apply to
 * all.
 */
export function narrowPermissions(
  permissions: ToolPermissionContext,
  call: CallingTools,
): ToolPermissionContext {
  if (!call.requester?.isMcp) return permissions;
  const { isDraft: _, notes: __, ...narrowed } = permissions;
  const { mode, rules } = narrowed;
  const isLoose = mode === 'bypassPermissions' || mode === 'acceptEdits' || mode === 'auto';
  return {
    ...narrowed,
    mode: isLoose ? 'default' : mode,
    rules: rules.filter(({ behavior, source }) => behavior !== 'allow' || !ownSources.has(source)),
  };
}
