// Waits for MCP servers without a time limit: a session itself continues without them after 5 s.
import { expect } from 'vitest';
import type { Query } from '../../../src/agent/query.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';

/** Each is connected, or is known not to be. */
async function whenSettled(asked: Query): Promise<void> {
  const states = async () => (await asked.mcpServerStatus()).map(({ status }) => status);
  await expect.poll(states).not.toContain('pending');
}

/** The prompt of a query, once its servers are settled. */
export async function* askSettled(
  asked: () => Query,
  content = 'Go.',
): AsyncGenerator<SDKUserMessage> {
  await whenSettled(asked());
  yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}
