// Permission for what a cell really changed.
import { describe, expect, it } from 'vitest';
import { authorizeChanges } from '../../../src/agent/calls/authorize-changes.ts';
import { authorize } from '../../../src/agent/calls/authorize.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import type { Change, FileChange } from '../../../src/core/change-set.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { createTestSession, testContext } from '../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../support/stages/test-session.ts';
import { cellTool, plainTool } from '../../support/stages/test-tools.ts';
import { validCall } from '../../support/stages/valid-call.ts';

type Answers = Parameters<typeof createScriptedAnswers>[0];

function write(path: string, baseVersion = 1): Change {
  const content = new Uint8Array();
  return {
    type: 'write',
    path: `/workspace/${path}`,
    baseVersion,
    content,
    mode: 0o644,
    mtimeMs: 0,
  };
}

interface JudgeOptions {
  readonly tool?: Tool;
  readonly diffs?: readonly FileChange[];
  /** Names in the workspace. */
  readonly losses?: readonly string[];
  readonly requester?: Tool;
  /** While the question is open. */
  readonly onAsk?: (session: Session) => void;
}

async function judge(
  changes: readonly Change[],
  options: TestSessionOptions = {},
  answers: Answers = [],
  { tool = cellTool(), diffs = [], losses = [], requester, onAsk }: JudgeOptions = {},
) {
  const { canUseTool, asked } = createScriptedAnswers(answers);
  const session: Session = await createTestSession({
    canUseTool: (...question) => {
      onAsk?.(session);
      return canUseTool(...question);
    },
    ...options,
  });
  const context = testContext(session);
  const call = await authorize(
    { ...validCall(tool), ...(requester && { requester }) },
    context,
    session,
  );
  if (call.stage !== 'allowed') throw new Error(`Not allowed: ${String(call.result.content)}`);
  const { signal } = context.abortController;
  const decision = await authorizeChanges(
    call,
    {
      changeSet: { baseSeq: 1, changes },
      fileChanges: diffs,
      losses: new Set(losses.map((path) => `/workspace/${path}`)),
      isOnlyForLosses: false,
      deeds: [],
    },
    session,
    signal,
  );
  const told =
    decision.type === 'refused' ? decision.denial.message : decision.type === 'kept' && 'kept';
  return { told, asked };
}

describe('authorizeChanges', () => {
  it.each<[string, TestSessionOptions, string]>([
    ['acceptEdits', { permissionMode: 'acceptEdits' }, 'kept'],
    ['bypassPermissions', { permissionMode: 'bypassPermissions' }, 'kept'],
    ['an allow rule on Edit', { allowedTools: ['Edit(src/**)'] }, 'kept'],
    ['an allow rule on Write with a path', { allowedTools: ['Write(src/**)'] }, 'kept'],
    ['an allow rule on what the tool writes', { allowedTools: ['Cell(fs.write:src/*)'] }, 'kept'],
    ['an allow rule on the tool', { allowedTools: ['Cell'] }, 'kept'],
    [
      'plan mode',
      { permissionMode: 'plan', allowedTools: ['Edit'] },
      'What Cell changed was refused: the permission mode is plan. None of its changes were kept (src/a.ts).',
    ],
    [
      'dontAsk',
      { permissionMode: 'dontAsk' },
      'What Cell changed was refused: the permission mode is dontAsk. None of its changes were kept (src/a.ts).',
    ],
    ['dontAsk with an allow rule', { permissionMode: 'dontAsk', allowedTools: ['Edit'] }, 'kept'],
    [
      'a deny rule, whatever allows it',
      {
        permissionMode: 'bypassPermissions',
        allowedTools: ['Edit'],
        disallowedTools: ['Edit(src)'],
      },
      "What Cell changed was refused: the deny rule Edit(src) says so (the session's options). None of its changes were kept (src/a.ts).",
    ],
  ])('goes by %s', async (_, options, expected) => {
    const { told, asked } = await judge([write('src/a.ts')], options);
    expect([told, asked]).toEqual([expected, []]);
  });

  it('refuses all changes when one path is denied', async () => {
    const options = {
      permissionMode: 'acceptEdits',
      disallowedTools: ['Edit(secrets/**)'],
    } as const;
    const { told } = await judge([write('src/a.ts'), write('secrets/key')], options);
    expect(told).toBe(
      "What Cell changed was refused: the deny rule Edit(secrets/**) says so (the session's options). None of its changes were kept (secrets/key).",
    );
  });

  it('refuses what the view would have refused', async () => {
    const outside: Change = { type: 'remove', path: '/etc/passwd', baseVersion: 3 };
    const { told } = await judge([outside], { permissionMode: 'bypassPermissions' });
    expect(told).toContain('/etc/passwd is out of reach');
    const readOnly = cellTool({ isReadOnly: () => true });
    const options = { permissionMode: 'bypassPermissions' } as const;
    const forged = await judge([write('a')], options, [], { tool: readOnly });
    expect(forged.told).toContain('/workspace/a is out of reach');
  });

  it('asks once, with every path and the diffs that there are', async () => {
    const known: FileChange = {
      path: '/workspace/src/a.ts',
      type: 'update',
      additions: 1,
      deletions: 0,
      structuredPatch: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+x'] }],
    };
    const directory: Change = {
      type: 'mkdir',
      path: '/workspace/src',
      baseVersion: 0,
      mode: 0o755,
      mtimeMs: 0,
    };
    const gone: Change = { type: 'remove', path: '/workspace/old.ts', baseVersion: 2 };
    const changes = [directory, write('src/a.ts'), write('new.ts', 0), gone];
    const { told, asked } = await judge(changes, {}, ['allow'], { diffs: [known] });
    expect(told).toBe('kept');
    const bare = { additions: 0, deletions: 0, structuredPatch: [] };
    expect(asked.map(({ options: { signal: _, requestId: __, ...options } }) => options)).toEqual([
      {
        toolUseID: 'call-1',
        title: 'Keep what Cell changed?',
        description: 'update src/a.ts\ncreate new.ts\ndelete old.ts',
        decisionReason: 'nothing allows changing /workspace/src/a.ts yet',
        suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        changes: [
          known,
          { path: '/workspace/new.ts', type: 'create', ...bare },
          { path: '/workspace/old.ts', type: 'delete', ...bare },
        ],
      },
    ]);
  });

  it('asks about what steers the agent or git in every mode', async () => {
    const options = { permissionMode: 'bypassPermissions' } as const;
    const { told, asked } = await judge([write('.git/hooks/pre-commit')], options, ['deny']);
    expect([told, asked.length]).toEqual([
      'The user said no. None of its changes were kept (.git/hooks/pre-commit).',
      1,
    ]);
  });

  it.each<readonly [string, Change]>([
    ['a repository by another name', write('lib/config')],
    ['a .git that leads to one', write('.git')],
    [
      'a link that does',
      { type: 'symlink', path: '/workspace/.git', baseVersion: 0, target: 'lib', mtimeMs: 0 },
    ],
    ['an editor’s tasks', write('.vscode/tasks.json')],
  ])('asks in mode acceptEdits about %s', async (_, change) => {
    const { asked } = await judge([change], { permissionMode: 'acceptEdits' }, ['deny']);
    expect(asked.map(({ options }) => options.decisionReason)).toEqual([
      expect.stringContaining(`${change.path} steers`),
    ]);
  });

  it('doesn’t ask about an empty directory that has the name of such a file', async () => {
    const change = { path: '/workspace/config', baseVersion: 0, mode: 0o755, mtimeMs: 0 };
    const options = { permissionMode: 'acceptEdits' } as const;
    const { told, asked } = await judge([{ type: 'mkdir', ...change }], options);
    expect([told, asked.length]).toEqual(['kept', 0]);
  });

  it('takes no other input for a call that has run', async () => {
    const answer = { behavior: 'allow', updatedInput: { value: 1 } } as const;
    const { told } = await judge([write('a')], {}, [answer]);
    expect(told).toBe(
      'The answer changed the input of a call that has run already. None of its changes were kept (a).',
    );
  });

  it.each<[string, (session: Session) => void, string]>([
    [
      'a deny rule',
      ({ permissions }) =>
        permissions.update([
          {
            type: 'addRules',
            behavior: 'deny',
            rules: [{ toolName: 'Edit', ruleContent: 'a' }],
            destination: 'session',
          },
        ]),
      'What Cell changed was refused: the deny rule Edit(a) says so (set during this session). None of its changes were kept (a).',
    ],
    [
      'plan mode',
      ({ permissions }) => permissions.setMode('plan'),
      'What Cell changed was refused: the permission mode is plan. None of its changes were kept (a).',
    ],
  ])('goes by %s that was set while it was asked', async (_, onAsk, expected) => {
    const { told } = await judge([write('a')], {}, ['allow'], { onAsk });
    expect(told).toBe(expected);
  });

  it('asks again where another rule asks by then', async () => {
    let round = 0;
    const onAsk = ({ permissions }: Session) => {
      round += 1;
      if (round > 1) return;
      const rules = [{ toolName: 'Edit', ruleContent: 'a' }];
      permissions.update([{ type: 'addRules', behavior: 'ask', rules, destination: 'session' }]);
    };
    const { told, asked } = await judge([write('a')], {}, ['allow', 'deny'], { onAsk });
    expect(told).toBe('The user said no. None of its changes were kept (a).');
    expect(asked.map(({ options }) => options.matchedAskRule ?? options.decisionReason)).toEqual([
      'nothing allows changing /workspace/a yet',
      'the ask rule Edit(a) says so (set during this session)',
    ]);
  });

  it.each(['acceptEdits', 'bypassPermissions', 'auto'] as const)(
    'doesn’t take %s for a server’s',
    async (permissionMode) => {
      const requester = plainTool({
        name: 'mcp__disk__put',
        isMcp: true,
        mcpInfo: { serverName: 'disk', toolName: 'put' },
      });
      const options = {
        permissionMode,
        autoClassifier: async () => ({ behavior: 'allow', message: '' }) as const,
      };
      const { told, asked } = await judge([write('a')], options, ['deny'], { requester });
      expect(told).toBe('The user said no. None of its changes were kept (a).');
      expect(
        asked.map(({ options: { principal, suggestions } }) => [principal, suggestions]),
      ).toEqual([[{ kind: 'remote', serverName: 'disk' }, undefined]]);
    },
  );
});
