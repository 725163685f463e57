// The agents of one session as sessions for the stations: each is opened under the agent that has
// begun it. Used by create-session-agents.ts.
import type { HooksOption } from '../hooks/hooks.ts';
import type { SessionFold } from '../journal/fold.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import type { Session } from '../session/session.ts';
import type { AgentKinds } from './agent-kinds.ts';
import type { CallerPermissions } from './agent-permissions.ts';
import { createAgent } from './create-agent.ts';
import type { AgentParts } from './create-agent.ts';
import type { NamedDefinition } from './definitions.ts';

/** The parts of the session that each of its agents gets. */
export interface OpenedAgentsParts extends Omit<
  AgentParts,
  'permissions' | 'allowed' | 'hooks' | 'signal'
> {
  /** Aborted with the session. */
  readonly signal: AbortSignal;
}

/** The agents that were opened, whether they run or are at rest. */
export interface OpenedAgents {
  /** The agent as it was opened last. Undefined: it wasn't. */
  find(id: string): Session | undefined;
  /** The agent, even at rest. Without an id: the session's own agent. */
  open(id: string | undefined): Promise<Session>;
  /** Opens the agent for a run, until `stopping`. `allowed`: rules of a trusted skill. */
  openNew(
    id: string,
    stopping: AbortSignal,
    allowed?: readonly string[],
  ): Promise<{
    readonly folded: FoldedAgent;
    readonly definition: NamedDefinition;
    readonly agent: Session;
  }>;
}

/** `main`: the session's own agent. `fold`: its fold. */
export function createOpenedAgents(
  main: () => Session,
  fold: SessionFold,
  kinds: AgentKinds,
  parts: OpenedAgentsParts,
): OpenedAgents {
  const { options, signal } = parts;
  const opened = new Map<string, Session>();

  async function open(id: string | undefined): Promise<Session> {
    if (id === undefined) return main();
    return opened.get(id) ?? (await openNew(id, signal)).agent;
  }

  async function openNew(id: string, stopping: AbortSignal, allowed?: readonly string[]) {
    const folded = fold.agents.get(id);
    if (!folded) throw new TypeError(`No agent ${id} was begun.`);
    const parent = await open(folded.parent);
    const { record } = folded;
    const definition = kinds.find(record.agentType);
    // The caller's model may be a command's, for this turn.
    const known = [
      ...[parent.model, main().models.ofSession()],
      ...Object.values(options.models ?? {}),
    ];
    const model =
      known.find(({ name }) => name === record.model) ??
      kinds.modelOf(undefined, definition, parent);
    const agent = await createAgent(parent, folded, definition, model, {
      ...parts,
      permissions: permissionsOf(parent),
      allowed,
      hooks: hooksOf(folded),
      signal: stopping,
    });
    opened.set(id, agent);
    return { folded, definition, agent };
  }

  /** Security: an agent that forks itself takes its hooks along. */
  function hooksOf({ parent, record }: FoldedAgent): HooksOption | undefined {
    const { hooks, isFork } = kinds.find(record.agentType);
    const above = isFork && parent !== undefined ? fold.agents.get(parent) : undefined;
    return above ? hooksOf(above) : hooks;
  }

  /** As the session was opened last: an agent may be taken up after agents that it has begun. */
  function permissionsOf(agent: Session): CallerPermissions {
    const { id } = agent.agent ?? {};
    const now = () => ((id === undefined ? undefined : opened.get(id)) ?? agent).permissions;
    return {
      current: () => now().current(),
      update: (updates) => now().update(updates),
      configure: (updates) => now().configure(updates),
      isInitial: () => now().isInitial(),
    };
  }

  return { find: (id) => opened.get(id), open, openNew };
}
