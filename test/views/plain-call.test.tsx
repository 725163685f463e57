// Calls of tools that have no view: in the tool's own words where it has some.
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { buildTool } from '../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../src/core/tool/build-tool.ts';
import type { CallState } from '../../src/core/tool/call-state.ts';
import type { Tool } from '../../src/core/tool/tool.ts';
import { ToolsContext } from '../../src/react/kit/call-frame.tsx';
import { PlainCall } from '../../src/react/kit/plain-call.tsx';
import { callIn, renderCall } from './render-call.tsx';

const inputSchema = z.strictObject({ city: z.string() });

const forecast = buildTool({
  name: 'Forecast',
  inputSchema,
  runsIn: 'worker',
  description: async () => 'The weather.',
  prompt: async () => '',
  userFacingName: () => 'Weather',
  getToolUseSummary: ({ city }) => city ?? null,
  getActivityDescription: ({ city }) => `Asking for ${city}`,
  genToolResultMessage: () => ({ title: 'Weather of Bern', summary: '9 °C', content: '**Rain**' }),
  mapToolResultToToolResultBlockParam: (_, tool_use_id) => ({ type: 'tool_result', tool_use_id }),
} satisfies ToolDef<typeof inputSchema>) as unknown as Tool;

const example = {
  toolName: 'Forecast',
  input: { city: 'Bern' },
  streamingInput: {},
  output: { degrees: 9 },
  failure: 'No.',
};

const call = (state: CallState) => ({ ...callIn(state, example), resultText: '{"degrees":9}' });
const line = (state: CallState, tools = [forecast]) =>
  renderToStaticMarkup(
    <ToolsContext value={tools}>
      <PlainCall call={call(state)} />
    </ToolsContext>,
  );
const body = (state: CallState, tools = [forecast]) =>
  renderCall(
    () => (
      <ToolsContext value={tools}>
        <PlainCall call={call(state)} />
      </ToolsContext>
    ),
    call(state),
  );

it.each<[CallState, string]>([
  ['input-available', 'Asking for Bern'],
  ['output-available', 'Weather of Bern'],
  ['output-available', '9 °C'],
  ['output-denied', 'Weather: Bern'],
])('titles a call in %s by the tool’s words: %s', (state, words) => {
  expect(line(state)).toContain(words);
  expect(line(state)).not.toContain('Forecast');
});

it('shows what the tool says of its result, and not the JSON that the model was sent', () => {
  expect(body('output-available')).toContain('<strong>Rain</strong>');
  expect(body('output-available')).not.toContain('degrees');
});

it('shows the input of a call that runs by its names, and not as JSON', () => {
  const input = { cityName: 'Bern', days: 3, note: 'one\ntwo', where: { x: 1 } };
  const markup = renderCall(PlainCall, { ...callIn('input-available', example), input });
  const text = markup.replaceAll(/<[^>]*>/g, '\n').replaceAll(/\s+/g, ' ');
  expect(text).toContain('city name Bern days 3 note one two where { &quot;x&quot;: 1 }');
});

it('shows input and result as they are where the tool says nothing', () => {
  const { genToolResultMessage: _, ...silent } = forecast;
  for (const tools of [[], [silent]]) {
    expect(body('output-available', tools)).toContain('degrees');
    expect(body('output-available', tools)).toContain('Bern');
  }
});
