// ListAgents: who was begun, who runs, and who asks.
import { describe, expect, it } from 'vitest';
import { query } from '../../src/agent/query.ts';
import { listAgentsOutputSchema } from '../../src/tools/list-agents/schema.ts';
import type { ListAgentsOutput } from '../../src/tools/list-agents/schema.ts';
import { listAgentsTool } from '../../src/tools/list-agents/tool.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { quickHost } from '../support/sessions/open-sessions.ts';
import { callTool, readAll, say, toResults } from '../support/turns/run-hooked.ts';
import { toDeniedTools } from '../support/turns/skills.ts';

const begin = (prompt: string, more: object = {}) =>
  callTool('Agent', { description: 'Look', prompt, run_in_background: false, ...more }, prompt);
const list = (id: string) => callTool('ListAgents', {}, id);

it('lists the agents as they stand, for the session’s own agent and for the others', async () => {
  const model = createAgentsModel({
    main: [list('call-1'), begin('Be ann.', { name: 'ann' }), list('call-2'), say('Done.')],
    'Be ann.': [begin('Be bob.'), say('I am ann.')],
    'Be bob.': [list('call-3'), say('I am bob.')],
  });
  const options = {
    host: await quickHost(),
    model,
    toolSearch: false,
    permissionMode: 'dontAsk',
  } as const;
  const messages = await readAll(query({ prompt: 'Go.', options }));
  expect(toDeniedTools(messages)).toEqual([]);
  const [none, ofBob, ofMain] = toResults(messages).filter((text) =>
    /^No agent|: Look \(/u.test(text),
  );
  expect(none).toBe('No agent was begun in this session.');
  expect(ofBob?.split('\n')).toEqual([
    expect.stringMatching(/^ann \(\S+\): Look \(general-purpose; runs\)$/u),
    expect.stringMatching(/^\S+: Look \(general-purpose; runs; begun by \S+; yourself\)$/u),
  ]);
  expect(ofMain).toContain('(general-purpose; at rest)');
});

describe('what the model is told', () => {
  const told = (agents: ListAgentsOutput['agents']) =>
    listAgentsTool.mapToolResultToToolResultBlockParam({ agents }, 'call-0').content;

  it('is the newest fifty', () => {
    const agents = Array.from({ length: 60 }, (_, at) => ({
      ...{ agentId: `a${at}`, agentType: 'Explore', description: 'Look', isRunning: false },
    }));
    expect(listAgentsOutputSchema().parse({ agents })).toEqual({ agents });
    const lines = String(told(agents)).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines[0]).toContain('a10:');
    expect(lines.at(-1)).toBe('10 older ones are at rest or gone, and not shown.');
  });
});
