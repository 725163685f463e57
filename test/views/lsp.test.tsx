import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/lsp/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const place = { path: '/workspace/src/app.ts', line: 3, character: 7, text: 'const n = total(1);' };

const example = {
  toolName: 'LSP',
  input: { operation: 'diagnostics', file_path: 'src/app.ts' },
  streamingInput: { operation: 'diagnostics' },
  output: {
    operation: 'diagnostics',
    server: 'typescript',
    scope: 'tsconfig.json',
    diagnostics: [
      { ...place, severity: 'error', code: 'ts2554', message: 'Expected 2 arguments, but got 1.' },
      { ...place, line: 4, severity: 'warning', message: 'Unused.' },
    ],
    total: 2,
    files: 1,
  },
  failure: 'There is no file src/app.ts.',
};

function show(operation: string, answer: object): string {
  const output = { operation, server: 'typescript', total: 1, files: 1, ...answer };
  return renderCall(view, { ...callIn('output-available', example), output });
}

describe('view of LSP', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('shows places as links, symbols by their depth, and a hover as code', () => {
    expect(show('references', { locations: [place] })).toContain('const n = total(1);');
    const symbols = [{ ...place, name: 'total', kind: 'function', container: 'math', depth: 1 }];
    expect(show('workspaceSymbols', { symbols })).toContain('in math');
    const hover = { code: 'const n: number', language: 'typescript', documentation: 'A number.' };
    const markup = show('hover', { hover });
    expect(markup).toContain('const n: number');
    expect(markup).toContain('A number.');
  });

  it.each([
    [['error'], 1, '1 error in 1 file'],
    [['error', 'error'], 2, '2 errors in 1 file'],
    [['warning', 'error'], 2, '2 faults, 1 error, in 1 file'],
    [['warning'], 1, '1 fault in 1 file'],
    // More than are listed.
    [['warning', 'error'], 300, '300 faults in 1 file'],
  ])('counts %j of %i', (severities, total, words) => {
    const diagnostics = severities.map((severity) => ({ ...place, severity, message: 'Bad.' }));
    expect(show('diagnostics', { diagnostics, total })).toContain(
      `<span class="rp-call-meta">${words}</span>`,
    );
  });

  it('says when there is nothing', () => {
    expect(show('diagnostics', { diagnostics: [], total: 0, files: 0 })).toContain('no errors');
  });
});
