// A skill source for the skills of MCP servers (SEP-2640). The names come from the server's list. A
// text is fetched when its skill is used, and checked with the server's digest. Loaded for a
// session with servers.
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
 * Skills are named `server:skill`. They can't loosen permissions, and using one taints the session,
 * like every text of a server. `servers`: undefined while there are none. A rule that denies a
 * server denies its skills.
 */
export function createServerSkills(
  servers: () => Pick<McpServers, 'connected'> | undefined,
  permissions: Pick<PermissionState, 'current' | 'taint'>,
): SkillSource {
  /** One list per connection, because a prompt must not wait for it each time. */
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
    // A server's failure is in its status. Meanwhile its skills are missing.
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
      // Security: from here on the conversation has the server's text.
      permissions.taint(`mcp__${toApiName(skill.server)}`);
      return `(The MCP server ${skill.server} wrote this skill.)\n\n${text}`;
    },
  };
}
