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
