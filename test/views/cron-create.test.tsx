import { describe, expect, it } from 'vitest';
import { cronCreateExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-create/view.tsx';
import { renderStates } from './render-call.tsx';

const example = {
  toolName: 'CronCreate',
  ...cronCreateExample,
  streamingInput: { cron: '3 9 * *' },
};

describe('view of CronCreate', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
