// Tools without a view, as a host or a remote server may have: one that describes its calls, and one that doesn't.
import { buildTool } from 'rockpool/browser';
import type { Tool, ToolDef } from 'rockpool/browser';
import * as z from 'zod';
import type { ToolExample } from './tool-example.ts';

const inputSchema = z.strictObject({ city: z.string(), days: z.number().optional() });

const shared = {
  inputSchema,
  description: async () => 'The weather of a city.',
  prompt: async () => '',
  call: async () => ({ data: { degrees: 9 } }),
  mapToolResultToToolResultBlockParam: (output: unknown, id: string) => ({
    type: 'tool_result' as const,
    tool_use_id: id,
    content: JSON.stringify(output),
  }),
};

const talking = buildTool({
  ...shared,
  name: 'Forecast',
  userFacingName: () => 'Weather',
  userFacingNameBackgroundColor: () => 'warning-soft' as const,
  getToolUseSummary: ({ city }) => city ?? null,
  getToolUseTag: ({ days }) => (days === undefined ? null : `${days} days`),
  getActivityDescription: ({ city }) => `Asking for the weather of ${city ?? 'a city'}`,
  genToolResultMessage: () => ({
    title: 'Weather of Bern',
    summary: '9 °C, rain',
    content: '**Rain** until the evening, then clouds.\n\n| day | °C |\n| --- | --: |\n| Mon | 9 |',
  }),
} satisfies ToolDef<typeof inputSchema>) as unknown as Tool;

const silent = buildTool({
  ...shared,
  name: 'mcp__weather__forecast',
} satisfies ToolDef<typeof inputSchema>) as unknown as Tool;

export const plainTools: readonly Tool[] = [talking, silent];

const example: ToolExample = {
  input: { city: 'Bern', days: 3 },
  output: { degrees: 9 },
  failure: 'No city is named Bern there.',
};

export const plainExamples: Readonly<Record<string, ToolExample>> = {
  Forecast: example,
  mcp__weather__forecast: example,
};
