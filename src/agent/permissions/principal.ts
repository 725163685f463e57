// Who asks for a call, and what applies to that principal. `decide.ts` asks this first.
import type {
  PermissionRuleSource,
  ToolPermissionContext,
} from '../../core/permissions/permission.ts';
import type { Principal } from '../../core/permissions/principal.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { CallingTools } from '../calls/validate.ts';

/**
 * Stands for the agent of the browser, to which a page has offered tools (WebMCP): it asks for calls, and is called by
 * nobody. Of who asks only the name is read, and whose it is: what is held against a server's tool is held against it.
 */
export const browserAgent = { name: 'WebMCP', isMcp: true } as Tool;

/** Of rules that came during the session. */
const ownSources: ReadonlySet<PermissionRuleSource> = new Set(['session', 'turn']);

/** The one that is to answer for the call: of a server's tool the server, whoever called the tool. */
export function toPrincipal({ caller, requester }: CallingTools): Principal {
  if (requester === browserAgent) return { kind: 'page' };
  if (requester?.isMcp) {
    return { kind: 'remote', serverName: requester.mcpInfo?.serverName ?? requester.name };
  }
  if (requester) return { kind: 'tool', toolName: requester.name };
  return caller ? { kind: 'code', toolName: caller.name } : { kind: 'agent' };
}

/**
 * Security: a server that is trusted with its own tools isn't with ours. What a person allowed the agent
 * by a mode, during this session or by a skill, was never meant for it; what rules deny or ask holds for all.
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
