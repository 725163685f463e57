import { describe, expect, it } from 'vitest';
import { cronCreateExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-create/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'CronCreate',
  ...cronCreateExample,
  streamingInput: { cron: '3 9 * *' },
};

describe('view of CronCreate', () => {
  const variants = Object.entries(cronCreateExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
