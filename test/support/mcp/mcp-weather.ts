// MCP servers that connect, fail, return and change their lists at random, behind the host's port.
import { SdkError } from '../../../src/core/errors.ts';
import type {
  McpClientPort,
  McpListeners,
  RemoteMcpServer,
} from '../../../src/core/mcp/mcp-server.ts';
import type { Tools } from '../../../src/core/tool/tool.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import type { Random } from '../random.ts';

export interface McpWeather {
  readonly client: McpClientPort;
  readonly serverNames: readonly string[];
  /** Something happens to one of them. */
  change(): void;
  /** Tools that are offered now. */
  toolNames(): readonly string[];
}

const toolsEach = 8;

export function createMcpWeather(random: Random): McpWeather {
  const serverNames = ['git', 'mail', 'maps', 'tickets'];
  const offered = new Map(
    serverNames.map((name) => [name, new Map([0, 1, 2].map((at) => [at, 0]))]),
  );
  const up = new Set(serverNames.slice(0, 2));
  const open = new Map<string, McpListeners>();

  return {
    serverNames,
    client: {
      async connect(name, _config, listeners): Promise<RemoteMcpServer> {
        // As many steps as it may take until the next request.
        for (let step = random.below(30); step > 0; step -= 1) await Promise.resolve();
        if (!up.has(name)) throw new SdkError('mcp-failed', `${name} is down.`);
        open.set(name, listeners);
        return {
          name,
          version: '1',
          instructions: `Call the tools of ${name} one at a time.`,
          problems: [],
          toTools: () => toTools(name, offered.get(name) ?? new Map()),
          close: async () => void open.delete(name),
        } as unknown as RemoteMcpServer;
      },
    },
    change() {
      const name = random.pick(serverNames);
      const listeners = open.get(name);
      if (listeners && random.chance(0.3)) {
        up.delete(name);
        open.delete(name);
        listeners.onLost(new SdkError('mcp-failed', `${name} is gone.`));
        return;
      }
      up.add(name);
      const tools = offered.get(name);
      const at = random.below(toolsEach);
      // It says something else of one that it has, or has one more or less.
      if (tools?.has(at) && random.chance(0.5)) tools.set(at, (tools.get(at) ?? 0) + 1);
      else if (!tools?.delete(at)) tools?.set(at, 0);
      listeners?.onTools();
    },
    toolNames: () =>
      [...open.keys()].flatMap((name) =>
        toTools(name, offered.get(name) ?? new Map()).map((one) => one.name),
      ),
  };
}

function toTools(server: string, versions: ReadonlyMap<number, number>): Tools {
  const tools = [...versions].map(([at, version]) => {
    const description = `Does the thing ${at} of ${server}, in its version ${version}.`;
    const content = [{ type: 'text', text: 'Done.' }] as const;
    return tool(`tool_${at}`, description, {}, async () => ({ content }));
  });
  return createSdkMcpServer({ name: server, tools }).instance.toTools(server);
}
