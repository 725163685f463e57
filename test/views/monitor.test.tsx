import { describe, expect, it } from 'vitest';
import { monitorExample } from '../../demo/gallery/examples/tasks.ts';
import { view } from '../../src/tools/monitor/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Monitor',
  ...monitorExample,
  streamingInput: { description: 'cha', files: {} },
};

describe('view of Monitor', () => {
  const variants = Object.entries(monitorExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it.each(['running', 'completed', 'failed', 'stopped'] as const)(
    'says what became of a task that is %s',
    (status) => {
      const task = { taskId: 'b1', status, summary: status === 'running' ? '' : 'It is over.' };
      const call = { ...callIn('output-available', example), task };
      expect(renderCall(view, call as never)).toMatchSnapshot();
    },
  );
});
