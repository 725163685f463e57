// What a server asks and tells in the midst of its calls, in the realm of connect-server.ts: it is checked here, and
// handed on as plain data. Whoever answers is the session's business.
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { isRecord } from '../../core/is-record.ts';
import { appExtension, appMimeType } from '../../core/mcp-app.ts';
import type {
  McpAbilities,
  McpPromptMessage,
  McpQuestion,
  McpQuestionAnswer,
} from '../../core/tool/mcp-exchange.ts';
import { toResultContent } from '../call-tool-result.ts';
import type { McpContent } from '../call-tool-result.ts';
import type { CallClock } from './call-clock.ts';
import type { ConnectionListeners } from './connection.ts';
import { toPlainText } from '../../core/plain-text.ts';

/** What the client says of itself when it connects. */
export function toCapabilities({ samples, showsApps = false }: McpAbilities): ClientCapabilities {
  return {
    elicitation: { form: {}, url: {} },
    roots: {},
    ...(samples && { sampling: {} }),
    ...(showsApps && { extensions: { [appExtension]: { mimeTypes: [appMimeType] } } }),
  };
}

// What a person reads of it, and what a log entry may fill of the trace.
const maxMessageChars = 4_000;

/**
 * Answers what it asks: to be called before the client connects. `clocks`: of its calls, which stand still while
 * somebody is asked.
 */
export function answerServer(
  client: Client,
  { abilities, onQuestion, onEvent }: ConnectionListeners,
  clocks: ReadonlySet<CallClock>,
): void {
  async function ask(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer> {
    const resumes = [...clocks].map((clock) => clock.pause());
    try {
      return await onQuestion(question, signal);
    } finally {
      for (const resume of resumes) resume();
    }
  }

  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const answer = await ask(toElicitation(params), mcpReq.signal);
    if (answer.type !== 'elicited') throw new Error(refusalOf(answer));
    const { action, content } = answer.result;
    return { action, ...(content && { content: { ...content } as Record<string, string> }) };
  });
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: `file://${encodeURI(abilities.root)}` }],
  }));
  if (abilities.samples) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const { messages, systemPrompt, maxTokens } = params;
      const question = {
        type: 'sample',
        messages: messages.map(toMessage),
        ...(systemPrompt !== undefined && { systemPrompt }),
        maxTokens,
      } as const;
      const answer = await ask(question, mcpReq.signal);
      if (answer.type !== 'sampled') throw new Error(refusalOf(answer));
      const { model, text, stopReason } = answer.result;
      return { model, role: 'assistant', content: { type: 'text', text }, stopReason };
    });
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    onEvent({ type: 'resource-updated', uri: params.uri }),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
    onEvent({ type: 'log', level: params.level, text: toPlainText(text ?? '', maxMessageChars) });
  });
}

/** As the protocol has it, whichever way it came: by a request, in a round of input, or in an error. */
export function toElicitation(params: unknown): McpQuestion {
  const { message, mode, url, elicitationId, requestedSchema } = isRecord(params) ? params : {};
  return {
    type: 'elicit',
    message: toPlainText(String(message ?? ''), maxMessageChars),
    mode: mode === 'url' ? 'url' : 'form',
    ...(typeof url === 'string' && { url }),
    ...(typeof elicitationId === 'string' && { elicitationId }),
    ...(isRecord(requestedSchema) && { requestedSchema }),
  };
}

/** Of prompts as of samplings: a content may be one, or many. */
export function toMessage({
  role,
  content,
}: {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
}): McpPromptMessage {
  const parts = (Array.isArray(content) ? content : [content]) as McpContent[];
  return { role, blocks: toResultContent({ content: parts }) };
}

function refusalOf(answer: McpQuestionAnswer): string {
  return answer.type === 'refused' ? answer.message : 'It was answered by something else.';
}
