import { describe, expect, it } from 'vitest';
import { cronListExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-list/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = { toolName: 'CronList', ...cronListExample, streamingInput: {} };

describe('view of CronList', () => {
  const variants = Object.entries(cronListExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
