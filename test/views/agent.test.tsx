import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { RunningTasks } from '../../src/react/components/running-tasks.tsx';
import { PermissionCard } from '../../src/react/components/permission-card.tsx';
import { Transcript } from '../../src/react/components/transcript.tsx';
import type {
  CallEntry,
  RunningTask,
  TaskAgent,
  TextEntry,
  Turn,
} from '../../src/react/transcript.ts';
import { view } from '../../src/tools/agent/view.tsx';
import { callIn, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Agent',
  input: { description: 'Look around', prompt: 'Find it.', subagent_type: 'Explore' },
  streamingInput: { description: 'Look' },
  output: {
    status: 'completed',
    agentId: 'a1',
    agentType: 'Explore',
    content: [{ type: 'text', text: 'It is **here**.' }],
    resolvedModel: 'scripted',
    modelsUsed: ['scripted'],
    toolsUsed: ['Grep'],
    totalToolUseCount: 3,
    totalDurationMs: 100,
    totalTokens: 1200,
    usage: { input_tokens: 1000, output_tokens: 200 },
    prompt: 'Find it.',
  },
  failure: 'The agent a1 failed. The model’s server is overloaded.',
};

const agent: TaskAgent = {
  type: 'Explore',
  isBackground: true,
  canBeBackgrounded: false,
  totalTokens: 12_345,
  toolUses: 3,
};
const task = (taskId: string, description: string, parentTaskId?: string): RunningTask => ({
  toolUseId: `call-${taskId}`,
  taskId,
  description,
  agent,
  ...(parentTaskId !== undefined && { parentTaskId }),
});

describe('view of Agent', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('shows what became of the branch of an isolated one', () => {
    const output = { ...example.output, mergeNote: 'Its changes were merged: a.txt.' };
    const [, markup] =
      renderStates(view, { ...example, output }).find(([, text]) => text.includes('here')) ?? [];
    expect(markup).toContain('<p>Its changes were merged: a.txt.</p>');
  });
});

describe('an agent in the transcript', () => {
  const said: TextEntry = {
    kind: 'text',
    id: 'said',
    parentToolUseId: 'call',
    text: 'I look.',
    isStreaming: false,
  };
  const call: CallEntry = {
    ...callIn('input-available', example),
    kind: 'call',
    id: 'call',
    parentToolUseId: null,
    task: { taskId: 'a1', description: 'Look around', status: 'running', summary: '', agent },
  };
  const turns: readonly Turn[] = [
    {
      id: 't',
      prompt: 'Go.',
      images: [],
      entries: [call, said],
      callCount: 1,
      startedAt: 0,
      endedAt: null,
      result: null,
    },
  ];
  const render = (onStopTask?: () => void) =>
    renderToStaticMarkup(
      <Transcript turns={turns} views={{}} {...(onStopTask && { onStopTask })} />,
    );

  it('shares a fold with those of its workflow', () => {
    const [turn] = turns;
    const { agent: _, ...run } = call.task!;
    const entries = [{ ...call, task: run, agentCount: 2 }, said];
    const markup = renderToStaticMarkup(<Transcript turns={[{ ...turn!, entries }]} views={{}} />);
    expect(markup).toContain('<section class="rp-agent" aria-label="What its 2 agents did">');
    expect(markup).not.toContain('I look.');
  });

  it('says below its call what it does and has used, folds the rest, and can be stopped', () => {
    const markup = render(() => {});
    expect(markup).toContain('Working in the background');
    expect(markup).toContain('3 calls · 12k tokens');
    expect(markup).toContain('aria-label="Stop the agent: Look around"');
    expect(markup).not.toContain('I look.');
    expect(render()).not.toContain('Stop the agent');
  });
});

describe('the list of tasks', () => {
  it('is a tree: what an agent has started stands below it', () => {
    const tasks = [task('a1', 'Outer'), task('a2', 'Inner', 'a1'), task('a3', 'Other', 'gone')];
    const markup = renderToStaticMarkup(<RunningTasks tasks={tasks} onStop={() => {}} />);
    expect(markup.match(/<ul aria-label="[^"]+"|<b>\w+|<\/ul>/g)).toEqual([
      '<ul aria-label="Running now"',
      '<b>Outer',
      '<ul aria-label="Started by Outer"',
      '<b>Inner',
      '</ul>',
      '<b>Other',
      '</ul>',
    ]);
  });
});

describe('the card of a question', () => {
  it('names the agent that asks', () => {
    const question = {
      id: 'q',
      toolUseId: 'edit',
      toolName: 'Edit',
      input: {},
      title: 'Edit a.ts',
      description: '',
      reason: '',
      defaultToNo: false,
      suggestions: [],
      changes: [],
    };
    const render = (agentId?: string) =>
      renderToStaticMarkup(
        <PermissionCard
          questions={[{ ...question, ...(agentId !== undefined && { agentId }) }]}
          tasks={[task('a1', 'Look around')]}
          views={{}}
          onAnswer={() => {}}
        />,
      );
    expect(render('a1')).toContain('Asked by the agent “Look around” (Explore).');
    expect(render('a1')).toContain('The agent “Look around” (Explore) asks: Allow Edit a.ts?');
    expect(render()).not.toContain('Asked by');
  });
});
