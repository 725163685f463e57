// Sessions that are kept, over a medium that outlives the hosts which open it.
import { onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';

/** A host over the medium. A killed host is simply not used any more; it writes nothing by itself. */
export async function openHost(medium: LogMedium = createMemoryMedium()): Promise<Host> {
  const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
  return createInlineHost({ workspace });
}

/** A host for one test. */
export async function quickHost(): Promise<Host> {
  const host = await openHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

/** Reads until a message matches. */
export async function readUntil(
  session: AgentSession,
  isLast: (message: SDKMessage) => boolean,
  after = 0,
): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of session.messages({ after })) {
    messages.push(message);
    if (isLast(message)) break;
  }
  return messages;
}

export const isResult = ({ type }: SDKMessage) => type === 'result';

/** The kept messages, which come again whenever the session is read. */
export const kept = (messages: readonly SDKMessage[]) =>
  messages.filter(({ n }) => n !== undefined);

/** The texts with their roles. */
export const texts = (messages: readonly SDKMessage[]): string[] =>
  messages.flatMap((message) => {
    if (message.type !== 'user' && message.type !== 'assistant') return [];
    const { content } = message.message;
    if (typeof content === 'string') return [`${message.type}: ${content}`];
    return content.flatMap((block) =>
      block.type === 'text'
        ? [`${message.type}: ${block.text}`]
        : [`${message.type}: ${block.type}`],
    );
  });

/** A model that never answers. */
export const silentModel: Model = {
  name: 'silent',
  apiKeySource: 'none',
  async *stream(_request, { signal }) {
    await new Promise((_, reject) => {
      const stop = () => reject(new DOMException('stopped', 'AbortError'));
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
    });
    yield { type: 'ping' };
  },
};
