// What a conversation begins with, and what 500 remote tools add to it.
import type { QueryOptions } from '../../../src/index.ts';
import { play } from './play.ts';
import { toBytes, toPromptBytes, toTokens } from './prompt-bytes.ts';
import { listRemoteTools, toTool } from './tool-set.ts';

/** In tokens. */
export async function measureDefinitions() {
  const core = await readFirstRequest(0);
  const added = async (options: Partial<QueryOptions>) =>
    (await readFirstRequest(500, options)).prompt - (await readFirstRequest(0, options)).prompt;
  return {
    system: core.system,
    coreTools: core.tools,
    deferred: await added({}),
    inline: await added({ toolSearch: false }),
  };
}

async function readFirstRequest(count: number, options: Partial<QueryOptions> = {}) {
  const [first] = await play(
    {
      prompts: 'Go.',
      turns: [{ blocks: [{ type: 'text', text: 'Done.' }] }],
      tools: listRemoteTools(count).map((remote) => toTool(remote)),
      isNative: false,
      options,
    },
    (request) => ({
      system: toTokens(toBytes(request.system).length),
      tools: toTokens(toBytes(request.tools).length),
      prompt: toTokens(toPromptBytes(request).length),
    }),
  );
  if (!first) throw new Error('The conversation had no request.');
  return first;
}
