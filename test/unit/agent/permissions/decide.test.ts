// What each mode makes of each class of call, and how rules and the tool's own word change it. The
// tables are the documentation: deny, ask, the tool, mode, allow, question.
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../src/agent/permissions/decide.ts';
import { explainReason } from '../../../../src/trace/explain-reason.ts';
import type { PermissionMode } from '../../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { createTestSession, testContext } from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const classes = {
  reads: lookTool(),
  'reads the network': lookTool({ isOpenWorld: () => true }),
  edits: changeTool(),
  'acts otherwise': plainTool(),
  'is judged at commit': cellTool(),
  'reaches out and is judged at commit': cellTool({ isOpenWorld: () => true }),
} as const;

type Class = keyof typeof classes;

async function decideOn(tool: Tool, options: TestSessionOptions, input = {}) {
  const session = await createTestSession({ tools: [tool], ...options });
  const call = validCall(tool, { path: 'src/a.ts', ...input });
  const { permissions, place } = session;
  return decide(call, permissions.current(), testContext(session), place.rulesFrom);
}

describe('decide, without rules', () => {
  it.each<[PermissionMode, Record<Class, string>]>([
    [
      'default',
      {
        reads: 'allow',
        'reads the network': 'ask',
        edits: 'ask',
        'acts otherwise': 'ask',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'ask',
      },
    ],
    [
      'acceptEdits',
      {
        reads: 'allow',
        'reads the network': 'ask',
        edits: 'allow',
        'acts otherwise': 'ask',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'ask',
      },
    ],
    [
      'plan',
      {
        reads: 'allow',
        'reads the network': 'ask',
        edits: 'deny',
        'acts otherwise': 'deny',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'deny',
      },
    ],
    [
      // Without a classifier auto mode asks as the default mode does.
      'auto',
      {
        reads: 'allow',
        'reads the network': 'ask',
        edits: 'ask',
        'acts otherwise': 'ask',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'ask',
      },
    ],
    [
      'dontAsk',
      {
        reads: 'allow',
        'reads the network': 'deny',
        edits: 'deny',
        'acts otherwise': 'deny',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'deny',
      },
    ],
    [
      'bypassPermissions',
      {
        reads: 'allow',
        'reads the network': 'allow',
        edits: 'allow',
        'acts otherwise': 'allow',
        'is judged at commit': 'allow',
        'reaches out and is judged at commit': 'allow',
      },
    ],
  ])('in mode %s', async (permissionMode, expected) => {
    const decided = await Promise.all(
      Object.entries(classes).map(async ([name, tool]) => {
        const { behavior } = await decideOn(tool, { permissionMode });
        return [name, behavior];
      }),
    );
    expect(Object.fromEntries(decided)).toEqual(expected);
  });
});

describe('decide, in mode acceptEdits', () => {
  it('asks for a tool that names a file but runs on this thread: what it does isn’t known', async () => {
    const { runsIn: _, ...rest } = changeTool() as Tool & { runsIn: 'worker' };
    const tool: Tool = { ...rest, call: () => Promise.resolve({ data: 1 }) };
    expect((await decideOn(tool, { permissionMode: 'acceptEdits' })).behavior).toBe('ask');
  });
});

describe('decide, with rules', () => {
  const deny = ['Change(src/**)'];
  const settings = { permissions: { ask: ['Change(src/**)'] } };

  it.each<[PermissionMode, string]>([
    ['default', 'deny'],
    ['acceptEdits', 'deny'],
    ['bypassPermissions', 'deny'],
    ['dontAsk', 'deny'],
  ])(
    'denies what a rule denies in mode %s, whatever allows it',
    async (permissionMode, expected) => {
      const options = { permissionMode, disallowedTools: deny, allowedTools: ['Change'] };
      expect((await decideOn(changeTool(), { ...options, settings })).behavior).toBe(expected);
    },
  );

  it.each<[PermissionMode, string]>([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['bypassPermissions', 'ask'],
    ['dontAsk', 'deny'],
  ])('asks what a rule asks in mode %s, whatever allows it', async (permissionMode, expected) => {
    const options = { permissionMode, settings, allowedTools: ['Change'] };
    expect((await decideOn(changeTool(), options)).behavior).toBe(expected);
  });

  it('allows what a rule allows, and plan mode is asked before it', async () => {
    const allowedTools = ['Change(src/**)'];
    expect((await decideOn(changeTool(), { allowedTools })).behavior).toBe('allow');
    const plan = { allowedTools, permissionMode: 'plan' } as const;
    expect((await decideOn(changeTool(), plan)).behavior).toBe('deny');
    expect((await decideOn(changeTool(), { allowedTools }, { path: 'b' })).behavior).toBe('ask');
  });
});

describe('decide, with the tool’s own word', () => {
  const says = (result: object) => ({ checkPermissions: () => Promise.resolve(result as never) });

  it.each([
    ['deny', {}, 'deny'],
    ['ask', {}, 'ask'],
    ['allow', {}, 'allow'],
    ['deny', { permissionMode: 'bypassPermissions' }, 'deny'],
    ['ask', { permissionMode: 'bypassPermissions' }, 'ask'],
    ['ask', { allowedTools: ['Plain'] }, 'ask'],
    ['allow', { permissionMode: 'plan' }, 'deny'],
    ['allow', { disallowedTools: ['Plain'] }, 'deny'],
    ['allow', { settings: { permissions: { ask: ['Plain'] } } }, 'ask'],
  ] as const)('%s under %j: %s', async (behavior, options, expected) => {
    const tool = plainTool(says({ behavior, message: 'because.' }));
    expect((await decideOn(tool, options)).behavior).toBe(expected);
  });

  it('asks for a tool that needs a person even in bypassPermissions', async () => {
    const tool = plainTool({ requiresUserInteraction: () => true });
    const { behavior } = await decideOn(tool, { permissionMode: 'bypassPermissions' });
    expect(behavior).toBe('ask');
  });

  it('asks when the tool’s own check fails', async () => {
    const tool = plainTool({ checkPermissions: () => Promise.reject(new Error('x')) });
    const { behavior } = await decideOn(tool, { permissionMode: 'bypassPermissions' });
    expect(behavior).toBe('ask');
  });
});

describe('decide, on what steers the agent or git', () => {
  it.each([
    '.git/config',
    'vendor/x/.git/hooks/pre-commit',
    '.claude/settings.json',
    '.mcp.json',
    // What a disk may take for the same.
    '.GIT/Hooks/pre-commit',
    '.Git/hoo\u212a\u017f/pre-commit',
    '.CLAUDE/settings.json',
    '.MCP.json',
  ])('asks before %s is written, in every mode and whatever allows it', async (path) => {
    const options = { permissionMode: 'bypassPermissions', allowedTools: ['Change'] } as const;
    const decision = await decideOn(changeTool(), options, { path });
    expect(decision).toMatchObject({ behavior: 'ask', reason: { path: `/workspace/${path}` } });
  });

  it('lets it be read', async () => {
    expect((await decideOn(lookTool(), {}, { path: '.git/config' })).behavior).toBe('allow');
  });
});

describe('explain', () => {
  it('says in a sentence why a call was refused', async () => {
    const decision = await decideOn(changeTool(), { disallowedTools: ['Edit(./src/**)'] });
    if (decision.behavior !== 'deny') throw new Error('It was not denied.');
    expect(explainReason(decision.reason)).toBe(
      "the deny rule Edit(./src/**) says so (the session's options)",
    );
    expect(decision.message).toBe(
      "Change was refused: the deny rule Edit(./src/**) says so (the session's options). Do without it, or say what you would need it for.",
    );
  });
});
