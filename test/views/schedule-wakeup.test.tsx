import { describe, expect, it } from 'vitest';
import { scheduleWakeupExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/schedule-wakeup/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'ScheduleWakeup',
  ...scheduleWakeupExample,
  streamingInput: { delaySeconds: 6 },
};

describe('view of ScheduleWakeup', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
