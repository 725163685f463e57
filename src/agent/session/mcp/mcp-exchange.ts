// What a session has to say to its MCP servers, and hears of them, beside the calls of their tools. One for a session
// and its sub-agents. Loaded with the session's first servers, which hand on to it what they are asked.
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

/** A server elsewhere that is connected. */
export interface ConnectedServer {
  readonly name: string;
  readonly ask: AskMcpServer;
}

/** What a server may ask of this session, and how it is answered. Methods never reject. */
export interface McpExchange {
  readonly abilities: McpAbilities;
  readonly watch: McpWatch;
  /** A server has connected, for the first time or again. */
  onConnected(server: ConnectedServer): void;
  /** What a server offers has changed, or a server has come or gone. */
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
  /** There is a screen for apps. */
  readonly showsApps?: boolean;
  /** Undefined: no server may ask for one. */
  readonly samplingModel: Model | undefined;
}

/** `session`: asked when something comes; undefined before there is one. `signal`: aborted with it. */
export function createMcpExchange(
  session: () => Session | undefined,
  { cwd, samplingModel, showsApps = false }: ExchangePlace,
  signal: AbortSignal,
): McpExchange {
  const watch = createMcpWatch(signal);
  return {
    abilities: { samples: samplingModel !== undefined, root: cwd, showsApps },
    watch,
    // Whoever lists commands is told of prompts that come and go.
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
