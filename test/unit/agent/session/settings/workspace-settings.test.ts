// Settings that a workspace brings along: they tighten, and loosen only once a person trusts them.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../../src/agent/query.ts';
import type {
  QueryOptions,
  WorkspaceTrustQuestion,
} from '../../../../../src/agent/query-options.ts';
import { createInlineHost } from '../../../../../src/hosts/inline/create-inline-host.ts';
import { createPermissionState } from '../../../../../src/agent/permissions/permission-state.ts';
import { readWorkspaceSettings } from '../../../../../src/agent/session/settings/workspace-settings.ts';
import { listUpdates } from '../../../../../src/agent/session/settings/settings.ts';
import { formatRule } from '../../../../../src/core/permissions/rule.ts';
import { createMemoryWorkspace } from '../../../../../src/workspace/memory-workspace.ts';
import { createEventModel } from '../../../../support/stages/test-session.ts';

async function read(
  files: Readonly<Record<string, unknown>>,
  trustWorkspace?: QueryOptions['trustWorkspace'],
  controller = new AbortController(),
) {
  const { fs } = await createMemoryWorkspace();
  await fs.mkdir('/workspace/.claude', { recursive: true });
  for (const [name, settings] of Object.entries(files)) {
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    await fs.writeFile(`/workspace/.claude/${name}`, text);
  }
  const sources = ['project', 'local'] as const;
  const { signal } = controller;
  const given = { fs, cwd: '/workspace', sources, definitions: [], trustWorkspace, signal };
  const { updates } = await readWorkspaceSettings(given);
  const empty = { mode: 'default', rules: [], additionalWorkingDirectories: new Map() } as const;
  const state = createPermissionState(empty, '/workspace');
  state.update(updates);
  const { mode, rules, additionalWorkingDirectories } = state.current();
  return {
    mode,
    rules: rules.map((rule) => `${rule.behavior} ${formatRule(rule)} (${rule.source})`),
    directories: [...additionalWorkingDirectories],
  };
}

const project = {
  permissions: {
    allow: ['Edit(src/**)', 'Bash(npm test)'],
    deny: ['Read(.env)'],
    ask: ['Edit(package.json)'],
    additionalDirectories: ['/docs'],
    defaultMode: 'acceptEdits',
  },
  hooks: { Stop: [] },
};
const tight = ['deny Read(.env) (projectSettings)', 'ask Edit(package.json) (projectSettings)'];

describe('settings of the workspace', () => {
  it('need not be there', async () => {
    expect(await read({})).toEqual({ mode: 'default', rules: [], directories: [] });
  });

  it('may begin with a byte order mark', async () => {
    const { rules } = await read({ 'settings.json': `\uFEFF${JSON.stringify(project)}` });
    expect(rules).toEqual(tight);
  });

  it.each([
    ['nobody is asked', undefined],
    ['a person says no', () => false],
    ['the answer is no yes', () => 'yes' as unknown as boolean],
  ])('only tighten where %s', async (_, trust) => {
    const settings = await read({ 'settings.json': project }, trust);
    expect(settings).toEqual({ mode: 'default', rules: tight, directories: [] });
  });

  it('loosen too where a person trusts exactly these files', async () => {
    const questions: WorkspaceTrustQuestion[] = [];
    const trust = (question: WorkspaceTrustQuestion) => questions.push(question) > 0;
    const local = { permissions: { allow: ['Repl'] } };
    const files = { 'settings.json': project, 'settings.local.json': local };
    expect(await read(files, trust)).toEqual({
      mode: 'acceptEdits',
      rules: [...tight, 'allow Edit(src/**) (projectSettings)', 'allow Repl (localSettings)'],
      directories: [['/docs', 'projectSettings']],
    });
    expect(questions).toEqual([
      {
        hash: expect.stringMatching(/^[\da-f]{64}$/),
        paths: ['/workspace/.claude/settings.json', '/workspace/.claude/settings.local.json'],
        allow: ['Edit(src/**)', 'Repl'],
        cannotHold: ['Bash(npm test)'],
        additionalDirectories: ['/docs'],
        mode: 'acceptEdits',
        definitions: [],
      },
    ]);
    await read(files, trust);
    await read({ ...files, 'settings.local.json': { permissions: { allow: ['Edit'] } } }, trust);
    const [first, same, changed] = questions.map(({ hash }) => hash);
    expect([same === first, changed === first]).toEqual([true, false]);
  });

  it('only tighten where the query is ended while a person thinks about it', async () => {
    const controller = new AbortController();
    const trust = (_question: WorkspaceTrustQuestion, signal: AbortSignal) => {
      queueMicrotask(() => controller.abort());
      expect(signal).toBe(controller.signal);
      return new Promise<boolean>(() => undefined);
    };
    const settings = await read({ 'settings.json': project }, trust, controller);
    expect(settings).toEqual({ mode: 'default', rules: tight, directories: [] });
  });

  it('that loosen nothing are not asked about', async () => {
    const trust = () => {
      throw new Error('asked');
    };
    const onlyTight = { permissions: { deny: ['Edit'] } };
    expect((await read({ 'settings.json': onlyTight }, trust)).rules).toEqual([
      'deny Edit (projectSettings)',
    ]);
  });

  it.each([
    ['no JSON', '{'],
    ['another kind of file', '[]'],
    ['a list that is none', { permissions: { deny: 'Edit' } }],
    ['a rule that is none', { permissions: { deny: ['Edit('] } }],
    ['a rule that cannot hold', { permissions: { deny: ['WebFetch(curl *)'] } }],
    ['no mode', { permissions: { defaultMode: 'yolo' } }],
    ['too much', `${' '.repeat(64 * 1024)}{}`],
  ])('are refused by the file’s name where they are %s', async (_, settings) => {
    await expect(read({ 'settings.json': settings })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('/workspace/.claude/settings.json'),
    });
  });
});

it('what is wrong with a file and what to do are sentences of their own', async () => {
  await expect(read({ 'settings.json': '{bad json' })).rejects.toThrow(
    /^The settings in \S+ can't be understood: .+\)?\. Mend the file, /u,
  );
});

describe('definitions of the workspace', () => {
  const skill = {
    path: '/workspace/.claude/skills/a/SKILL.md',
    allow: ['Repl'],
    cannotHold: [],
    text: 'One.',
  };

  async function ask(definitions: readonly (typeof skill)[], answer: boolean) {
    const { fs } = await createMemoryWorkspace();
    const questions: WorkspaceTrustQuestion[] = [];
    const { updates, trust } = await readWorkspaceSettings({
      fs,
      cwd: '/workspace',
      sources: ['project'],
      definitions,
      trustWorkspace: (question) => {
        questions.push(question);
        return answer;
      },
      signal: new AbortController().signal,
    });
    expect(updates).toEqual([]);
    return { trust, questions };
  }

  it('are asked about with the settings, and a yes is to the texts as they are', async () => {
    const { trust, questions } = await ask([skill], true);
    const { text, ...definition } = skill;
    expect(questions).toMatchObject([{ paths: [skill.path], definitions: [definition] }]);
    expect(questions[0]?.definitions[0]).not.toHaveProperty('text');
    const answers = [
      trust.isTrusted(skill.path, text),
      trust.isTrusted(skill.path, 'Two.'),
      trust.isTrusted('/workspace/.claude/skills/b/SKILL.md', text),
    ];
    expect(await Promise.all(answers)).toEqual([true, false, false]);
    const changed = await ask([{ ...skill, text: 'Two.' }], true);
    expect(changed.questions[0]?.hash).not.toBe(questions[0]?.hash);
  });

  it('aren’t trusted after a no, nor asked about where none would loosen anything', async () => {
    const refused = await ask([skill], false);
    expect(await refused.trust.isTrusted(skill.path, skill.text)).toBe(false);
    expect((await ask([], true)).questions).toEqual([]);
  });
});

describe('settings of the host', () => {
  const told = async (
    options: Pick<QueryOptions, 'settings' | 'managedSettings' | 'permissionMode'>,
  ) => {
    const host = await createInlineHost();
    const { updates } = await listUpdates(
      { host, model: createEventModel([]), ...options },
      {
        permissions: { isInitial: () => true },
        fs: host.workspace.fs,
        cwd: host.cwd,
        scopes: [],
        signal: new AbortController().signal,
      },
    );
    await host[Symbol.asyncDispose]();
    return updates;
  };
  const settings = {
    permissions: { defaultMode: 'plan', additionalDirectories: ['/docs'], allow: ['Repl'] },
  } as const;
  const directories = {
    type: 'addDirectories',
    directories: ['/docs'],
    destination: 'userSettings',
  };
  const { additionalDirectories } = settings.permissions;
  const managedSettings = {
    permissions: { defaultMode: 'dontAsk', additionalDirectories },
  } as const;
  const mode = (name: string) => ({ type: 'setMode', mode: name, destination: 'userSettings' });

  it('may name a mode and directories, and the policy has the last word', async () => {
    expect(await told({ settings })).toEqual([mode('plan')]);
    expect(await told({ settings, managedSettings })).toEqual([
      mode('plan'),
      directories,
      mode('dontAsk'),
    ]);
  });

  it('leave the mode that the caller chose', async () => {
    expect(await told({ settings, managedSettings, permissionMode: 'default' })).toEqual([
      directories,
    ]);
  });
});

describe('settingSources', () => {
  const open = async (options: Partial<QueryOptions>) => {
    const host = await createInlineHost();
    await host.workspace.fs.mkdir('/workspace/.claude');
    await host.workspace.fs.writeFile(
      '/workspace/.claude/settings.json',
      JSON.stringify({ permissions: { deny: ['Edit'], defaultMode: 'plan' } }),
    );
    const model = createEventModel([]);
    const conversation = query({ prompt: 'Go.', options: { host, model, ...options } });
    const { value } = await conversation.next();
    conversation.close();
    return value;
  };

  it('hold for the query that names them, and what the caller chose stands above them', async () => {
    const trusted = { settingSources: ['project'], trustWorkspace: () => true } as const;
    expect(await open({})).toMatchObject({ permissionMode: 'default' });
    expect(await open(trusted)).toMatchObject({ permissionMode: 'plan' });
    expect(await open({ ...trusted, permissionMode: 'default' })).toMatchObject({
      permissionMode: 'default',
    });
  });

  it('change no mode that was set before the query began, or while it did', async () => {
    const host = await createInlineHost();
    const model = createEventModel([]);
    for (const [mode, hasBegun] of [
      ['plan', false],
      // Also the one that it has anyhow.
      ['default', false],
      ['plan', true],
    ] as const) {
      const settings = { permissions: { defaultMode: 'bypassPermissions' } } as const;
      const conversation = query({ prompt: 'Go.', options: { host, model, settings } });
      const opened = hasBegun ? conversation.next() : undefined;
      await conversation.setPermissionMode(mode);
      const { value } = await (opened ?? conversation.next());
      expect(value).toMatchObject({ permissionMode: mode });
      conversation.close();
    }
    await host[Symbol.asyncDispose]();
  });

  it('refuse what names no file', async () => {
    await expect(open({ settingSources: ['global' as never] })).rejects.toThrow(
      'settingSources has "global"',
    );
  });
});
