// A long conversation of the whole agent with a simulated API cache. It has 30 turns of Read, Grep and Edit. One turn
// has a message with 26 calls. Used by a test and by the bench `loop` (`cache_read_share`).
import { query } from '../../../src/agent/query.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from './model-streams.ts';
import { createSimulatedCache } from './simulated-cache.ts';
import type { CacheUse } from './simulated-cache.ts';

const turns = 30;
/** More than the 20 blocks over which the API looks back. */
const manyCalls = 26;

export interface CachedConversation {
  readonly requests: readonly CacheUse[];
  /** The share of tokens, of all requests, that were read from the cache. */
  readonly readShare: number;
}

/** Plays the conversation. @throws Error if a turn doesn't end well */
export async function playCachedConversation(): Promise<CachedConversation> {
  const cache = createSimulatedCache();
  const requests: CacheUse[] = [];
  const replies = listReplies();
  const model: Model = {
    name: 'cached',
    apiKeySource: 'none',
    async *stream(request) {
      const blocks = replies[requests.length];
      requests.push(cache.send(request));
      if (!blocks) throw new Error('The conversation has no more replies.');
      const isCall = blocks.some(({ type }) => type === 'tool_use');
      yield* toEvents(assistantMessage(blocks, { stop_reason: isCall ? 'tool_use' : 'end_turn' }));
    },
  };
  await using host = await createInlineHost();
  for (let turn = 0; turn < turns; turn += 1) {
    await host.workspace.fs.writeFile(`/workspace/module-${turn}.ts`, toFile(turn));
  }
  const talk = query({
    prompt: listPrompts(),
    options: { host, model, permissionMode: 'bypassPermissions' },
  });
  for await (const message of talk) {
    if (message.type !== 'result' || message.subtype === 'success') continue;
    throw new Error(`A turn of the conversation ended with ${message.errors.join(' ')}`);
  }
  if (requests.length !== replies.length) throw new Error('The conversation ended too early.');
  return { requests, readShare: cache.readShare() };
}

async function* listPrompts(): AsyncGenerator<SDKUserMessage> {
  for (let turn = 0; turn < turns; turn += 1) {
    const content = `Find the first value of module ${turn}, and set it to 1.`;
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}

function listReplies(): (readonly ContentBlock[])[] {
  return Array.from({ length: turns }, (_, turn) => [
    [
      call(`read-${turn}`, 'Read', { file_path: `module-${turn}.ts` }),
      call(`grep-${turn}`, 'Grep', { pattern: `value${turn}_1\\b`, output_mode: 'content' }),
    ],
    ...(turn === turns / 2 ? [listReads()] : []),
    [
      call(`edit-${turn}`, 'Edit', {
        file_path: `module-${turn}.ts`,
        old_string: `value${turn}_0 = keep(0)`,
        new_string: `value${turn}_0 = keep(1)`,
      }),
    ],
    [
      // Like a model that thinks. No cache breakpoint may be on this block.
      { type: 'thinking', thinking: 'It is done.', signature: 'signed' },
      { type: 'text', text: `The first value of module ${turn} is 1 now.` },
    ],
  ]).flat();
}

function listReads(): ContentBlock[] {
  return Array.from({ length: manyCalls }, (_, at) =>
    call(`many-${at}`, 'Read', { file_path: `module-${at}.ts`, offset: 1, limit: 10 }),
  );
}

function call(id: string, name: string, input: Record<string, unknown>): ContentBlock {
  return { type: 'tool_use', id, name, input };
}

/** Some 5 kB, as a larger one of a project's files has. */
function toFile(turn: number): string {
  return Array.from(
    { length: 100 },
    (_, line) => `export const value${turn}_${line} = keep(${line * 17});`,
  ).join('\n');
}
