// Which resources of MCP servers the model has read, and what servers have told of them since. Each
// agent is told with its next request, in a reminder. Kept as long as the page: what was told
// stands in the conversation.
import { quoteForReminder, toSystemReminder } from '../../../core/messages/system-reminder.ts';
import type { MessageParam } from '../../../core/messages/messages.ts';
import type { McpEvent } from '../../../core/mcp/mcp-exchange.ts';
import type { ConnectedServer } from './mcp-exchange.ts';

// 100 of a server: what is read later is told of, too, and the oldest isn't any more.
const maxWatched = 100;
// 20 lines: a server that tells more at once is told of by their number.
const maxLines = 20;

/** Each session has one. `reader`: the agent's id, or undefined for the session's own. */
export interface McpWatch {
  /** The model has read it, or listed what there is (no uri). Never rejects. */
  note(reader: string | undefined, server: ConnectedServer, uri?: string): Promise<void>;
  /** A server that was lost forgets what it was to tell of. Never rejects. */
  renew(server: ConnectedServer): Promise<void>;
  hear(serverName: string, event: Exclude<McpEvent, { type: 'log' }>): void;
  /** What the agent hasn't been told. The next call gives what is new by then. */
  takeNews(reader: string | undefined): MessageParam | undefined;
}

interface Watched {
  /** By uri, the readers; the oldest first. Under `''` those who have listed what there is. */
  readonly readers: Map<string, Set<string | undefined>>;
  /** Asked one after the other: each names the whole set. */
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
      // A server that can't tell of changes is one that tells of none.
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
