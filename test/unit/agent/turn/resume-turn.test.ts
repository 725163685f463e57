import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JournalEntry, SettledRecord } from '../../../../src/core/session/journal.ts';
import type { CanUseTool } from '../../../../src/core/permissions/permission.ts';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { isToolResultBlock, toResultText } from '../../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { Disk, Played } from '../../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';

/** Asks for these calls, and is done when it has their results. */
function modelOf(...calls: readonly ContentBlock[]): Model {
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const hasResults = messages.some(
        ({ content }) => typeof content !== 'string' && content.some(isToolResultBlock),
      );
      const content = hasResults ? [{ type: 'text', text: 'Done.' } as const] : calls;
      yield* toEvents(
        assistantMessage(content, { stop_reason: hasResults ? 'end_turn' : 'tool_use' }),
      );
    },
  };
}

const callOf = (name: string, input = {}): ContentBlock => ({
  type: 'tool_use',
  id: `call-${name}`,
  name,
  input,
});

function toolOf(name: string, rest: Pick<Tool, 'call'> & Partial<Tool>): Tool {
  return buildTool({
    name,
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('A tool of the tests.'),
    prompt: () => Promise.resolve(''),
    mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: String(output),
    }),
    ...rest,
  } as never) as unknown as Tool;
}

const allow: CanUseTool = () => Promise.resolve({ behavior: 'allow' });

function play(
  disk: Disk,
  model: Model,
  tools: readonly Tool[],
  rest: Partial<Parameters<typeof playSession>[1]> = {},
): Promise<Played> {
  return playSession(disk, { prompts: ['Go.'], canUseTool: allow, model, tools, ...rest });
}

/** The number of the last entry of this type. */
function lastOf({ entries }: Played, type: JournalEntry['type']): number {
  return entries.findLast((entry) => entry.type === type)?.n ?? 0;
}

const resultOf = ({ fold }: Played) =>
  fold.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText),
  );

describe('resumeTurn', () => {
  test('lets a tool take its own call up, which finds what it had called under other ids', async () => {
    const log: string[] = [];
    const tools = [
      toolOf('Step', {
        call: async (_, { toolUseID }) => {
          log.push(`step ${toolUseID.slice(0, 4)}`);
          return { data: 'stepped' };
        },
      }),
      toolOf('Long', {
        call: async (_, { callTool }) => {
          log.push('call');
          await callTool('Step', {});
          return { data: 'whole' };
        },
        resumeCall: async (_, { callTool }) => {
          log.push('resume');
          await callTool('Step', {});
          return { data: 'resumed' };
        },
      }),
    ];
    const model = modelOf(callOf('Long'));
    const whole = await play(createDisk(), model, tools);
    const nested = whole.entries.find((entry) => entry.type === 'settled' && entry.parent);
    const disk = createDisk();
    log.splice(0);
    await play(disk, model, tools, { freezeAfter: nested?.n ?? 0 });
    const second = await play(disk, model, tools);
    expect(log.map((line) => line.split(' ')[0])).toEqual(['call', 'step', 'resume', 'step']);
    expect(new Set(log).size).toBe(4);
    expect(resultOf(second)).toEqual(['resumed']);
  });

  test('asks a person at the fourth loss without progress, and stops at a no', async () => {
    // By page: one that is killed may still be at it.
    const runs: number[] = [];
    const toolsOf = (page: number) => [
      toolOf('Act', {
        isReadOnly: () => true,
        call: async () => {
          runs.push(page);
          return { data: 'acted' };
        },
      }),
    ];
    const model = modelOf(callOf('Act'));
    const reference = await play(createDisk(), model, toolsOf(0));
    const requested = reference.entries.find(({ type }) => type === 'request')?.n ?? 0;
    for (const behavior of ['allow', 'deny'] as const) {
      const disk = createDisk();
      const asked: string[] = [];
      const canUseTool: CanUseTool = async (name) => {
        asked.push(name);
        return behavior === 'allow' ? { behavior } : { behavior, message: 'No.' };
      };
      // Each of the later pages records that it has opened the session, and nothing else.
      for (let page = 0; page < 4; page += 1) {
        await play(disk, model, toolsOf(page), { canUseTool, freezeAfter: requested + page });
      }
      expect(asked).toEqual([]);
      const last = await play(disk, model, toolsOf(4), { canUseTool });
      expect(asked).toEqual(['Resume']);
      expect(runs.splice(0).filter((page) => page === 4)).toEqual(behavior === 'allow' ? [4] : []);
      const { message } = last.entries.find((entry) => entry.type === 'result') ?? {};
      expect(message).toMatchObject({ is_error: behavior === 'deny' });
    }
  });

  test('takes the answer that the journal has, and asks nobody again', async () => {
    const write = modelOf(callOf('Write', { file_path: 'a.txt', content: 'one' }));
    const tools = ['Write'] as never;
    const reference = await play(createDisk(), write, tools);
    const answered = lastOf(reference, 'answer');
    const freezeAfter = reference.boundaries.find((end) => end >= answered) ?? 0;
    const disk = createDisk();
    await play(disk, write, tools, { freezeAfter });
    const nobody: CanUseTool = () => Promise.reject(new Error('Nobody is here.'));
    const second = await play(disk, write, tools, { canUseTool: nobody });
    expect(await second.files()).toEqual({ '/workspace/a.txt': 'one' });
  });
});

describe('a result that hooks had not answered to when the session was cut off', () => {
  const write = modelOf(callOf('Write', { file_path: 'a.txt', content: 'secret' }));
  const tools = ['Write'] as never;
  const done = 'Made the new file /workspace/a.txt.';
  const withheld =
    'Write is done, and what it changed is kept. Its result is not shown: the session was cut off before the hooks had seen it. Look at how things stand.';

  /** Closed as soon as the call's changes are kept, and opened again with these hooks. */
  async function reopen(hooks: HooksOption | undefined): Promise<Played> {
    const first = { PostToolUse: [{ hooks: [async () => ({})] }] };
    const reference = await play(createDisk(), write, tools, { hooks: first });
    const open = reference.entries.find((entry) => entry.type === 'settled' && entry.isOpen);
    const freezeAfter = (open as SettledRecord & JournalEntry).n;
    const disk = createDisk();
    await play(disk, write, tools, { hooks: first, freezeAfter });
    const second = await play(disk, write, tools, hooks ? { hooks } : {});
    expect(await second.files()).toEqual({ '/workspace/a.txt': 'secret' });
    return second;
  }

  test('is told as they leave it when they have heard of it', async () => {
    const heard: unknown[] = [];
    const second = await reopen({
      PostToolUse: [
        {
          matcher: 'Write',
          hooks: [
            async (input) => {
              heard.push(input);
              return {
                hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Mind it.' },
              };
            },
          ],
        },
      ],
    });
    expect(heard).toMatchObject([
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Write',
        tool_use_id: 'call-Write',
        tool_input: { file_path: 'a.txt', content: 'secret' },
        tool_response: { type: 'create' },
        prompt_id: 'prompt-0',
      },
    ]);
    expect(resultOf(second)).toEqual([done]);
    expect(JSON.stringify(second.fold.messages)).toContain('Mind it.');
  });

  test('is hidden from everybody where they hide it', async () => {
    const second = await reopen({
      PostToolUse: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'hidden' },
            }),
          ],
        },
      ],
    });
    expect(resultOf(second)[0]).toContain('a hook replaced its output');
    expect(JSON.stringify([second.fold.messages, second.messages])).not.toContain(done);
  });

  test('is told as it is where no hook is meant', async () => {
    const second = await reopen({ PostToolUse: [{ matcher: 'Edit', hooks: [async () => ({})] }] });
    expect(resultOf(second)).toEqual([done]);
  });

  test('is told to nobody where there are no hooks any more', async () => {
    const second = await reopen(undefined);
    expect(resultOf(second)).toEqual([withheld]);
    expect(JSON.stringify(second.messages)).not.toContain(done);
  });
});
