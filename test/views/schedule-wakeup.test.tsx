import { describe, expect, it } from 'vitest';
import { scheduleWakeupExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/schedule-wakeup/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'ScheduleWakeup',
  ...scheduleWakeupExample,
  streamingInput: { delaySeconds: 6 },
};

describe('view of ScheduleWakeup', () => {
  const variants = Object.entries(scheduleWakeupExample.variants ?? {}).map(
    ([name, variant]): [string, string] => [
      name,
      renderCall(view, callIn('output-available', { ...example, ...variant })),
    ],
  );

  it.each([...renderStates(view, example), ...variants])('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
