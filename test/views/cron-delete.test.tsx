import { describe, expect, it } from 'vitest';
import { cronDeleteExample } from '../../demo/gallery/examples/schedule.ts';
import { view } from '../../src/tools/cron-delete/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { toolName: 'CronDelete', ...cronDeleteExample, streamingInput: { id: '5b1' } };

describe('view of CronDelete', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
