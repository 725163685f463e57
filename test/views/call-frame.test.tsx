// What the frame shows of any call, whatever its tool's view.
import { expect, it } from 'vitest';
import { PlainCall } from '../../src/react/kit/plain-call.tsx';
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
