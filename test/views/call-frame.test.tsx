// What the frame shows of any call, whatever its tool's view.
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { ViewedCall } from '../../src/core/tool/call-state.ts';
import type { Tool } from '../../src/core/tool/tool.ts';
import { PermissionCard } from '../../src/react/components/permission-card.tsx';
import { CallFrame, ToolsContext } from '../../src/react/kit/call-frame.tsx';
import type { ToolView } from '../../src/react/kit/define-view.tsx';
import { PlainCall } from '../../src/react/kit/plain-call.tsx';
import { createPermissionQueue } from '../../src/react/permission-queue.ts';
import { definitions } from '../../src/tools/definitions.ts';
import { toolViews } from '../../src/tools/views.ts';
import { plainTool } from '../support/stages/test-tools.ts';
import { callIn, renderCall } from './render-call.tsx';

const example = {
  toolName: 'Note',
  input: {},
  streamingInput: {},
  output: {},
  failure: 'It failed.',
};

it('says below a call why it was allowed', () => {
  const call = callIn('output-available', example);
  const reason = 'Note was allowed because a person decided so.';
  expect(renderCall(PlainCall, call)).not.toContain(reason);
  const decision = {
    toolName: 'Note',
    behavior: 'allow',
    reason: { type: 'user' },
    principal: { kind: 'agent' },
  } as const;
  expect(renderCall(PlainCall, { ...call, decision })).toContain(reason);
});

it('says below a call in the background what became of its changes, once that is known', () => {
  const call = callIn('output-available', example);
  const shared = { toolName: 'Note', behavior: 'allow', principal: { kind: 'agent' } } as const;
  const decision = { ...shared, reason: { type: 'at-commit' } } as const;
  const verdict = { ...decision, changes: { behavior: 'deny', reason: { type: 'user' } } } as const;
  const render = (task: typeof call.task) => renderCall(PlainCall, { ...call, decision, task });
  const sentence = 'Its changes were dropped because a person decided so.';
  expect(render({ status: 'running', summary: '' })).not.toContain(sentence);
  expect(render({ status: 'failed', summary: '', decision: verdict })).toContain(sentence);
});

it('says of a refused call why, and what the person said, but not what the model is told', () => {
  const call = callIn('output-denied', example);
  expect(renderCall(PlainCall, call)).toContain('It failed.');
  const decision = {
    toolName: 'Note',
    behavior: 'deny',
    reason: { type: 'user' },
    principal: { kind: 'agent' },
  } as const;
  const markup = renderCall(PlainCall, { ...call, decision, denial: 'Not now.' });
  expect(markup).not.toContain('It failed.');
  expect(markup.split('Note was refused because a person decided so.')).toHaveLength(2);
  expect(markup).toContain('“Not now.”');
});

it.each([
  ['input-queued', 'Waiting for its turn'],
  ['input-available', 'Running'],
  ['output-error', 'Failed'],
  ['output-stopped', 'Stopped'],
] as const)('says of a call that is %s: %s', (state, label) => {
  const markup = renderCall(PlainCall, callIn(state, example));
  expect(markup).toContain(label);
  // A stop is nobody's failure.
  expect(markup.includes('data-state="output-error"')).toBe(state === 'output-error');
});

/** A view of a host's own, which knows nothing of its tool. */
const OwnView: ToolView = ({ call }) => <CallFrame call={call} title="Noting" detail="a.ts" />;
const renderWith = (tools: readonly Tool[], View: ToolView, call: ViewedCall) =>
  renderCall(
    (props) => (
      <ToolsContext value={tools}>
        <View {...props} />
      </ToolsContext>
    ),
    call,
  );

it('draws the colour of the name and the tag that the tool gives, in every view', () => {
  const note = plainTool({
    name: 'Note',
    userFacingNameBackgroundColor: () => 'warning-soft',
    getToolUseTag: () => 'at most 5 s',
  });
  for (const View of [OwnView, PlainCall]) {
    const markup = renderWith([note], View, callIn('input-available', example));
    expect(markup).toContain('data-color="warning-soft"');
    expect(markup).toContain('at most 5 s');
  }
  expect(renderWith([], OwnView, callIn('input-available', example))).not.toContain('data-color');
});

it.each<[string, object, string]>([
  ['Repl', { code: '1', timeout: 5000, run_in_background: true }, 'at most 5 s, in the background'],
  ['Agent', { model: 'haiku', isolation: 'worktree' }, 'haiku, on a branch'],
  ['TaskOutput', { task_id: 'b1', timeout: 2000 }, 'at most 2 s'],
])('tags a call of %s by how it runs', async (toolName, input, tag) => {
  const entry = definitions.find(({ name }) => name === toolName);
  const tools = entry ? [await entry.load()] : [];
  const View = (await toolViews[toolName]?.())?.view ?? PlainCall;
  const call = { ...callIn('input-available', example), toolName };
  expect(renderWith(tools, View, { ...call, input })).toContain(`"rp-call-tag">${tag}<`);
  expect(renderWith(tools, View, { ...call, input: {} })).not.toContain('rp-call-tag');
});

it('tags the call in the question about it', async () => {
  const repl = definitions.find(({ name }) => name === 'Repl');
  const tools = repl ? [await repl.load()] : [];
  const queue = createPermissionQueue();
  const { signal } = new AbortController();
  const options = { signal, toolUseID: 'call-1', requestId: 'question-1' };
  void queue.canUseTool('Repl', { code: '1', run_in_background: true }, options);
  const markup = renderToStaticMarkup(
    <PermissionCard
      questions={queue.getSnapshot()}
      views={{}}
      tools={tools}
      onAnswer={() => undefined}
    />,
  );
  expect(markup).toContain('in the background');
});
