// The examples of docs/tools.md as an embedder would run them.
import { expect, it } from 'vitest';
import { askAboutWeather, createForecastTool } from '../../../docs/examples/own-tool.ts';
import { askForSums } from '../../../docs/examples/sdk-server.ts';
import { query, type SDKSystemMessage } from '../../../src/index.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, openHost, readAll, say, toResults } from '../../support/turns/run-hooked.ts';

it('docs/examples/own-tool.ts asks its station and says why it might', async () => {
  await using host = await openHost();
  const asked: unknown[] = [];
  const turns = [callTool('Forecast', { city: 'Bern', days: 2 }), say('Warm.')];
  const model = createScriptedModel({ script: { turns } });
  const reasons = await askAboutWeather(host, model, 'And the weather?', async (city, days) => {
    asked.push([city, days]);
    return [21, 23];
  });
  expect(asked).toEqual([['Bern', 2]]);
  expect(reasons).toEqual([
    "Forecast was allowed because the allow rule Forecast says so (the session's options).",
  ]);
});

it('a preset in the list of tools stands for all built-in tools', async () => {
  await using host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Hm.')] } });
  const own = createForecastTool(async () => [21]);
  const tools = [{ type: 'preset', preset: 'default' } as const, own];
  const messages = await readAll(
    query({ prompt: 'Which tools?', options: { host, model, tools } }),
  );
  const { tools: offered = [] } = messages.find(
    ({ type }) => type === 'system',
  ) as SDKSystemMessage;
  expect(offered).toEqual(expect.arrayContaining(['Forecast', 'Read', 'Repl', 'Write']));
});

it('docs/examples/sdk-server.ts adds', async () => {
  await using host = await openHost();
  const turns = [callTool('mcp__sums__add', { a: 2, b: 3 }), say('Five.')];
  const model = createScriptedModel({ script: { turns } });
  const messages = await readAll(askForSums(host, model, 'What is 2 and 3?'));
  expect(toResults(messages)).toEqual(['5']);
});
