// Conversations in which the model calls Workflow, with agents that the test plays.
import { onTestFinished } from 'vitest';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { CanUseToolOptions } from '../../../src/core/permissions/permission.ts';
import { dirname } from '../../../src/core/path.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import type { WorkflowOutput } from '../../../src/tools/workflow/schema.ts';
import { converse, openTaskHost } from './background.ts';
import type { Conversation } from './background.ts';
import type { Asked } from '../models/directed-model.ts';

export const meta = "export const meta = { name: 'test', description: 'A test' };\n";

interface Question {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly options: CanUseToolOptions;
}

export async function openTalk(
  options: Partial<QueryOptions> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly prompt?: string;
    readonly clock?: Clock;
  } = {},
) {
  const { files = {}, clock, ...rest } = options;
  const host = await openTaskHost(clock && { clock });
  onTestFinished(() => host[Symbol.asyncDispose]?.());
  await host.workspace.fs.mkdir('/workspace/.claude/workflows', { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await host.workspace.fs.mkdir(dirname(path), { recursive: true });
    await host.workspace.fs.writeFile(path, text);
  }
  const questions: Question[] = [];
  const talk = converse(host, {
    canUseTool: async (name, input, asked) => {
      questions.push({ name, input, options: asked });
      return { behavior: 'allow' };
    },
    ...rest,
  });
  if (rest.prompt === undefined) talk.say('Go.');
  return { host, talk, questions };
}

/** The model's call of Workflow, and its next request with the result. */
export async function launch(
  talk: Conversation,
  from: Asked,
  input: object,
  id = 'flow',
): Promise<Asked> {
  from.call({ id, name: 'Workflow', input: { ...input } });
  return talk.asked();
}

const outputOf = (talk: Conversation) => talk.lastOutput() as unknown as WorkflowOutput;

export function taskOf(talk: Conversation) {
  const output = outputOf(talk);
  if (output.status !== 'async_launched') throw new Error('It was not launched.');
  return output;
}

/** Answers the agents' requests until `count` are answered, each by its task; gives the tasks. */
export async function answer(
  talk: Conversation,
  count: number,
  reply: (task: string, asked: Asked) => void = (task, asked) => asked.say(`did: ${task}`),
): Promise<string[]> {
  const tasks: string[] = [];
  while (tasks.length < count) {
    const asked = await talk.asked();
    const task = taskText(asked);
    tasks.push(task);
    reply(task, asked);
  }
  return tasks;
}

/** An agent's first words, which no reminder is. */
export function taskText({ messages }: Asked): string {
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [String(block['text' as never])] : [])),
  );
  return texts.find((text) => !text.startsWith('<')) ?? '';
}
