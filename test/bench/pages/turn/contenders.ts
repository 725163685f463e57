// Everybody who takes part, each with the settings that its own documentation recommends for an agent
// loop in a page. All talk to the same server, and all have the same tools.
import Anthropic from '@anthropic-ai/sdk';
import {
  createAnthropicModel,
  query,
  type BrowserHost,
  type Host,
  type Tool,
} from 'rockpool/browser';
import type { ContenderName } from './contender-names.ts';
import { createPlainTools, type PlainTool } from './plain-tools.ts';
import { loopTool } from './loop.ts';
import { waitTool } from './wait.ts';

/** One run: a whole conversation with one prompt. Rejects where it doesn't come to its end. */
export interface Run {
  /** Of the API, with its scenario. */
  readonly baseURL: string;
  readonly tools: readonly string[];
}

export interface Hosts {
  readonly own: BrowserHost;
  /** For the peers. */
  readonly plain: Host;
}

const prompt = 'Do what is to be done.';
const system = 'You are a coding agent.';
const modelId = 'claude-sonnet-4-6';
const apiKey = 'a-key-of-the-bench';
// More than any scenario takes.
const maxSteps = 50;

export async function run(name: ContenderName, hosts: Hosts, work: Run): Promise<void> {
  if (name === 'rockpool') return runOwn(hosts.own, work);
  using plain = await createPlainTools(hosts.plain, work.tools);
  const tools = plain.list;
  if (name === 'ai') return await runAi(tools, work);
  if (name === 'tanstack') return await runTanstack(tools, work);
  if (name === 'pi') return await runPi(tools, work);
  return await runToolRunner(tools, work, name === 'tool_runner_eager');
}

const ownTools: ReadonlyMap<string, Tool> = new Map([
  ['Loop', loopTool as unknown as Tool],
  ['Wait', waitTool as unknown as Tool],
]);

export async function runOwn(
  host: BrowserHost,
  { baseURL, tools }: Run,
  abortController = new AbortController(),
): Promise<void> {
  const options = {
    host,
    model: createAnthropicModel({ model: modelId, apiKey, baseURL }),
    systemPrompt: system,
    tools: tools.map((name) => ownTools.get(name) ?? name),
    abortController,
    permissionMode: 'acceptEdits',
    allowedTools: [...ownTools.keys()],
    includePartialMessages: true,
  } as const;
  for await (const message of query({ prompt, options })) {
    if (message.type === 'result' && message.is_error) throw new Error(JSON.stringify(message));
  }
}

async function runToolRunner(
  tools: readonly PlainTool[],
  { baseURL }: Run,
  runToolsEagerly: boolean,
): Promise<void> {
  const client = new Anthropic({ apiKey, baseURL, dangerouslyAllowBrowser: true });
  const runner = client.beta.messages.toolRunner({
    model: modelId,
    max_tokens: 16_384,
    system,
    messages: [{ role: 'user', content: prompt }],
    tools: tools.map(({ name, description, jsonSchema, run }) => ({
      type: 'custom' as const,
      name,
      description,
      input_schema: jsonSchema as { type: 'object' },
      parse: (input: unknown) => input as Record<string, unknown>,
      run,
    })),
    stream: true,
    // A thread would be kept by the server, which this one doesn't do: each request has it all.
    thread: false,
    max_iterations: maxSteps,
    ...(runToolsEagerly && { runToolsEagerly }),
  });
  for await (const stream of runner) {
    for await (const _event of stream);
  }
}

interface AiModule {
  readonly ToolLoopAgent: new (settings: unknown) => {
    stream(call: { prompt: string }): Promise<{
      readonly fullStream: AsyncIterable<{ readonly type: string; readonly error?: unknown }>;
    }>;
  };
  isStepCount(count: number): unknown;
  tool(definition: unknown): unknown;
  createAnthropic(settings: unknown): (model: string) => unknown;
}

async function runAi(tools: readonly PlainTool[], { baseURL }: Run): Promise<void> {
  const { ToolLoopAgent, createAnthropic, tool, isStepCount } = await importPeer<AiModule>('ai');
  const headers = { 'anthropic-dangerous-direct-browser-access': 'true' };
  const agent = new ToolLoopAgent({
    model: createAnthropic({ apiKey, baseURL: `${baseURL}/v1`, headers })(modelId),
    instructions: system,
    stopWhen: isStepCount(maxSteps),
    tools: Object.fromEntries(
      tools.map(({ name, description, inputSchema, run }) => [
        name,
        tool({ description, inputSchema, execute: run }),
      ]),
    ),
  });
  const { fullStream } = await agent.stream({ prompt });
  for await (const part of fullStream) {
    if (part.type === 'error' || part.type === 'tool-error') throw new Error(String(part.error));
  }
}

interface TanstackModule {
  chat(options: unknown): AsyncIterable<{ readonly type: string; readonly message?: string }>;
  maxIterations(count: number): unknown;
  toolDefinition(definition: unknown): {
    server(execute: (input: never) => Promise<string>): unknown;
  };
  createAnthropicChat(model: string, apiKey: string, config: unknown): unknown;
}

async function runTanstack(tools: readonly PlainTool[], { baseURL }: Run): Promise<void> {
  const { chat, maxIterations, toolDefinition, createAnthropicChat } =
    await importPeer<TanstackModule>('tanstack');
  const config = { baseURL, dangerouslyAllowBrowser: true };
  const stream = chat({
    adapter: createAnthropicChat(modelId, apiKey, config),
    systemPrompts: [system],
    messages: [{ role: 'user', content: prompt }],
    tools: tools.map(({ name, description, inputSchema, run }) =>
      toolDefinition({ name, description, inputSchema }).server(run),
    ),
    agentLoopStrategy: maxIterations(maxSteps),
  });
  for await (const event of stream) {
    if (event.type === 'RUN_ERROR') throw new Error(event.message);
  }
}

interface PiModule {
  readonly Agent: new (options: unknown) => {
    prompt(text: string): Promise<void>;
    readonly state: { readonly errorMessage?: string };
  };
  createModels(): {
    setProvider(provider: unknown): void;
    getModel(provider: string, id: string): Record<string, unknown> | undefined;
    readonly streamSimple: (...parameters: unknown[]) => unknown;
  };
  anthropicProvider(): unknown;
}

async function runPi(tools: readonly PlainTool[], { baseURL }: Run): Promise<void> {
  const { Agent, createModels, anthropicProvider } = await importPeer<PiModule>('pi');
  const models = createModels();
  models.setProvider(anthropicProvider());
  const model = models.getModel('anthropic', modelId);
  if (!model) throw new Error(`pi knows no ${modelId}.`);
  const agent = new Agent({
    initialState: {
      systemPrompt: system,
      model: { ...model, baseUrl: baseURL },
      tools: tools.map(({ name, description, jsonSchema, run }) => ({
        name,
        label: name,
        description,
        parameters: jsonSchema,
        execute: async (_id: string, input: Record<string, unknown>) => ({
          content: [{ type: 'text', text: await run(input) }],
          details: undefined,
        }),
      })),
    },
    getApiKey: () => apiKey,
    streamFn: models.streamSimple.bind(models),
    toolExecution: 'parallel',
  });
  await agent.prompt(prompt);
  const { errorMessage } = agent.state;
  if (errorMessage) throw new Error(errorMessage);
}

/** The cast: what the modules export is said by the interfaces above, as far as it is used. */
async function importPeer<Module>(name: string): Promise<Module> {
  const url = new URL(`peers/${name}.js`, document.baseURI).href;
  return (await import(/* @vite-ignore */ url)) as Module;
}
