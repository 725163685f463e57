import { describe, expect, it } from 'vitest';
import { cronDeleteExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-delete/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = { toolName: 'CronDelete', ...cronDeleteExample, streamingInput: { id: '5b1' } };

describe('view of CronDelete', () => {
  const variants = Object.entries(cronDeleteExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
