// Remembers the MCP resources that the model has read, and the servers' notifications since then.
// Each agent gets them in a reminder with its next request. The state lives as long as the page,
// because delivered notifications are in the conversation.
import { quoteForReminder, toSystemReminder } from '../../../core/messages/system-reminder.ts';
import type { MessageParam } from '../../../core/messages/messages.ts';
import type { McpEvent } from '../../../core/mcp/mcp-exchange.ts';
import type { ConnectedServer } from './mcp-exchange.ts';

// 100 per server: a further read replaces the oldest one.
const maxWatched = 100;
// 20 lines: of more notifications from a server at once, only the number is given.
const maxLines = 20;

/** Each session has one. `reader`: the agent's id, or undefined for the session's own. */
export interface McpWatch {
  /**
   * Records that the model has read a resource, or has listed all resources (no uri). Never
   * rejects.
   */
  note(reader: string | undefined, server: ConnectedServer, uri?: string): Promise<void>;
  /**
   * Repeats the subscriptions, because a server forgets them when its connection is lost. Never
   * rejects.
   */
  renew(server: ConnectedServer): Promise<void>;
  hear(serverName: string, event: Exclude<McpEvent, { type: 'log' }>): void;
  /** Gives the notifications that the agent hasn't had, once. */
  takeNews(reader: string | undefined): MessageParam | undefined;
}

interface Watched {
  /**
   * The readers by uri, the oldest first. The key `''` has the agents that have listed the
   * resources.
   */
  readonly readers: Map<string, Set<string | undefined>>;
  /**
   * The last subscription request. Requests are sent one after the other, because each has the
   * whole set.
   */
  asked: Promise<void>;
}

export function createMcpWatch(signal: AbortSignal): McpWatch {
  const servers = new Map<string, Watched>();
  const news = new Map<string | undefined, Set<string>>();

  function find(name: string): Watched {
    const known = servers.get(name) ?? { readers: new Map(), asked: Promise.resolve() };
    servers.set(name, known);
    return known;
  }

  function askFor(server: ConnectedServer, watched: Watched): Promise<void> {
    watched.asked = watched.asked.then(async () => {
      const uris = [...watched.readers.keys()].filter((uri) => uri !== '');
      // A server without subscriptions counts as one without changes.
      await server.ask({ type: 'watch-resources', uris }, signal).catch(() => undefined);
    });
    return watched.asked;
  }

  return {
    async note(reader, server, uri = '') {
      const watched = find(server.name);
      const { readers } = watched;
      const known = readers.get(uri);
      if (known) {
        known.add(reader);
        return;
      }
      readers.set(uri, new Set([reader]));
      const oldest = [...readers.keys()].find((one) => one !== '');
      if (readers.size > maxWatched && oldest !== undefined) readers.delete(oldest);
      if (uri !== '') await askFor(server, watched);
    },
    async renew(server) {
      const watched = servers.get(server.name);
      if (watched) await askFor(server, watched);
    },
    hear(name, event) {
      const uri = event.type === 'resource-updated' ? event.uri : '';
      for (const reader of servers.get(name)?.readers.get(uri) ?? []) {
        const lines = news.get(reader) ?? new Set();
        news.set(reader, lines);
        const what =
          uri === ''
            ? `The server ${name} offers other resources than when you listed them.`
            : `The resource ${uri} of the server ${name} has changed since you read it.`;
        lines.add(quoteForReminder(what));
      }
    },
    takeNews(reader) {
      const lines = [...(news.get(reader) ?? [])];
      news.delete(reader);
      if (lines.length === 0) return undefined;
      const shown = lines.slice(0, maxLines).map((line) => `- ${line}`);
      const rest = lines.length - shown.length;
      if (rest > 0) shown.push(`- ${rest} more resources that you have read have changed.`);
      return toSystemReminder(
        `# Resources of MCP servers\n\nRead them again where it matters.\n${shown.join('\n')}`,
      );
    },
  };
}
