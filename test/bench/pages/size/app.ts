// The application whose downloads are counted: what an embedder writes, with a tool of its own (so zod)
// and the Anthropic client. `?do=` names the one thing that it does.
import {
  buildTool,
  createAnthropicModel,
  createBrowserHost,
  query,
  type Tool,
  type ToolDef,
} from 'rockpool/browser';
import * as z from 'zod';

/** Milliseconds from the navigation's start. */
export interface AppTimes {
  /** The host is open, the tools are there: a person may type. */
  readonly openMs: number;
  readonly sentMs: number;
  /** The first result of a tool has come back, or the model's text where it calls none. */
  readonly answeredMs: number;
}

declare global {
  interface Window {
    /** Set when it is done; rejects with what went wrong. */
    done?: Promise<AppTimes>;
  }
}

const inputSchema = z.strictObject({ city: z.string() });

const forecastTool = buildTool({
  name: 'Forecast',
  inputSchema,
  description: async () => 'Tells the weather.',
  prompt: async () => 'Use it for questions about the weather.',
  isReadOnly: () => true,
  call: async ({ city }) => ({ data: `${city}: fair` }),
  mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
    type: 'tool_result',
    tool_use_id,
    content,
  }),
} satisfies ToolDef<typeof inputSchema, string>);

async function run(): Promise<AppTimes> {
  const asked = new URL(location.href).searchParams;
  const prompt = asked.get('do') ?? 'text';
  const typingMs = Number(asked.get('typing') ?? 0);
  const host = await createBrowserHost({ workspace: 'size' });
  const preset = { type: 'preset', preset: 'default' } as const;
  const tools = [preset, forecastTool as unknown as Tool];
  if (prompt === 'read') await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'Some text.\n');
  const openMs = performance.now();
  if (prompt === 'nothing') return { openMs, sentMs: openMs, answeredMs: openMs };
  await new Promise((resolve) => setTimeout(resolve, typingMs));
  const sentMs = performance.now();
  const model = createAnthropicModel({
    model: 'claude-sonnet-5-5',
    baseURL: new URL('api', document.baseURI).href,
  });
  const options = { host, model, tools, permissionMode: 'bypassPermissions' } as const;
  let answeredMs: number | undefined;
  for await (const message of query({ prompt, options })) {
    if (message.type === 'user' && message.parent_tool_use_id === null) {
      answeredMs ??= performance.now();
      const text = JSON.stringify(message.message.content);
      if (text.includes('"is_error":true')) throw new Error(text);
    }
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(message.subtype);
    answeredMs ??= performance.now();
  }
  if (answeredMs === undefined) throw new Error('The query ended without a result.');
  return { openMs, sentMs, answeredMs };
}

window.done = run();
