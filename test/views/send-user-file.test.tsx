import { describe, expect, it } from 'vitest';
import { sendUserFileExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/send-user-file/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { ...sendUserFileExample, toolName: 'SendUserFile', streamingInput: {} };

describe('view of SendUserFile', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
