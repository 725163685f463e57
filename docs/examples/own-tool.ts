// A tool of your own in five minutes: docs/tools.md says what is what.
import { buildTool, explain, query } from 'rockpool';
import type { Host, Model, ToolDef } from 'rockpool';
import * as z from 'zod';

// 1. What the model gives. Strict: what it makes up beside is refused. `.describe()` is for the model.
const inputSchema = z.strictObject({
  city: z.string().describe('Where, in English.'),
  days: z.number().int().min(1).max(7).default(1).describe('How many days from today.'),
});

interface Forecast {
  readonly city: string;
  readonly degrees: readonly number[];
}

/** Where the figures come from: your own code, on the page. */
export type Station = (city: string, days: number, signal: AbortSignal) => Promise<number[]>;

// 2. The tool: what is left out is taken for the worst, so that nothing runs unasked by mistake.
export const createForecastTool = (askStation: Station) =>
  buildTool({
    name: 'Forecast',
    searchHint: 'weather forecast for a city',
    inputSchema,
    description: async (input) =>
      input ? `Look up the weather in ${input.city}` : 'Tells the weather of the next days.',
    prompt: async () => 'Use Forecast for questions about the weather; it knows seven days.',

    // It changes nothing, may run beside others, and reaches the network: in the default mode it is asked.
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    isOpenWorld: () => true,

    getActivityDescription: ({ city }) => (city ? `Asking for the weather in ${city}` : null),
    getToolUseSummary: ({ city }) => city ?? null,

    async call({ city, days }, { abortController }) {
      const degrees = await askStation(city, days, abortController.signal);
      return { data: { city, degrees } };
    },
    // 3. What the model is told: the same data must give the same text.
    mapToolResultToToolResultBlockParam: ({ city, degrees }, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: `${city}: ${degrees.map((degree) => `${degree} °C`).join(', ')}`,
    }),
  } satisfies ToolDef<typeof inputSchema, Forecast>);

/** Runs one prompt with the tool beside the built-in ones. Gives, for each call, why it might run. */
export async function askAboutWeather(
  host: Host,
  model: Model,
  prompt: string,
  askStation: Station,
): Promise<string[]> {
  const reasons: string[] = [];
  const preset = { type: 'preset', preset: 'default' } as const;
  const tools = [preset, createForecastTool(askStation)];
  const options = { host, model, tools, allowedTools: ['Forecast'] };
  for await (const message of query({ prompt, options })) {
    if (message.type === 'user' && message.decision) reasons.push(explain(message.decision));
  }
  return reasons;
}
