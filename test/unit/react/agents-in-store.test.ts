// Sub-agents in a session's store: what they do belongs to the call that has begun them, however long it has ended.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import type { TranscriptStore } from '../../../src/react/transcript-store.ts';
import type { CallEntry, TranscriptEntry } from '../../../src/react/transcript.ts';
import { splitByAgent } from '../../../src/react/components/split-by-agent.ts';
import {
  assistant,
  prompt,
  startMessage,
  startText,
  success,
  taskPrompt,
  textDelta,
  toolResult,
  toolUse,
} from '../../support/stages/sdk-messages.ts';

const text = (words: string) => ({ type: 'text', text: words });
const common = { uuid: 'u', session_id: 's' };

/** As the agent of that call says or is told it. */
function ofAgent(message: SDKMessage, callId = 'agent'): SDKMessage {
  return { ...message, parent_tool_use_id: callId, agent_id: `a-${callId}` } as SDKMessage;
}

const started = (callId = 'agent', isBackground = true, parent?: string): SDKMessage => ({
  type: 'system',
  subtype: 'task_started',
  ...common,
  task_id: `a-${callId}`,
  tool_use_id: callId,
  description: 'Look around',
  task_type: 'local_agent',
  subagent_type: 'Explore',
  is_backgrounded: isBackground,
  ...(parent !== undefined && { parent_task_id: parent }),
});

const usage = { total_tokens: 1200, tool_uses: 3, duration_ms: 10 };

const ended = (
  status: 'completed' | 'failed' | 'stopped' = 'completed',
  callId = 'agent',
): SDKMessage => ({
  type: 'system',
  subtype: 'task_notification',
  ...common,
  task_id: `a-${callId}`,
  tool_use_id: callId,
  status,
  output_file: '/o',
  summary: 'Look around: seen.',
  usage,
});

function fold(...messages: SDKMessage[]): TranscriptStore {
  const store = createTranscriptStore({ now: () => 1000 });
  for (const message of messages) store.apply(message);
  return store;
}

const begin = [prompt('Go.'), assistant([toolUse('agent', 'Agent', {})]), started()];
const words = (entries: readonly TranscriptEntry[] = []) =>
  entries.map((entry) => (entry.kind === 'call' ? entry.id : entry.text));
const turnsOf = (store: TranscriptStore) =>
  store.getSnapshot().turns.map(({ entries }) => words(entries));
const callOf = (store: TranscriptStore, id: string) =>
  store
    .getSnapshot()
    .turns.flatMap(({ entries }) => entries)
    .find((entry): entry is CallEntry => entry.kind === 'call' && entry.id === id);

describe('a store with agents', () => {
  it('puts what a background agent does into the turn of its call, whatever was said since', () => {
    const store = fold(
      ...begin,
      toolResult('agent', 'It runs.'),
      success(),
      { ...prompt('And now?'), uuid: 'p2' },
      ofAgent(assistant([text('I look.'), toolUse('read', 'Read', {})])),
      assistant([text('Well.')]),
    );
    expect(turnsOf(store)).toEqual([['agent', 'I look.', 'read'], ['Well.']]);
  });

  it('leaves its calls and streams open when the turn ends, and closes them with it', () => {
    const store = fold(
      ...begin,
      ofAgent(startMessage()),
      ofAgent(startText(0)),
      ofAgent(textDelta(0, 'I lo')),
      success(),
      ofAgent(textDelta(0, 'ok.')),
      ofAgent(assistant([text('I look.'), toolUse('read', 'Read', {})])),
      success(),
    );
    expect(turnsOf(store)).toEqual([['agent', 'I look.', 'read']]);
    expect(callOf(store, 'read')?.state).toBe('input-available');
    store.apply(ended('stopped'));
    expect(callOf(store, 'read')?.state).toBe('output-stopped');
  });

  it('counts what it has used, and tells of its end where nobody waited for it', () => {
    const store = fold(...begin);
    store.apply({
      type: 'system',
      subtype: 'task_progress',
      ...common,
      task_id: 'a-agent',
      tool_use_id: 'agent',
      description: 'Look around',
      usage,
    });
    const agent = { type: 'Explore', isBackground: true, totalTokens: 1200, toolUses: 3 };
    expect(store.getSnapshot().tasks).toMatchObject([{ taskId: 'a-agent', agent }]);
    store.apply(ended());
    expect(store.getSnapshot().tasks).toEqual([]);
    expect(callOf(store, 'agent')?.task).toMatchObject({ status: 'completed', agent });
    expect(turnsOf(store)).toEqual([['agent', 'The agent “Look around” has reported.']]);
    // One that was waited for has given its report to its call.
    const waited = fold(begin[0]!, begin[1]!, started('agent', false), ended());
    expect(turnsOf(waited)).toEqual([['agent']]);
  });

  it('counts its replies where they are read again, which nobody tells the sum of', () => {
    const store = fold(...begin, ofAgent(assistant([toolUse('read', 'Read', {})])));
    const [running] = store.getSnapshot().tasks;
    expect(running?.agent?.toolUses).toBe(1);
    expect(running?.agent?.totalTokens).toBeGreaterThan(0);
  });

  it('runs again where an agent at rest goes on', () => {
    const store = fold(...begin, ended(), {
      type: 'system',
      subtype: 'task_updated',
      ...common,
      task_id: 'a-agent',
      patch: { status: 'running', is_backgrounded: true },
    });
    expect(store.getSnapshot().tasks.map(({ taskId }) => taskId)).toEqual(['a-agent']);
    expect(callOf(store, 'agent')?.task?.status).toBe('running');
  });

  it('says which of them can be sent to the background, until that is done', () => {
    const awaited = { ...started('agent', false), can_be_backgrounded: true } as SDKMessage;
    const store = fold(prompt('Go.'), assistant([toolUse('agent', 'Agent', {})]), awaited);
    const told = () => store.getSnapshot().tasks.map(({ toolUseId, agent }) => [toolUseId, agent]);
    const agent = { isBackground: false, canBeBackgrounded: true };
    expect(told()).toMatchObject([['agent', agent]]);
    store.apply({
      type: 'system',
      subtype: 'task_updated',
      ...common,
      task_id: 'a-agent',
      patch: { status: 'running', is_backgrounded: true },
    });
    expect(told()).toMatchObject([['agent', { isBackground: true, canBeBackgrounded: false }]]);
  });

  it('takes neither its prompt nor what it is told of tasks for a turn', () => {
    const store = fold(...begin, ofAgent(prompt('Look.')), ofAgent(taskPrompt()));
    expect(turnsOf(store)).toEqual([['agent']]);
  });

  it('ends all of it when the session breaks', () => {
    const store = fold(...begin, ofAgent(assistant([toolUse('read', 'Read', {})])), success());
    store.fail(new Error('Broken.'));
    expect(store.getSnapshot().tasks).toEqual([]);
    expect(callOf(store, 'read')?.state).toBe('output-stopped');
  });
});

describe('the agents of a workflow', () => {
  const run = { task_id: 'run', tool_use_id: 'flow', description: 'Review' };
  const ofFlow = (agent: string) => ({ task_id: agent, tool_use_id: 'flow', description: agent });
  const says = (agent: string, ...calls: string[]) =>
    ({
      ...assistant(calls.map((id) => toolUse(id, 'Read', {}))),
      parent_tool_use_id: 'flow',
      agent_id: agent,
    }) as SDKMessage;
  const { subagent_type: _, ...launched } = started() as SDKMessage & Record<string, unknown>;
  const begun = [
    prompt('Go.'),
    assistant([toolUse('flow', 'Workflow', {})]),
    { ...launched, ...run } as SDKMessage,
    { ...started('flow', false), ...ofFlow('one') } as SDKMessage,
    { ...started('flow', false), ...ofFlow('two') } as SDKMessage,
  ];

  it('run beside its own task, and none takes the place of another', () => {
    const store = fold(...begun, says('one', 'r1'), says('two', 'r2', 'r3'));
    const { tasks } = store.getSnapshot();
    expect(tasks.map(({ taskId, agent }) => [taskId, agent?.toolUses])).toEqual([
      ['run', undefined],
      ['one', 1],
      ['two', 2],
    ]);
    expect(callOf(store, 'flow')).toMatchObject({ task: { taskId: 'run' }, agentCount: 2 });
    store.apply({ ...ended('completed', 'flow'), ...ofFlow('one') } as SDKMessage);
    expect(store.getSnapshot().tasks.map(({ taskId }) => taskId)).toEqual(['run', 'two']);
    expect([callOf(store, 'flow')?.task?.status, callOf(store, 'r2')?.state]).toEqual([
      'running',
      'input-available',
    ]);
    store.apply({ ...ended('stopped', 'flow'), ...run } as SDKMessage);
    expect(callOf(store, 'r2')?.state).toBe('output-stopped');
  });

  it('share the fold below its call', () => {
    const store = fold(...begun, says('one', 'r1'), says('two', 'r2'));
    const entries = store.getSnapshot().turns[0]?.entries ?? [];
    expect(
      splitByAgent(entries)
        .get('flow')
        ?.map(({ id }) => id),
    ).toEqual(['r1', 'r2']);
  });
});

describe('splitByAgent', () => {
  it('takes each agent’s entries out, at any depth, and leaves what other calls have made', () => {
    const store = fold(
      ...begin,
      assistant([toolUse('repl', 'Repl', {})]),
      ofAgent(assistant([toolUse('inner', 'Agent', {}), toolUse('cell', 'Repl', {})])),
      started('inner', false, 'a-agent'),
      ofAgent(assistant([toolUse('grep', 'Grep', {})]), 'inner'),
      { ...toolResult('none', ''), parent_tool_use_id: 'cell' } as SDKMessage,
      { ...assistant([toolUse('glob', 'Glob', {})]), parent_tool_use_id: 'cell' } as SDKMessage,
      { ...assistant([toolUse('read', 'Read', {})]), parent_tool_use_id: 'repl' } as SDKMessage,
    );
    const entries = store.getSnapshot().turns[0]?.entries ?? [];
    const split = [...splitByAgent(entries)].map(([id, own]) => [id, words(own)]);
    expect(Object.fromEntries(split)).toEqual({
      null: ['agent', 'repl', 'read'],
      agent: ['inner', 'cell', 'glob'],
      inner: ['grep'],
    });
  });
});

describe('an agent that has begun while the reply with its call was still streaming', () => {
  it('has what it said before that below its call', () => {
    const early = ofAgent(assistant([text('I look.')]));
    const call = assistant([text('Both at once.'), toolUse('agent', 'Agent', {})]);
    const store = fold(prompt('Go.'), started(), early, call, success());
    const entries = store.getSnapshot().turns[0]?.entries ?? [];
    const split = [...splitByAgent(entries)].map(([id, own]) => [id, words(own)]);
    expect(Object.fromEntries(split)).toEqual({
      null: ['Both at once.', 'agent'],
      agent: ['I look.'],
    });
    expect(store.getSnapshot().turns).toHaveLength(1);
  });
});

describe('a question of an agent', () => {
  it('says whose it is', () => {
    const permissions = createPermissionQueue();
    const { signal } = new AbortController();
    const asked = { signal, toolUseID: 'read', requestId: 'q1', agentID: 'a-agent' };
    void permissions.canUseTool('Read', {}, asked);
    expect(permissions.getSnapshot()[0]?.agentId).toBe('a-agent');
  });
});
