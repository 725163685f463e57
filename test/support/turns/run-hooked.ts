// A whole query with hooks over a real inline host: what the model, the person and the reader get.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { query } from '../../../src/agent/query.ts';
import type { Query, QueryParams } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import type { ToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { SDKMessage, SDKResultMessage } from '../../../src/core/messages/sdk-message.ts';
import { readSystemReminder } from '../../../src/core/messages/system-reminder.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { askSettled } from './settled-servers.ts';

/** A file of its own in each: `a.txt` says "one". Dispose it. */
export async function openHost(options: Partial<InlineHostOptions> = {}): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm, ...options });
  await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'one\n');
  return host;
}

export const say = (text: string): ScriptTurn => ({ blocks: [{ type: 'text', text }] });

/** The model calls one tool, as `call-0`. */
export const callTool = (
  name: string,
  input: Record<string, unknown>,
  id = 'call-0',
): ScriptTurn => ({
  blocks: [{ type: 'tool_use', id, name, input }],
});

export const write = (file_path: string, content = 'x') =>
  callTool('Write', { file_path, content });

export interface HookedRun {
  readonly messages: readonly SDKMessage[];
  /** What each request held, but for what every conversation begins with: see {@link withoutEnvironment}. */
  readonly requests: readonly (readonly MessageParam[])[];
  /** Of the last prompt. */
  readonly result: SDKResultMessage;
}

export interface HookedOptions extends Omit<QueryOptions, 'host' | 'model'> {
  /** Asks once its MCP servers are connected, or aren't going to be. */
  readonly settlesServers?: boolean;
  /** @defaultValue `Go.` */
  readonly prompt?: QueryParams['prompt'];
}

/** The messages without those that every conversation begins with: of the environment, and of kinds of agents. */
export const withoutEnvironment = (messages: readonly MessageParam[]): readonly MessageParam[] =>
  messages.filter(
    (message) => !/>\\n(?:Where you work, as|# Agents\\n)/u.test(JSON.stringify(message)),
  );

/** Starts the query; `requests` fills as it runs. All tools are in each, so that only hooks remind. */
export function startHooked(
  host: Host,
  turns: readonly ScriptTurn[],
  { settlesServers = false, prompt = 'Go.', ...options }: HookedOptions,
) {
  const scripted = createScriptedModel({ script: { turns } });
  const requests: (readonly MessageParam[])[] = [];
  const model: Model = {
    ...scripted,
    stream: (request, streamOptions) => {
      requests.push(withoutEnvironment(structuredClone(request.messages)));
      return scripted.stream(request, streamOptions);
    },
  };
  const running: Query = query({
    prompt: settlesServers ? askSettled(() => running) : prompt,
    options: { toolSearch: false, ...options, host, model },
  });
  return { running, requests };
}

export async function readAll(running: Query): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of running) messages.push(message);
  return messages;
}

/** The script's turns, and a last word after them. */
export async function runHooked(
  host: Host,
  turns: readonly ScriptTurn[],
  options: HookedOptions,
): Promise<HookedRun> {
  const { running, requests } = startHooked(host, [...turns, say('Done.')], options);
  const messages = await readAll(running);
  return { messages, requests, result: messages.at(-1) as SDKResultMessage };
}

/** The texts of the tool results, in order. */
export function toResults(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      return [toResultText(block as ToolResultBlock)];
    });
  });
}

/** What the last request told the model beside its calls' results, without the marks around it. */
export function toReminders(requests: HookedRun['requests'], at = -1): string[] {
  return (requests.at(at) ?? []).flatMap(({ content }) => {
    if (typeof content === 'string') return [];
    return content.flatMap((block) => {
      const text = block.type === 'text' && 'text' in block ? String(block.text) : '';
      return readSystemReminder(text) ?? [];
    });
  });
}
