// Waits for MCP servers, which connect again at each opening of a session. resume-turn.ts waits for
// the servers of open calls. loop.ts waits, before the first request, for the servers whose tools
// the conversation has.
import { buildMcpToolName } from '../../../core/mcp/mcp-tool-name.ts';
import { extractDiscoveredToolNames } from '../../../core/tool/tool-catalog.ts';
import { listToldNames } from '../../registry/announce-tools.ts';
import { listNotedMessages } from '../../registry/noted-messages.ts';
import type { Session } from '../session.ts';

// 5 s: the same time as for `alwaysLoad`. After that the turn begins without the server.
const knownMs = 5_000;

/** The parts of a session that waits. Without `host` its caller counts the wait as work. */
type Waiting = Pick<Session, 'mcpServers'> & Partial<Pick<Session, 'host'>>;

/** The sessions that have had their first request since they were opened. */
const begun = new WeakSet<Session>();

/**
 * Before the first request of an opening: waits for servers whose tools the conversation knows.
 * Otherwise the model would be told that they are gone, and nothing would be read from its cache.
 * An object opens its session for each turn. There it waits for all servers: a turn of one request
 * would never have their tools. Never rejects for an aborted signal.
 */
export async function awaitKnownServers(session: Session, signal: AbortSignal): Promise<void> {
  if (begun.has(session)) return;
  begun.add(session);
  if (!session.mcpServers) return;
  const { host, messages } = session;
  if (host.steps) {
    await awaitPending(session, undefined, knownMs, signal);
    return;
  }
  const found = extractDiscoveredToolNames(listNotedMessages(messages));
  await awaitServersOf([...listToldNames(messages), ...found], session, knownMs, signal);
}

/** Waits for the connecting servers of these tools. Never rejects for an aborted signal. */
export async function awaitServersOf(
  toolNames: readonly string[],
  session: Waiting,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const { mcpServers } = session;
  const servers = (mcpServers?.status() ?? []).flatMap(({ name: serverName, status }) => {
    const start = buildMcpToolName({ serverName, toolName: '' });
    const isMeant = status === 'pending' && toolNames.some((name) => name.startsWith(start));
    return isMeant ? serverName : [];
  });
  if (servers.length > 0) await awaitPending(session, servers, ms, signal);
}

/** `names`: undefined means all. */
async function awaitPending(
  { mcpServers, host }: Waiting,
  names: readonly string[] | undefined,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  // A Durable Object isn't idle meanwhile, also if only an agent in the background waits.
  const working = host?.steps?.work();
  try {
    await mcpServers?.wait(names, ms, signal);
  } catch (error) {
    // Whoever stops the turn takes care of the rest.
    if (!signal.aborted) throw error;
  } finally {
    working?.[Symbol.dispose]();
  }
}
