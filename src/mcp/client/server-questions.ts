// Handles a server's questions and messages during its calls, in the realm of connect-server.ts.
// They are checked here and passed on as plain data. The session decides who answers.
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { isRecord } from '../../core/values/is-record.ts';
import { appExtension, appMimeType } from '../../core/mcp/mcp-app.ts';
import type {
  McpAbilities,
  McpPromptMessage,
  McpQuestion,
  McpQuestionAnswer,
} from '../../core/mcp/mcp-exchange.ts';
import { toResultContent } from '../call-tool-result.ts';
import type { McpContent } from '../call-tool-result.ts';
import type { CallClock } from './call-clock.ts';
import { tasksExtension } from './connection.ts';
import type { ConnectionListeners } from './connection.ts';
import { toPlainText } from '../../core/text/plain-text.ts';

/** The capabilities that the client declares when it connects. */
export function toCapabilities({ samples, showsApps = false }: McpAbilities): ClientCapabilities {
  return {
    elicitation: { form: {}, url: {} },
    roots: {},
    ...(samples && { sampling: {} }),
    extensions: {
      [tasksExtension]: {},
      ...(showsApps && { [appExtension]: { mimeTypes: [appMimeType] } }),
    },
  };
}

// The maximum characters of a message for a person, and of a log entry in the trace.
const maxMessageChars = 4_000;

/** Answers to a server's questions, in the protocol's form. Each rejects if nobody can answer. */
export interface ServerAnswers {
  elicit(
    params: unknown,
    signal: AbortSignal,
  ): Promise<{
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: Record<string, string>;
  }>;
  sample(
    params: SampleParams,
    signal: AbortSignal,
  ): Promise<{
    readonly model: string;
    readonly role: 'assistant';
    readonly content: { readonly type: 'text'; readonly text: string };
    readonly stopReason: string;
  }>;
  roots(): { readonly roots: { readonly uri: string }[] };
}

/** The checked fields of a request for a model. */
interface SampleParams {
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: unknown;
  }[];
  readonly systemPrompt?: string | undefined;
  readonly maxTokens: number;
}

/** `clocks`: the clocks of the server's calls, which are paused while a person is asked. */
export function createServerAnswers(
  { abilities, onQuestion }: ConnectionListeners,
  clocks: ReadonlySet<CallClock>,
): ServerAnswers {
  async function ask(question: McpQuestion, signal: AbortSignal): Promise<McpQuestionAnswer> {
    const resumes = [...clocks].map((clock) => clock.pause());
    try {
      return await onQuestion(question, signal);
    } finally {
      for (const resume of resumes) resume();
    }
  }

  return {
    async elicit(params, signal) {
      const answer = await ask(toElicitation(params), signal);
      if (answer.type !== 'elicited') throw new Error(refusalOf(answer));
      const { action, content } = answer.result;
      return { action, ...(content && { content: { ...content } as Record<string, string> }) };
    },
    async sample({ messages, systemPrompt, maxTokens }, signal) {
      if (!abilities.samples) throw new Error('No model can be asked for here.');
      const question = {
        type: 'sample',
        messages: messages.map(toMessage),
        ...(systemPrompt !== undefined && { systemPrompt }),
        maxTokens,
      } as const;
      const answer = await ask(question, signal);
      if (answer.type !== 'sampled') throw new Error(refusalOf(answer));
      const { model, text, stopReason } = answer.result;
      return { model, role: 'assistant', content: { type: 'text', text }, stopReason };
    },
    roots: () => ({ roots: [{ uri: `file://${encodeURI(abilities.root)}` }] }),
  };
}

/**
 * Answers the server's questions and handles its messages. Call it before the client connects.
 * `askings`, keyed by the ids of the server's tasks, are called for each question of their task. An
 * error from them refuses the question.
 */
export function answerServer(
  client: Client,
  { abilities, onEvent }: ConnectionListeners,
  answers: ServerAnswers,
  askings: ReadonlyMap<string, () => void>,
): void {
  const countFor = (meta: unknown) => askings.get(readRelatedTask(meta))?.();
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
    countFor(mcpReq._meta);
    return answers.elicit(params, mcpReq.signal);
  });
  client.setRequestHandler('roots/list', () => answers.roots());
  if (abilities.samples) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) => {
      countFor(mcpReq._meta);
      return answers.sample(params, mcpReq.signal);
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

/** The id of the task to which a request belongs, in the protocol of 2025-11-25. Empty for none. */
function readRelatedTask(meta: unknown): string {
  const related = isRecord(meta) ? meta['io.modelcontextprotocol/related-task'] : undefined;
  return isRecord(related) ? String(related['taskId']) : '';
}

/** Parses a question from a request, a round of input, or an error. */
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

/** Used for prompts and sampling: the content may be one block or several. */
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
