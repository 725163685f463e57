import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/read/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Read',
  input: { file_path: '/workspace/src/app.ts', offset: 1, limit: 50 },
  streamingInput: { file_path: '/workspace/src/a' },
  output: {
    type: 'text',
    file: {
      filePath: '/workspace/src/app.ts',
      content: 'export const answer = 42;\n// the end',
      numLines: 2,
      startLine: 1,
      totalLines: 200,
    },
  },
  failure: 'There is no file /workspace/src/app.ts.',
};

describe('view of Read', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('is titled by the file and the lines that are asked for while it runs', () => {
    const text = renderCall(view, callIn('input-available', example)).replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain('Readingsrc/app.ts (lines 1-50)');
  });

  it('shows an image from its bytes', () => {
    const file = { base64: 'iVBORw0KGgo=', type: 'image/png', originalSize: 2048 };
    const markup = renderCall(view, {
      ...callIn('output-available', example),
      input: { file_path: '/workspace/logo.png' },
      output: { type: 'image', file },
    });
    expect(markup).toContain('src="data:image/png;base64,iVBORw0KGgo="');
  });

  it('shows the pages of a PDF, as text or as a picture', () => {
    const image = { base64: '/9j/4AAQ', type: 'image/jpeg' };
    const markup = renderCall(view, {
      ...callIn('output-available', example),
      input: { file_path: '/workspace/a.pdf', pages: '3-4' },
      output: {
        type: 'pages',
        file: { filePath: '/workspace/a.pdf', originalSize: 2048, totalPages: 9 },
        firstPage: 3,
        pages: [{ text: 'In words' }, { text: '', image }],
      },
    });
    const text = markup.replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain('a.pdf (pages 3-4)');
    expect(text).toContain('2 pages of 9');
    expect(text).toContain('In words');
    expect(markup).toContain('src="data:image/jpeg;base64,/9j/4AAQ" alt="Page 4 of');
  });

  it('leaves out what has the wrong type', () => {
    const call = {
      ...callIn('input-available', example),
      input: { file_path: ['x'], offset: 'y' },
    };
    expect(renderCall(view, call)).not.toContain('undefined');
  });

  it('shows a result of another shape plainly', () => {
    const call = {
      ...callIn('output-available', example),
      output: { odd: 1 },
      resultText: 'as told',
    };
    expect(renderCall(view, call)).toContain('as told');
  });
});
