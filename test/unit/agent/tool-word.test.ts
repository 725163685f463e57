// A tool's own word (`checkPermissions`) holds whoever else speaks of the call. What it denies
// nobody's yes lets through, and what it puts in the input's place is what runs.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { HooksOption } from '../../../src/agent/hooks/hooks.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { CallContext } from '../../../src/core/tool/context.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { CanUseTool, ToolPermissionResult } from '../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const schema = z.strictObject({ path: z.string() });

interface Own {
  readonly tool: Tool;
  /** The paths that it ran with. */
  readonly ran: string[];
}

/** It reaches out, and names a file. */
function ownTool(check: (path: string) => ToolPermissionResult): Own {
  const ran: string[] = [];
  const tool = buildTool({
    name: 'Own',
    inputSchema: schema,
    alwaysLoad: true,
    getPath: (input) => input.path,
    isOpenWorld: () => true,
    toAutoClassifierInput: (input) => input,
    checkPermissions: async ({ path }) => check(path),
    description: async () => 'Runs.',
    prompt: async () => '',
    call: async ({ path }) => {
      ran.push(path);
      return { data: 'ran' };
    },
    mapToolResultToToolResultBlockParam: (content, tool_use_id) => ({
      type: 'tool_result',
      tool_use_id,
      content: String(content),
    }),
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
  return { tool, ran };
}

/** What has text from outside come into the conversation. */
const tainting = buildTool({
  ...ownTool(() => ({ behavior: 'allow' })).tool,
  name: 'Fetch',
} as unknown as ToolDef<typeof schema>) as unknown as Tool;

interface Asking {
  readonly path?: string;
  readonly options?: HookedOptions;
  readonly isTainted?: true;
}

/** What has the call asked about, before the tool would. */
const questions: Record<string, Asking> = {
  'an ask rule': { options: { settings: { permissions: { ask: ['Own'] } } } },
  'a protected path': { path: '.claude/settings.json' },
  'the egress policy': { options: { egress: 'ask' }, isTainted: true },
  'a hook': {
    options: {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
              }),
            ],
          },
        ],
      },
    },
  },
  nothing: {},
};

const yes: CanUseTool = async () => ({ behavior: 'allow' });

/** Who says yes. */
const answers: Record<string, HookedOptions> = {
  'a person': { canUseTool: yes },
  'a person who gives the input back': {
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: { ...input } }),
  },
  'a PermissionRequest hook': {
    hooks: {
      PermissionRequest: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: {
                hookEventName: 'PermissionRequest',
                decision: { behavior: 'allow' },
              },
            }),
          ],
        },
      ],
    },
  },
  'a classifier': {
    permissionMode: 'auto',
    autoClassifier: async () => ({ behavior: 'allow', message: 'It is harmless.' }),
    canUseTool: yes,
  },
};

const ways = Object.keys(questions).flatMap((asked) =>
  Object.keys(answers).flatMap((answered) =>
    (['the model', 'a cell', 'a tool'] as const).map(
      (caller) => [asked, answered, caller] as const,
    ),
  ),
);

async function play(own: Own, asked: string, answered: string, caller: string) {
  await using host = await openHost();
  const { path = 'a.txt', options = {}, isTainted } = questions[asked]!;
  const answer = answers[answered]!;
  const hooks: HooksOption = { ...options.hooks, ...answer.hooks };
  const deputy = buildTool({
    ...own.tool,
    name: 'Deputy',
    isReadOnly: () => true,
    isOpenWorld: () => false,
    checkPermissions: async () => ({ behavior: 'allow' }),
    call: async (input: { path: string }, context: CallContext) => ({
      data: await context.callTool('Own', input),
    }),
  } as unknown as ToolDef<typeof schema>) as unknown as Tool;
  const turns = {
    'the model': callTool('Own', { path }),
    'a cell': callTool('Repl', { code: `await tools.Own({ path: '${path}' })` }),
    'a tool': callTool('Deputy', { path }),
  };
  const before = isTainted ? [callTool('Fetch', { path: 'x' }, 'before')] : [];
  const { messages } = await runHooked(host, [...before, turns[caller as keyof typeof turns]], {
    ...options,
    ...answer,
    ...(Object.keys(hooks).length > 0 && { hooks }),
    tools: [...(await host.loadTools()), own.tool, deputy, tainting],
  });
  return toResults(messages).at(-1) ?? '';
}

describe('what the tool denies', () => {
  it.each(ways)('isn’t run, though %s has it asked, %s says yes, and %s calls', async (...way) => {
    const own = ownTool(() => ({ behavior: 'deny', message: 'Never on a Sunday.' }));
    const result = await play(own, ...way);
    expect([own.ran, result]).toEqual([[], expect.stringContaining('Never on a Sunday.')]);
  });
});

describe('what the tool puts in the input’s place', () => {
  it.each(ways)(
    'is what runs, once, where %s has it asked, %s says yes, and %s calls',
    async (...way) => {
      // Not the same each time, so that a second one would show.
      const own = ownTool((path) => ({ behavior: 'allow', updatedInput: { path: `${path}.own` } }));
      await play(own, ...way);
      const { path = 'a.txt' } = questions[way[0]]!;
      expect(own.ran).toEqual([`${path}.own`]);
    },
  );
});

describe('what the tool allows in plan mode', () => {
  it.each<[string, Partial<ToolDef<typeof schema>>, boolean]>([
    ['changes files', { isOpenWorld: () => false }, false],
    ['changes the outside', {}, false],
    ['reads', { isOpenWorld: () => false, isReadOnly: () => true }, true],
    ['reads the outside', { isReadOnly: () => true }, true],
    ['says that it changes the session alone', { changesOnlySession: () => true }, true],
    [
      'fails to say so',
      {
        changesOnlySession: () => {
          throw new Error('no idea');
        },
      },
      false,
    ],
  ])('holds as it should for a call that %s', async (_, members, runs) => {
    await using host = await openHost();
    const { tool, ran } = ownTool(() => ({ behavior: 'allow' }));
    const own = buildTool({ ...tool, ...members } as unknown as ToolDef<typeof schema>);
    const { messages } = await runHooked(host, [callTool('Own', { path: 'a.txt' })], {
      permissionMode: 'plan',
      tools: [...(await host.loadTools()), own as unknown as Tool],
    });
    expect(ran).toEqual(runs ? ['a.txt'] : []);
    if (!runs) expect(toResults(messages)[0]).toContain('the permission mode is plan');
  });
});
