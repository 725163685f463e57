// Tools that fail in any of their members, and inputs that a hostile model may send: the call gets its
// one result, the turn goes on, and a healthy tool beside it works.
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runTurn } from '../../../src/agent/loop.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../../src/core/blocks.ts';
import type { ModelEvent } from '../../../src/core/messages.ts';
import { permissionModes } from '../../../src/core/permission.ts';
import type { CanUseTool, PermissionMode } from '../../../src/core/permission.ts';
import type { Tool } from '../../../src/core/tool.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { assistantMessage } from '../../support/model-streams.ts';
import { createTestSession } from '../../support/test-session.ts';
import type { TestSessionOptions } from '../../support/test-session.ts';
import { changeTool, lookTool, plainTool } from '../../support/test-tools.ts';

const here = (tool: Tool, changes: Partial<Tool> = {}): Tool => {
  const { runsIn: _, ...rest } = tool as Tool & { runsIn: 'worker' };
  return { ...rest, call: () => Promise.resolve({ data: 'done' }), ...changes };
};
const healthy = here(plainTool({ name: 'Healthy', isReadOnly: () => true }));

interface RunOptions extends TestSessionOptions {
  /** To every question. */
  readonly answer?: 'allow' | 'deny';
}

/** The results of one message's calls, the requests of the turn, and how often a person was asked. */
async function run(
  tools: readonly Tool[],
  calls: readonly ContentBlock[],
  { answer = 'allow', ...options }: RunOptions = {},
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
  let asked = 0;
  const canUseTool: CanUseTool = () => {
    asked += 1;
    return Promise.resolve(
      answer === 'allow' ? { behavior: answer } : { behavior: answer, message: 'No.' },
    );
  };
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
  return { end: end.type, results, requests, asked };
}

const callOf = (name: string, input: object, id = name): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: input as Record<string, unknown>,
});

const mapper = 'mapToolResultToToolResultBlockParam';

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
  mapper,
] as const satisfies readonly (keyof Tool)[];

/** One that changes what it names, and one that only reads it. */
type Kind = 'Change' | 'Look';
type Member = (typeof members)[number];

/** What becomes of a call: it runs at once, when a person has said yes, or not at all. */
type Fate = 'runs' | 'asked' | 'refused';
type Fates = Readonly<Record<PermissionMode, Fate>>;

function always(fate: Fate): Fates {
  return Object.fromEntries(permissionModes.map((mode) => [mode, fate])) as Fates;
}

/** Of the tool as it should be. */
const whole = {
  Change: {
    default: 'asked',
    acceptEdits: 'asked',
    plan: 'refused',
    auto: 'asked',
    dontAsk: 'refused',
    bypassPermissions: 'runs',
  },
  Look: always('runs'),
} as const satisfies Record<Kind, Fates>;

/** A person is asked in every mode; where nobody may be asked it is refused. */
const everAsked: Fates = { ...always('asked'), dontAsk: 'refused' };

/** What becomes of a call of a tool whose `member` fails. */
function fatesOf(kind: Kind, member: Member): Fates {
  switch (member) {
    case 'validateInput':
    case 'requiresUserInteraction':
      return always('refused');
    case 'checkPermissions':
    // A rule that asks about another path may be about this one.
    case 'getPath':
    case 'preparePermissionMatcher':
      return everAsked;
    case 'isReadOnly':
      return whole.Change;
    case 'isOpenWorld':
      // As one that reaches the network; for the other kind that makes no difference.
      return kind === 'Look' ? { ...everAsked, bypassPermissions: 'runs' } : whole.Change;
    default:
      return whole[kind];
  }
}

describe('a tool that fails', () => {
  const kinds = { Change: changeTool, Look: lookTool };
  const cases = (['Change', 'Look'] as const satisfies Kind[]).flatMap((kind) =>
    members.flatMap((member) => permissionModes.map((mode) => ({ kind, member, mode }))),
  );

  it.each(cases)(
    '$kind in $member, in mode $mode, answers its call once, gains nothing and stops nobody',
    async ({ kind, member, mode }) => {
      const fate = fatesOf(kind, member)[mode];
      for (const answer of ['allow', 'deny'] as const) {
        let runs = 0;
        const fail = () => {
          throw new Error('out of order');
        };
        const call = () => {
          runs += 1;
          return member === 'call' ? fail() : Promise.resolve({ data: 'done' });
        };
        const failing = here(kinds[kind](), { [member]: fail, call });
        const calls = [callOf(kind, { path: 'a' }), callOf('Healthy', {})];
        const { end, results, asked } = await run([failing, healthy], calls, {
          permissionMode: mode,
          settings: { permissions: { ask: [`${kind}(b)`] } },
          answer,
        });
        expect(end).toBe('completed');
        expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual([kind, 'Healthy']);
        expect(results[1]?.content).toBe('done');
        const isRun = fate === 'runs' || (fate === 'asked' && answer === 'allow');
        expect([answer, { runs, asked }]).toEqual([
          answer,
          { runs: isRun ? 1 : 0, asked: fate === 'asked' ? 1 : 0 },
        ]);
        // What can't be said of a call can't be said to have gone well.
        const isDone = isRun && member !== 'call' && member !== mapper;
        const { content, is_error = false } = results[0] ?? {};
        expect([answer, content === 'done', is_error]).toEqual([answer, isDone, !isDone]);
      }
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
  beforeEach(() => {
    seen = undefined;
  });
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
