// Runs docs/examples/own-view.tsx: what it shows while its input streams, and when it is done.
import { expect, it } from 'vitest';
import { views } from '../../docs/examples/own-view.tsx';
import { callIn, renderCall } from './render-call.tsx';

const example = {
  toolName: 'Forecast',
  input: { city: 'Bern' },
  streamingInput: {},
  output: { city: 'Bern', degrees: [9, 11] },
  failure: 'No.',
};

it("shows calls of the host's own tool, beside the built-in views", async () => {
  const { view } = (await views['Forecast']?.()) ?? {};
  if (!view) throw new Error('Forecast has no view.');
  expect(renderCall(view, callIn('input-streaming', example))).toContain('Weather in …');
  const done = renderCall(view, callIn('output-available', example));
  expect(done).toContain('Weather in Bern');
  expect(done).toContain('<p>9 °C, 11 °C</p>');
  expect(views['Read']).toBeDefined();
});
