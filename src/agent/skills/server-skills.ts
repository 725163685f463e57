// Skills that MCP servers offer (SEP-2640), as a skill source. The names come from the server's list. A text is fetched
// when its skill is used, and checked against the server's digest. Loaded for a session with servers.
import { SdkError } from '../../core/errors.ts';
import { toApiName } from '../../core/mcp/mcp-tool-name.ts';
import type { SkillSource } from '../../core/commands/skill.ts';
import type { AskMcpServer, McpSkill } from '../../core/mcp/mcp-exchange.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { withoutDeniedServers } from '../registry/denied-servers.ts';
import type { McpServers } from '../session/mcp/mcp-servers.ts';

interface ServerSkill extends McpSkill {
  readonly server: string;
  readonly ask: AskMcpServer;
}

/**
 * Named `server:skill`. They may loosen nothing, and one that is used taints the session, as each text of a server does.
 * `servers`: undefined while there are none. A rule that denies a server denies its skills.
 */
export function createServerSkills(
  servers: () => Pick<McpServers, 'connected'> | undefined,
  permissions: Pick<PermissionState, 'current' | 'taint'>,
): SkillSource {
  /** One list a connection: a prompt must not wait for it each time. */
  const lists = new WeakMap<AskMcpServer, Promise<readonly McpSkill[]>>();

  async function listOne(server: string, ask: AskMcpServer, signal: AbortSignal) {
    const listed = lists.get(ask) ?? ask({ type: 'list-skills' }, signal);
    lists.set(ask, listed);
    try {
      return (await listed).map((skill): ServerSkill => ({
        ...skill,
        name: `${toApiName(server)}:${skill.name}`,
        server,
        ask,
      }));
    } catch (error) {
      lists.delete(ask);
      throw error;
    }
  }

  async function listAll(signal: AbortSignal): Promise<readonly ServerSkill[]> {
    const connected = servers()?.connected() ?? [];
    const offering = connected.filter(({ server }) => server.extras.hasSkills);
    const asked = withoutDeniedServers(offering, permissions.current());
    const found = await Promise.allSettled(
      asked.map(({ name, server }) => listOne(name, server.ask, signal)),
    );
    // A server that fails is told of by its state, and its skills are gone meanwhile.
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  return {
    name: 'MCP servers',
    async list(signal) {
      return (await listAll(signal)).map(({ name, description }) => ({ name, description }));
    },
    async read(name, signal) {
      const skill = (await listAll(signal)).find((one) => one.name === name);
      if (!skill) {
        throw new SdkError('invalid-input', `There is no skill "${name}" at any MCP server now.`);
      }
      const text = await skill.ask({ type: 'read-skill', uri: skill.uri }, signal);
      // Security: its words stand in the conversation from here on.
      permissions.taint(`mcp__${toApiName(skill.server)}`);
      return `(The MCP server ${skill.server} wrote this skill.)\n\n${text}`;
    },
  };
}
