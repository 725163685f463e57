import { describe, expect, it } from 'vitest';
import { sendUserMessageExample } from '../../demo/gallery/examples/session.ts';
import { view } from '../../src/tools/send-user-message/view.tsx';
import { renderStates } from './render-call.tsx';

const example = { ...sendUserMessageExample, toolName: 'SendUserMessage', streamingInput: {} };

describe('view of SendUserMessage', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });
});
