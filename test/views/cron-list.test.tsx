import { describe, expect, it } from 'vitest';
import { cronListExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-list/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { toolName: 'CronList', ...cronListExample, streamingInput: {} };

describe('view of CronList', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
