// Handles the messages between a session and its MCP servers, except for calls of tools. One object
// serves a session and its sub-agents. Loaded with the session's first servers, which send their
// requests to it.
import type {
  AskMcpServer,
  McpAbilities,
  McpEvent,
  McpQuestion,
  McpQuestionAnswer,
} from '../../../core/mcp/mcp-exchange.ts';
import { elicit } from '../elicit.ts';
import { createMcpWatch } from './mcp-watch.ts';
import type { Model } from '../../../model/model.ts';
import type { McpWatch } from './mcp-watch.ts';
import { sample } from './sample.ts';
import type { Session } from '../session.ts';

/** A connected remote server. */
export interface ConnectedServer {
  readonly name: string;
  readonly ask: AskMcpServer;
}

/** Answers the requests of servers to this session. Its methods never reject. */
export interface McpExchange {
  readonly abilities: McpAbilities;
  readonly watch: McpWatch;
  /** A server has connected, for the first time or again. */
  onConnected(server: ConnectedServer): void;
  /** The tools, prompts or resources of a server have changed, or a server was added or removed. */
  onChanged(): void;
  onQuestion(
    serverName: string,
    question: McpQuestion,
    signal: AbortSignal,
  ): Promise<McpQuestionAnswer>;
  onEvent(serverName: string, event: McpEvent): void;
}

export interface ExchangePlace {
  readonly cwd: string;
  /** True if apps can be shown. */
  readonly showsApps?: boolean;
  /** The model that servers may ask. Undefined: servers may not ask a model. */
  readonly samplingModel: Model | undefined;
}

/**
 * `session`: called for each message; it gives undefined until the session exists. `signal`:
 * aborted with the session.
 */
export function createMcpExchange(
  session: () => Session | undefined,
  { cwd, samplingModel, showsApps = false }: ExchangePlace,
  signal: AbortSignal,
): McpExchange {
  const watch = createMcpWatch(signal);
  return {
    abilities: { samples: samplingModel !== undefined, root: cwd, showsApps },
    watch,
    // The list of commands includes the servers' prompts, so it is refreshed.
    onChanged: () => void session()?.commands.refresh(),
    onConnected: (server) => void watch.renew(server),
    async onQuestion(serverName, question, cut) {
      const asked = session();
      if (!asked) return { type: 'refused', message: 'The session has not begun.' };
      if (question.type === 'sample') {
        if (!samplingModel) return { type: 'refused', message: 'No model answers here.' };
        return sample(asked, samplingModel, serverName, question, cut);
      }
      const { type: _, ...request } = question;
      return { type: 'elicited', result: await elicit(asked, { serverName, ...request }, cut) };
    },
    onEvent(serverName, event) {
      if (event.type !== 'log') return watch.hear(serverName, event);
      const { level, text } = event;
      session()?.trace.record({ type: 'server-log', serverName, level, text });
    },
  };
}
