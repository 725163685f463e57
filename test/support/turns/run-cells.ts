// A whole query that runs cells over a real host: what the model, the person and the viewer get.
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
} from '../../../src/core/permissions/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import type { ReplOutput } from '../../../src/tools/repl/schema.ts';

/** One question, open until the test answers it. */
export interface OpenQuestion {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  readonly options: CanUseToolOptions;
  answer(result: PermissionResult): void;
}

/** A person whose questions the test takes one by one. */
export interface Person {
  readonly canUseTool: CanUseTool;
  /** Titles of all questions, in the order of asking. */
  readonly asked: readonly string[];
  /** Waits for the next question that wasn't taken yet. */
  next(): Promise<OpenQuestion>;
}

export function createPerson(): Person {
  const asked: string[] = [];
  const open: OpenQuestion[] = [];
  let wake: (() => void) | undefined;
  return {
    asked,
    canUseTool: (toolName, input, options) =>
      new Promise((answer) => {
        asked.push(options.title ?? toolName);
        open.push({ toolName, input, options, answer });
        wake?.();
      }),
    async next() {
      while (open.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      return open.shift() as OpenQuestion;
    },
  };
}

/** Says the same to every question. */
export function createQuickPerson(result: PermissionResult): Person {
  const person = createPerson();
  const answerAll = async () => {
    for (;;) (await person.next()).answer(result);
  };
  void answerAll();
  return person;
}

/** What a query with these cells came to. */
export interface CellRuns {
  /** By cell: what the model was told. */
  readonly results: readonly string[];
  /** By cell; undefined where the call was cut. */
  readonly outputs: readonly (ReplOutput | undefined)[];
  readonly messages: readonly SDKMessage[];
}

/** A cell's code, or the Repl's whole input. */
export type Cell = string | { readonly code: string; readonly timeout: number };

/** Each cell is a turn of the model of its own, in one session. A person may stand for the options. */
export async function runCells(
  host: Host,
  cells: readonly Cell[],
  { asked: _, next: __, ...options }: Omit<QueryOptions, 'host' | 'model'> & Partial<Person> = {},
): Promise<CellRuns> {
  const turns = cells.map((cell, at) => ({
    blocks: [
      {
        type: 'tool_use' as const,
        id: `cell-${at}`,
        name: 'Repl',
        input: typeof cell === 'string' ? { code: cell } : { ...cell },
      },
    ],
  }));
  const model = createScriptedModel({
    script: { turns: [...turns, { blocks: [{ type: 'text' as const, text: 'Done.' }] }] },
  });
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: 'Go.', options: { ...options, host, model } })) {
    messages.push(message);
  }
  const settled = messages.filter(
    (message): message is SDKUserMessage =>
      message.type === 'user' && message.parent_tool_use_id === null,
  );
  return {
    results: settled.map((message) => toText(message)),
    outputs: settled.map((message) => message.tool_use_result as ReplOutput | undefined),
    messages,
  };
}

function toText({ message }: SDKUserMessage): string {
  const [block] = message.content;
  if (typeof block !== 'object' || block.type !== 'tool_result') return '';
  const { content } = block;
  if (!Array.isArray(content)) return String(content);
  return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}
