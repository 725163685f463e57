// What an isolate counts while it computes: the engine's questions, a search's checks, characters to and from a model.
// Each kind of work does nothing else for a while, so that outside the count can be held against the processor's time.
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost } from '../../../src/edge.ts';
import type { EdgeHost } from '../../../src/edge.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { createCountedModel } from '../../../src/hosts/edge/object/counted-model.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage, toSse } from '../../support/models/model-streams.ts';
import { requestOf } from '../../support/stages/work-request.ts';
import { cells, searches } from './work-kinds.ts';
import type { ModelKind } from './work-kinds.ts';

const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;

/** Of a call in the bench. */
const limitsOfCalls = {
  timeoutMs: 60_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 20_000,
  maxMemoryBytes: 32 * 1024 * 1024,
};

/** Runs one call on such a host, and gives its output. */
export async function runCall(
  { executor }: Pick<EdgeHost, 'executor'>,
  toolName: string,
  input: object,
  limits: object = {},
): Promise<unknown> {
  const request = {
    ...requestOf(toolName, input),
    access,
    cwd: '/workspace',
    limits: { ...limitsOfCalls, ...limits },
  };
  const reply = await executor.start(request, () => {}).reply;
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
  return reply.output;
}

/** How often the engine has asked while such a cell ran. */
export async function countQuestions(kind: string): Promise<number> {
  return countAsked(async (host) => {
    await runCall(host, 'Repl', { code: cells[kind] ?? '' }, { questionsPerMs: 1 });
  });
}

/** How often such a pattern has asked while it was searched for, in a text of 2 MB, so many times. */
export async function countChecks(kind: string): Promise<number> {
  const { pattern, line, times } = searches[kind] ?? {};
  if (!pattern || !line || !times) throw new Error(`There is no search "${kind}".`);
  return countAsked(async (host) => {
    const text = `${line}\n`.repeat(Math.ceil(2_000_000 / line.length));
    await host.workspace.fs.writeFile('/workspace/long.txt', text);
    for (let at = 0; at < times; at += 1) {
      await runCall(host, 'Grep', { pattern, output_mode: 'count' }, { checksPerMs: 1 });
    }
  });
}

/** Each question and each check is told as one millisecond. */
async function countAsked(work: (host: EdgeHost) => Promise<void>): Promise<number> {
  let asked = 0;
  const onWork = (count: number) => void (asked += count);
  const host = await createEdgeHost({ wasm, questionsPerMs: 1, checksPerMs: 1, onWork });
  await work(host);
  await host[Symbol.asyncDispose]();
  return asked;
}

/** One session's work with a model. What its server answers is there before it begins. */
export interface ModelWork {
  /** Gives the characters that went to the model and came from it. */
  play(): Promise<number>;
}

const prompts: Readonly<Record<ModelKind, { readonly count: number; readonly length: number }>> = {
  // 15 million characters in requests, which hold all that was said before.
  conversation: { count: 30, length: 30_000 },
  answers: { count: 4, length: 10 },
  inputs: { count: 4, length: 10 },
};

/** Of an answer, as a server streams it: some words. */
const pieceLength = 20;

/** As an object has a model: by HTTP, counted, and with a journal. */
export function prepareModelWork(kind: ModelKind): ModelWork {
  const { count, length } = prompts[kind];
  const encoder = new TextEncoder();
  const streams = toAnswers(kind).map((content) => {
    const calls = content.some(({ type }) => type === 'tool_use');
    const message = assistantMessage(content, { stop_reason: calls ? 'tool_use' : 'end_turn' });
    return encoder.encode(toSse([...toEvents(message, pieceLength)]));
  });
  let asked = 0;
  const fetch = async () => {
    const stream = streams[asked % streams.length];
    asked += 1;
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
  return {
    async play() {
      let characters = 0;
      const host = await createEdgeHost({ wasm });
      const server = createAnthropicModel({
        model: 'claude-sonnet-4-6',
        apiKey: 'a-key-of-the-bench',
        baseURL: 'https://model.invalid',
        fetch,
      });
      const session = await openSession({
        host,
        model: createCountedModel(server, (more) => void (characters += more)),
        tools: ['Write'],
        permissionMode: 'bypassPermissions',
      });
      for (let at = 0; at < count; at += 1) {
        const { n } = await session.send(
          `${at} ${'something that is said '.repeat(length / 23 + 1)}`,
        );
        for await (const message of session.messages({ after: n })) {
          if (message.type !== 'result') continue;
          if (message.subtype !== 'success') throw new Error(JSON.stringify(message));
          break;
        }
      }
      await session.close();
      await host[Symbol.asyncDispose]();
      return characters;
    },
  };
}

/** In the order of the requests, over and over. */
function toAnswers(kind: ModelKind): readonly (readonly ContentBlock[])[] {
  const said = (length: number): ContentBlock => ({
    type: 'text',
    text: 'a word or two of an answer '.repeat(length / 27),
  });
  if (kind === 'conversation') return [[said(100)]];
  if (kind === 'answers') return [[said(150_000)]];
  const write: ContentBlock = {
    type: 'tool_use',
    id: 'call',
    name: 'Write',
    input: {
      file_path: '/workspace/long.txt',
      content: 'const line = "of a file";\n'.repeat(6_000),
    },
  };
  return [[write], [said(100)]];
}
