// Sampling: an MCP server asks a model during a call (the protocol has deprecated this). Only the
// host's `samplingModel` answers, after a person has allowed this request. Its usage counts for the
// session.
import { isTextBlock, textOf } from '../../../core/messages/blocks.ts';
import { clipText } from '../../../core/text/clip-text.ts';
import { describeThrown } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { MessageParam } from '../../../core/messages/messages.ts';
import { toPlainText } from '../../../core/text/plain-text.ts';
import type { McpQuestionAnswer, McpSampling } from '../../../core/mcp/mcp-exchange.ts';
import type { Model } from '../../../model/model.ts';
import { askAside } from '../ask-aside.ts';
import type { Session } from '../session.ts';

/** The parts of the session that a request uses. */
export type Sampler = Pick<
  Session,
  'host' | 'ids' | 'journal' | 'questions' | 'queue' | 'spending' | 'usage'
>;

// 8 192 tokens, even if the server asks for more: no tool needs a longer answer.
const maxTokens = 8_192;
// 2 000 characters: as much as a person reads before they allow a request.
const maxShownChars = 2_000;

/** Asks the model. Never rejects. */
export async function sample(
  session: Sampler,
  model: Model,
  serverName: string,
  asked: McpSampling,
  signal: AbortSignal,
): Promise<McpQuestionAnswer> {
  if (session.spending.isSpent()) return refused('The budget of the session is spent.');
  const answer = await session.queue(() => askPerson(session, model, serverName, asked, signal));
  if (answer.type !== 'allowed') return refused('The user did not allow it.');
  try {
    return await askModel(session, model, asked, signal);
  } catch (error) {
    return refused(`The model gave no answer: ${describeThrown(error)}`);
  }
}

function askPerson(
  { questions }: Sampler,
  model: Model,
  serverName: string,
  { messages, systemPrompt }: McpSampling,
  signal: AbortSignal,
) {
  const texts = messages
    .flatMap(({ blocks }) => blocks.filter(isTextBlock))
    .map(({ text }) => text);
  const shown = toPlainText(texts.join('\n\n'), maxShownChars);
  return questions.put(
    {
      toolName: `mcp__${serverName}`,
      input: {
        text: shown,
        ...(systemPrompt !== undefined && { system: clipText(systemPrompt, maxShownChars) }),
      },
      toolUseID: createId(),
      title: `May the MCP server ${serverName} ask ${model.name} something?`,
      displayName: 'Ask the model',
      description: shown,
      decisionReason: 'the server asks your model on your account, each time anew',
      mcpServer: { name: serverName, source: 'option' },
      suppressAlwaysAllowRule: true,
    },
    signal,
  );
}

async function askModel(
  session: Sampler,
  model: Model,
  asked: McpSampling,
  signal: AbortSignal,
): Promise<McpQuestionAnswer> {
  const request = {
    system: asked.systemPrompt ? [{ type: 'text' as const, text: asked.systemPrompt }] : [],
    messages: asked.messages.map(({ role, blocks }) => ({
      role,
      content: blocks,
    })) as MessageParam[],
    tools: [],
    max_tokens: Math.max(1, Math.min(maxTokens, Math.floor(asked.maxTokens))),
  };
  const message = await askAside(session, model, request, signal);
  if (!message) return refused('The model gave no answer.');
  const text = textOf(message.content, '');
  const stopReason = message.stop_reason === 'max_tokens' ? 'maxTokens' : 'endTurn';
  return { type: 'sampled', result: { model: message.model, text, stopReason } };
}

function refused(message: string): McpQuestionAnswer {
  return { type: 'refused', message };
}
