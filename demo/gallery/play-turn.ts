// Plays whole turns through the real fold: calls within calls, and calls that follow each other.
import type { ContentBlock } from '../../src/core/messages/blocks.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { Tool, Tools } from 'rockpool/browser';
import { createTranscriptStore } from 'rockpool/react';
import type { Turn } from 'rockpool/react';
import { toPrompt, toResult } from './play-call.ts';
import { toolExamples } from './tool-examples.ts';

/** One turn, and what it shows. */
export interface PlayedTurn {
  readonly title: string;
  readonly turns: readonly Turn[];
}

/** `tools`: the real definitions, by which calls that only read or search are folded. */
export function playTurns(tools: Tools): readonly PlayedTurn[] {
  const find = (name: string): Tool => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return tool;
  };
  const done = (name: string, id: string, parent: string | null = null, changes: object = {}) => {
    const { input, output } = toolExamples[name] ?? {};
    const block = find(name).mapToolResultToToolResultBlockParam(output, id);
    const fields = { ...(input as Record<string, unknown>), ...changes };
    return [
      say([{ type: 'tool_use', id, name, input: fields }], parent),
      { ...toResult(block, parent), tool_use_result: output },
    ];
  };
  const read = (id: string, parent: string | null, file: string) =>
    done('Read', id, parent, { file_path: `/workspace/src/${file}` });
  const cell = find('Repl');
  const { input, output } = toolExamples['Repl'] ?? {};
  const block = cell.mapToolResultToToolResultBlockParam(output, 'cell');
  const agentInput = toolExamples['Agent']?.input;
  return [
    play('A cell, and the calls that it makes', [
      say([{ type: 'tool_use', id: 'cell', name: 'Repl', input: input as never }]),
      ...read('r1', 'cell', 'format.ts'),
      ...read('r2', 'cell', 'units.ts'),
      ...done('Edit', 'e1', 'cell'),
      { ...toResult(block), tool_use_result: output },
      say([{ type: 'text', text: 'One test fails: `format.test.ts` rounds **down**.' }]),
    ]),
    play('Reads that follow each other, in one line', [
      ...read('r3', null, 'format.ts'),
      ...read('r4', null, 'units.ts'),
      ...read('r5', null, 'parse.ts'),
      ...done('Grep', 'g1'),
    ]),
    play('A sub-agent at work', [
      say([{ type: 'tool_use', id: 'agent', name: 'Agent', input: agentInput as never }]),
      {
        type: 'system',
        subtype: 'task_started',
        task_id: 'a1',
        tool_use_id: 'agent',
        description: 'Find what rounds',
        task_type: 'agent',
        subagent_type: 'Explore',
        is_backgrounded: false,
        can_be_backgrounded: true,
        ...common,
      },
      ...done('Grep', 'g2', 'agent'),
      say([{ type: 'tool_use', id: 'r6', name: 'Read', input: { file_path: 'a.ts' } }], 'agent'),
    ]),
  ];
}

const common = { uuid: 'gallery', session_id: 'gallery' };

function say(content: readonly ContentBlock[], parent: string | null = null): SDKMessage {
  return {
    type: 'assistant',
    message: {
      id: 'msg_gallery',
      type: 'message',
      role: 'assistant',
      model: 'gallery',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 900, output_tokens: 100 },
    },
    parent_tool_use_id: parent,
    ...common,
  };
}

function play(title: string, messages: readonly SDKMessage[]): PlayedTurn {
  const store = createTranscriptStore();
  for (const message of [toPrompt(title), ...messages]) store.apply(message);
  return { title, turns: store.getSnapshot().turns };
}
