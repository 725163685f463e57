import { describe, expect, it } from 'vitest';
import { monitorExample } from '../../demo/gallery/examples/tasks.ts';
import type { ViewedCall } from '../../src/core/tool/call-state.ts';
import { view } from '../../src/tools/monitor/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Monitor',
  ...monitorExample,
  streamingInput: { description: 'cha', files: {} },
};

describe('view of Monitor', () => {
  const tasks = (['running', 'completed', 'failed', 'stopped'] as const).map(
    (status): [string, string] => {
      const task = { status, summary: status === 'running' ? '' : 'It is over.' };
      const call = { ...callIn('output-available', example), task };
      return [`a task that is ${status}`, renderCall(view, call as ViewedCall)];
    },
  );

  it.each([...renderStates(view, example), ...tasks])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
