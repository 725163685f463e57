// Tools that fail in any of their members, and inputs that a hostile model may send: the call gets its
// one result, the turn goes on, and a healthy tool beside it works.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runTurn } from '../../../src/agent/loop.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../../src/core/blocks.ts';
import type { ModelEvent } from '../../../src/core/messages.ts';
import type { Tool } from '../../../src/core/tool.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { assistantMessage } from '../../support/model-streams.ts';
import { createTestSession } from '../../support/test-session.ts';
import type { TestSessionOptions } from '../../support/test-session.ts';
import { changeTool, plainTool } from '../../support/test-tools.ts';

const here = (tool: Tool, changes: Partial<Tool> = {}): Tool => {
  const { runsIn: _, ...rest } = tool as Tool & { runsIn: 'worker' };
  return { ...rest, call: () => Promise.resolve({ data: 'done' }), ...changes };
};
const healthy = here(plainTool({ name: 'Healthy', isReadOnly: () => true }));

/** The results of one message's calls, and how many requests the turn took. */
async function run(
  tools: readonly Tool[],
  calls: readonly ContentBlock[],
  options: TestSessionOptions = {},
) {
  const requests: ModelRequest[] = [];
  const model = {
    name: 'test',
    apiKeySource: 'none',
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
      requests.push({ ...request, messages: [...request.messages] });
      const says = { type: 'text', text: 'Done.' } as const;
      yield* requests.length === 1
        ? toEvents(assistantMessage(calls, { stop_reason: 'tool_use' }))
        : toEvents(assistantMessage([says], { stop_reason: 'end_turn' }));
    },
  } as const;
  const { canUseTool } = createScriptedAnswers(calls.map(() => 'allow'));
  const session = await createTestSession({ tools, canUseTool, ...options, model });
  const { end } = await runTurn(
    session,
    { role: 'user', content: 'Go.' },
    {
      includePartialMessages: false,
      emit: () => undefined,
      signal: new AbortController().signal,
    },
  );
  const results = (requests[1]?.messages[2]?.content ?? []) as readonly ToolResultBlock[];
  return { end: end.type, results, requests };
}

const callOf = (name: string, input: object, id = name): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: input as Record<string, unknown>,
});

const members = [
  'call',
  'validateInput',
  'checkPermissions',
  'getPath',
  'preparePermissionMatcher',
  'getFileChanges',
  'isReadOnly',
  'isConcurrencySafe',
  'isDestructive',
  'isOpenWorld',
  'getNetworkHosts',
  'interruptBehavior',
  'requiresUserInteraction',
  'isSearchOrReadCommand',
  'getTimeoutMs',
  'userFacingName',
  'getToolUseSummary',
  'getActivityDescription',
  'toAutoClassifierInput',
  'mapToolResultToToolResultBlockParam',
] as const satisfies readonly (keyof Tool)[];

describe('a tool that fails', () => {
  const modes = ['default', 'auto', 'plan', 'bypassPermissions'] as const;
  const cases = members.flatMap((member) => modes.map((mode) => [member, mode] as const));
  it.each(cases)(
    'in %s, in mode %s, answers its call once and stops nobody',
    async (member, mode) => {
      const broken = here(changeTool(), {
        [member]: () => {
          throw new Error('out of order');
        },
      });
      const calls = [callOf('Change', { path: 'a' }), callOf('Healthy', {})];
      const { end, results } = await run([broken, healthy], calls, {
        permissionMode: mode,
        settings: { permissions: { ask: ['Change(b)'] } },
      });
      expect(end).toBe('completed');
      expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(['Change', 'Healthy']);
      expect(results[1]?.content).toBe('done');
    },
  );

  it('to say whether it is enabled is not offered, and the others are', async () => {
    const broken = here(plainTool(), {
      isEnabled: () => {
        throw new Error('out of order');
      },
    });
    const { requests, results } = await run([broken, healthy], [callOf('Healthy', {})]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Healthy']);
    expect(results[0]?.content).toBe('done');
  });
});

describe('a hostile input', () => {
  let seen: unknown;
  const loose = here(
    plainTool({ inputSchema: z.object({ value: z.unknown() }).loose() as never, name: 'Loose' }),
    {
      call: (input) => {
        seen = input;
        return Promise.resolve({ data: 'done' });
      },
    },
  );

  it.each([
    ['__proto__', '{"value": 1, "__proto__": {"polluted": true}}'],
    ['constructor', '{"value": 1, "constructor": {"prototype": {"polluted": true}}}'],
  ])('with %s leaves every prototype alone', async (_, json) => {
    const { results } = await run([loose, healthy], [callOf('Loose', JSON.parse(json))]);
    expect(results).toHaveLength(1);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((seen as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('of 10 MB is answered like any other', async () => {
    const { results } = await run([loose], [callOf('Loose', { value: 'x'.repeat(10_000_000) })]);
    expect(results[0]?.content).toBe('done');
  });

  it.each([400, 5_000, 100_000])(
    'that is nested %i deep is answered, and the session goes on',
    async (levels) => {
      const text = `${'{"value":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const calls = [callOf('Loose', JSON.parse(text)), callOf('Healthy', {})];
      const { end, results, requests } = await run([loose, healthy], calls);
      expect(end).toBe('completed');
      expect(results[0]?.content).toMatch(levels < 500 ? /^done$/ : /nested more than 500 levels/);
      expect(results[1]?.content).toBe('done');
      // What could not be sent would end every request to come.
      expect(() => JSON.stringify(requests[1]?.messages)).not.toThrow();
    },
  );

  it('for a name of 10 MB is refused in a short sentence', async () => {
    const { results } = await run([healthy], [callOf('x'.repeat(10_000_000), {}, 'long')]);
    expect(results[0]?.is_error).toBe(true);
    expect(String(results[0]?.content).length).toBeLessThan(500);
  });
});
