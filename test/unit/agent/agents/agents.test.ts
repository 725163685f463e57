// Sub-agents through whole queries over a real inline host: what each model is asked, what the reader is told,
// and what the journal has.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { isToolResultBlock, toResultText } from '../../../../src/core/blocks.ts';
import type { SDKMessage } from '../../../../src/core/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/agents-model.ts';
import type { AgentsModel } from '../../../support/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/run-hooked.ts';

const task = (prompt: string, more: Record<string, unknown> = {}, id = 'call-a') =>
  callTool('Agent', { description: 'Look around', prompt, ...more }, id);
const waited = { run_in_background: false };

async function run(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Omit<QueryOptions, 'host' | 'model'> = {},
): Promise<{ readonly messages: SDKMessage[]; readonly model: AgentsModel }> {
  await using host = await openHost();
  const model = createAgentsModel(scripts);
  const messages = await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
  return { messages, model };
}

function lastResult(messages: readonly SDKMessage[]) {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error('The last message is no result.');
  return last;
}

/** The texts of the results that the session's own agent is given. */
function listResults(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || message.agent_id !== undefined) return [];
    const { content } = message.message;
    return typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText);
  });
}

describe('an agent that its caller waits for', () => {
  it('works in a conversation of its own, and its last words are the result of the call', async () => {
    const { messages, model } = await run({
      main: [task('Read a.txt.', waited), say('All done.')],
      'Read a.txt.': [
        callTool('Read', { file_path: '/workspace/a.txt' }, 'call-b'),
        say('It says one.'),
      ],
    });
    expect(model.requests.map(({ who }) => who)).toEqual([
      'main',
      'Read a.txt.',
      'Read a.txt.',
      'main',
    ]);
    const [told = ''] = listResults(messages);
    expect(told).toContain('It says one.');
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'All done.' });
    // Its calls are told below the call that began it.
    const read = messages.find(
      (message) => message.type === 'user' && message.agent_id !== undefined,
    );
    expect(read).toMatchObject({ parent_tool_use_id: 'call-a', subagent_type: 'general-purpose' });
  });
});

describe('an agent in the background', () => {
  it('reports to the turn that has begun it, which is not over before', async () => {
    const { messages, model } = await run({
      main: [task('Think.'), say('It runs.'), say('It thought so.')],
      'Think.': [say('I thought.')],
    });
    const told = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(told).toContain('I thought.');
    expect(told.split('<task-notification>')).toHaveLength(2);
    expect(lastResult(messages)).toMatchObject({ result: 'It thought so.' });
  });
});
