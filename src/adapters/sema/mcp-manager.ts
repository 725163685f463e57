// Sema Core's MCPManager, over the servers of one query. Exported by `rockpool/sema`.
import { SdkError } from '../../core/errors.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import type { McpServerConfig, McpServerStatus } from '../../core/mcp/mcp-server.ts';
import type { Query } from '../../agent/query.ts';

/**
 * Adds servers to a running query and removes them, one after the other. The servers of the query's options stay. No
 * other code may call `setMcpServers`, because that replaces all servers at once.
 */
export class MCPManager {
  readonly #query: Pick<Query, 'setMcpServers' | 'mcpServerStatus'>;
  #servers: Readonly<Record<string, McpServerConfig>> = {};
  readonly #inTurn = createSerialQueue();

  constructor(query: Pick<Query, 'setMcpServers' | 'mcpServerStatus'>) {
    this.#query = query;
  }

  /**
   * Resolves when the server is connected. Rejects with `mcp-failed` and the reason if it can't be connected; the
   * server then stays in the list, and is tried again. Rejects with `bad-usage` for a name that is taken, and for a
   * kind of server that this host can't use.
   */
  add(name: string, config: McpServerConfig): Promise<void> {
    return this.#inTurn(async () => {
      if (Object.hasOwn(this.#servers, name)) {
        throw new SdkError(
          'bad-usage',
          `There is an MCP server ${name} already: remove it first.`,
          {
            data: { server: name },
          },
        );
      }
      const wanted = { ...this.#servers, [name]: config };
      const { errors } = await this.#query.setMcpServers(wanted);
      this.#servers = wanted;
      const why = errors[name];
      if (why !== undefined) throw new SdkError('mcp-failed', why, { data: { server: name } });
    });
  }

  /** Rejects with `bad-usage` for a name that was not added. */
  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const { [name]: removed, ...others } = this.#servers;
      if (!removed) {
        throw new SdkError('bad-usage', `No MCP server ${name} was added.`, {
          data: { server: name },
        });
      }
      await this.#query.setMcpServers(others);
      this.#servers = others;
    });
  }

  /** The status of all servers of the query. */
  list(): Promise<readonly McpServerStatus[]> {
    return this.#query.mcpServerStatus();
  }
}
