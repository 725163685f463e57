// Sessions at random: what the model, its server, the person and the tools do, and where pages are killed.
// Every request must be one that the API takes, and nothing that reaches outside may be done twice.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { isToolUseBlock } from '../../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { SettledRecord } from '../../../../src/core/session/journal.ts';
import type { CanUseTool } from '../../../../src/core/permissions/permission.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { findFault } from '../../../support/sessions/journals.ts';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { Played } from '../../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { runsHere } from '../../../support/runs-here.ts';

/** What outlives the pages. */
interface World {
  readonly random: Random;
  readonly faults: string[];
  /** By call: how often it acted. */
  readonly acted: Map<string, number>;
  calls: number;
}

const names = ['Read', 'Write', 'Act', 'Look', 'Fail'] as const;

function toCall(world: World): ContentBlock {
  const { random } = world;
  world.calls += 1;
  const name = random.pick(names);
  const file_path = random.pick(['a.txt', 'b.txt']);
  const inputs = { Read: { file_path }, Write: { file_path, content: `${world.calls}` } } as const;
  const input = name === 'Read' || name === 'Write' ? inputs[name] : {};
  return { type: 'tool_use', id: `call-${world.calls}`, name, input };
}

function modelOf(world: World): Model {
  const { random } = world;
  const write = () => {
    const asks = random.chance(0.6);
    const calls = asks ? Array.from({ length: 1 + random.below(3) }, () => toCall(world)) : [];
    const content = [{ type: 'text', text: random.chance(0.2) ? ' ' : 'So.' }, ...calls];
    return [
      ...toEvents(assistantMessage(content, { stop_reason: asks ? 'tool_use' : 'end_turn' })),
    ];
  };
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const fault = findFault(messages);
      if (fault !== undefined) world.faults.push(fault);
      if (random.chance(0.1)) throw new SdkError('model-server', 'It is down.');
      if (random.chance(0.25)) {
        const events = write();
        yield* events.slice(0, 1 + random.below(events.length - 1));
        // The connection breaks, or the server begins anew.
        if (random.chance(0.5)) throw new SdkError('model-stream-cut', 'It broke off.');
      }
      yield* write();
    },
  };
}

function toolsOf({ acted }: World): readonly Tool[] {
  const toTool = (name: string, rest: Partial<Tool>) =>
    buildTool({
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
  return [
    toTool('Act', {
      call: async (_, { toolUseID }) => {
        acted.set(toolUseID, (acted.get(toolUseID) ?? 0) + 1);
        return { data: 'acted' };
      },
    }),
    toTool('Look', { isReadOnly: () => true, call: async () => ({ data: 'seen' }) }),
    toTool('Fail', { call: () => Promise.reject(new Error('out of order')) }),
  ];
}

async function playAtRandom(seed: number): Promise<{ world: World; played: Played }> {
  const random = createRandom(seed);
  const world: World = { random, faults: [], acted: new Map(), calls: 0 };
  const canUseTool: CanUseTool = async () => {
    if (random.chance(0.8)) return { behavior: 'allow' };
    return { behavior: 'deny', message: 'No.', interrupt: random.chance(0.5) };
  };
  const disk = createDisk();
  const open = (freezeAfter = Infinity) =>
    playSession(disk, {
      prompts: ['One.', 'Two.', 'Three.'],
      model: modelOf(world),
      tools: ['Read', 'Write', ...toolsOf(world)] as never,
      canUseTool,
      freezeAfter,
    });
  let length = 0;
  for (let kills = random.below(6); kills > 0; kills -= 1) {
    const killed = await open(length + 1 + random.below(30));
    length = killed.boundaries.at(-1) ?? length;
  }
  return { world, played: await open() };
}

test.each(Array.from({ length: runsHere(60) }, (_, index) => index + 1))(
  'a session at random stays one that the API takes (seed %i)',
  async (seed) => {
    const { world, played } = await playAtRandom(seed);
    const { fold, entries } = played;
    expect(world.faults).toEqual([]);
    expect(fold.turn).toBeUndefined();
    expect(fold.waiting).toEqual([]);
    expect(findFault([...fold.messages, { role: 'user', content: 'Next.' }])).toBeUndefined();

    const ends = entries.filter(
      (entry): entry is SettledRecord & typeof entry => entry.type === 'settled',
    );
    expect(new Set(ends.map(({ id }) => id)).size).toBe(ends.length);
    // What is said to have been done has been, and what acts outside has done so once at most.
    const done = ends.filter(({ tool, state }) => tool === 'Act' && state === 'output-available');
    expect(done.filter(({ id }) => world.acted.get(id) !== 1)).toEqual([]);
    expect([...world.acted.values()].filter((times) => times > 1)).toEqual([]);
    // Each call of a reply that stays is answered once.
    const asked = entries.flatMap((entry) =>
      entry.type === 'reply' && entry.end !== 'void'
        ? entry.message.content.filter(isToolUseBlock).map(({ id }) => id)
        : [],
    );
    expect(asked.filter((id) => !ends.some((end) => end.id === id))).toEqual([]);
  },
);
