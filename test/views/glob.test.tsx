import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/glob/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Glob',
  input: { pattern: '**/*.ts', path: 'src' },
  streamingInput: { pattern: '**/' },
  output: {
    durationMs: 3,
    numFiles: 2,
    filenames: ['/workspace/src/app.ts', '/workspace/src/b.ts'],
    truncated: false,
    totalMatches: 2,
    countIsComplete: true,
  },
  failure: 'There is no directory /workspace/src.',
};

describe('view of Glob', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('says when there is more than it lists', () => {
    const output = {
      ...example.output,
      truncated: true,
      totalMatches: 5000,
      countIsComplete: false,
    };
    const markup = renderCall(view, { ...callIn('output-available', example), output });
    expect(markup).toContain('2 of more than 5000 files');
  });
});
