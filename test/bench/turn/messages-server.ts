// The Messages API on the loopback, as far as a turn needs it. Each reply is the scenario's next,
// told token by token. A request that doesn't bring the results of the reply before is refused.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { scenarios, type ScenarioName, type ScriptedCall, type Speed } from './scenarios.ts';

// 40 tokens a second: what a large model streams.
const tokenMs = 1_000 / 40;
// As the API counts them, roughly.
const charsPerToken = 4;

/** What a conversation brought to the server. */
export interface ServedRun {
  /** By the call's id: its result as the model reads it. */
  readonly results: ReadonlyMap<string, string>;
  /** The last reply was asked for, in which the model says that it is done. */
  readonly isDone: boolean;
}

/** Close it when done. */
export interface ScriptedServer {
  /** `/<scenario>/<speed>` below it are base URLs of the API. */
  readonly url: string;
  /** What came since this was last asked. */
  takeRun(): ServedRun;
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  let results = new Map<string, string>();
  let isDone = false;
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    // Without it a browser asks before each request anew, for some clients and not for others.
    response.setHeader('access-control-max-age', '7200');
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const note = (found: ReadonlyMap<string, string>, isLast: boolean) => {
      for (const [id, text] of found) results.set(id, text);
      isDone ||= isLast;
    };
    void answer(request, response, note).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const message = error instanceof Error ? error.message : String(error);
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeRun() {
      const run = { results, isDone };
      results = new Map();
      isDone = false;
      return run;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}

interface Request {
  readonly messages: readonly { readonly role: string; readonly content: string | Block[] }[];
}

type Note = (results: ReadonlyMap<string, string>, isLast: boolean) => void;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  note: Note,
): Promise<void> {
  const [, scenario = '', speed = ''] = (request.url ?? '').split('/');
  if (!Object.hasOwn(scenarios, scenario)) throw new Error(`There is no scenario ${scenario}.`);
  const { messages } = JSON.parse(await readBody(request)) as Request;
  const replies = messages.filter(({ role }) => role === 'assistant').length;
  const calls = scenarios[scenario as ScenarioName][replies];
  note(readResults(messages), calls === undefined);
  const events = calls ? toCallEvents(calls, replies) : toTextEvents();
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  await send(events, speed as Speed, response);
  response.end();
}

/**
 * The results of the last reply's calls.
 *
 * @throws where one has none, or one that tells of an error.
 */
function readResults(messages: Request['messages']): Map<string, string> {
  const texts = new Map<string, string>();
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  if (at === -1) return texts;
  const results = messages.slice(at + 1).flatMap(toBlocks);
  for (const { type, id } of toBlocks(messages[at])) {
    if (type !== 'tool_use' || id === undefined) continue;
    const result = results.find((block) => block.tool_use_id === id);
    if (!result) throw new Error(`The call ${id} has no result.`);
    if (result.is_error) {
      throw new Error(`The call ${id} failed: ${JSON.stringify(result.content).slice(0, 300)}`);
    }
    texts.set(id, toText(result.content));
  }
  return texts;
}

/** Some clients send a text as it is, others as a list of one. */
function toText(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { readonly text?: unknown }) => String(part.text)).join('\n');
}

function toBlocks(message: Request['messages'][number] | undefined): readonly Block[] {
  return typeof message?.content === 'object' ? message.content : [];
}

/** One event of the stream; those that are tokens take their time. */
interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

function toCallEvents(calls: readonly ScriptedCall[], reply: number): Event[] {
  const blocks = calls.flatMap(({ name, input }, index) => [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `toolu_${reply}_${index}`, name, input: {} },
    },
    ...toTokens(JSON.stringify(input)).map((partial_json) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index },
  ]);
  return toMessage(blocks, 'tool_use');
}

function toTextEvents(): Event[] {
  return toMessage(
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'Done.' },
      },
      { type: 'content_block_stop', index: 0 },
    ],
    'end_turn',
  );
}

function toMessage(blocks: readonly Event[], stop_reason: string): Event[] {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-6',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    { type: 'message_start', message },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 100 },
    },
    { type: 'message_stop' },
  ];
}

function toTokens(text: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at += charsPerToken) {
    tokens.push(text.slice(at, at + charsPerToken));
  }
  return tokens;
}

async function send(events: readonly Event[], speed: Speed, response: ServerResponse) {
  const startedAt = performance.now();
  let tokens = 0;
  for (const event of events) {
    if (speed === 'slow' && event.type === 'content_block_delta') {
      tokens += 1;
      // By the clock and not by the last token, so that late timers don't add up.
      const early = startedAt + tokens * tokenMs - performance.now();
      if (early > 0) await setTimeout(early);
    }
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) text += String(part);
  return text;
}
