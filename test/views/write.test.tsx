import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/write/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Write',
  input: { file_path: '/workspace/notes.md', content: '# Notes\n\nNew.\n' },
  streamingInput: { file_path: '/workspace/notes.md', content: '# No' },
  output: {
    type: 'update',
    filePath: '/workspace/notes.md',
    content: '# Notes\n\nNew.\n',
    structuredPatch: [
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        lines: [' # Notes', ' ', '-Old.', '+New.'],
      },
    ],
    originalFile: '# Notes\n\nOld.\n',
    userModified: false,
  },
  failure: 'Read /workspace/notes.md before you write over it.',
};

describe('view of Write', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('says that the person changed it before they said yes, and shows what was written', () => {
    const done = callIn('output-available', example);
    expect(renderCall(view, done)).not.toContain('your changes');
    const reason = { type: 'user', changedInput: true } as const;
    const decision = {
      toolName: 'Write',
      behavior: 'allow',
      reason,
      principal: { kind: 'agent' },
    } as const;
    const input = { ...example.input, content: '# What the model wanted' };
    const markup = renderCall(view, { ...done, input, decision });
    expect(markup).toContain('with your changes');
    expect(markup).toContain('You changed this before you allowed it.');
    expect(markup).toContain('New.');
    expect(markup).not.toContain('What the model wanted');
  });

  it('shows a new file whole, and counts its lines', () => {
    const output = { ...example.output, type: 'create', originalFile: null, structuredPatch: [] };
    const call = { ...callIn('output-available', example), output };
    const text = renderCall(view, call).replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain('Creatednotes.md+3 lines added');
  });

  it('shows the diff of what it would change, while a person is asked', () => {
    const { structuredPatch } = example.output;
    const change = {
      path: '/workspace/notes.md',
      type: 'update',
      additions: 1,
      deletions: 1,
    } as const;
    const call = callIn('approval-requested', example);
    const asked = { ...call, proposedChanges: [{ ...change, structuredPatch }] };
    const text = renderCall(view, asked).replaceAll(/<[^>]*>/g, '');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('+1 lines added, −1 lines removed');
    expect(text).toMatch(/removed\s*Old\./);
    expect(text).toMatch(/added\s*New\./);
  });
});
