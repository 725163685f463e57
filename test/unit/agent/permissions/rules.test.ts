import { describe, expect, it } from 'vitest';
import type { PermissionsRecord } from '../../../../src/core/session/journal.ts';
import { createPermissionState } from '../../../../src/agent/permissions/permission-state.ts';
import { parseRules } from '../../../../src/agent/permissions/rules.ts';
import type {
  PermissionMode,
  PermissionRule,
  PermissionUpdate,
  ToolPermissionContext,
} from '../../../../src/core/permissions/permission.ts';

const empty: ToolPermissionContext = {
  mode: 'default',
  rules: [],
  additionalWorkingDirectories: new Map(),
};
const rule = (toolName: string, ruleContent?: string): PermissionRule => ({
  toolName,
  ...(ruleContent !== undefined && { ruleContent }),
  behavior: 'allow',
  source: 'session',
});

describe('parseRules', () => {
  it('takes a denied shell for the Repl, which stands where shells did', () => {
    expect(parseRules(['Bash', 'PowerShell'], 'deny', 'cliArg')).toEqual([
      { toolName: 'Repl', behavior: 'deny', source: 'cliArg' },
      { toolName: 'Repl', behavior: 'deny', source: 'cliArg' },
    ]);
  });

  it.each([
    ['Bash(npm run *)', 'deny'],
    ['Bash', 'allow'],
    ['Bash(ls)', 'allow'],
    ['Edit(', 'deny'],
  ] as const)('refuses %s as a rule that should %s', (text, behavior) => {
    expect(() => parseRules([text], behavior, 'cliArg')).toThrow(text);
  });
});

it.each<[string, unknown, string]>([
  ['no list', 'Edit', "The rules that should allow are no list. Write ['Edit(src/**)']."],
  ['null', null, "The rules that should allow are no list. Write ['Edit(src/**)']."],
  ['a number', [7], '"7" is not a permission rule.'],
  ['nothing', [undefined], '"undefined" is not a permission rule.'],
  ['an object', [{ toolName: 'Edit' }], '"[object Object]" is not a permission rule.'],
  ['an empty text', [''], '"" is not a permission rule.'],
  ['an empty content', ['Edit()'], '"Edit()" is not a permission rule.'],
  ['no host', ['Repl(net:)'], "The rule Repl(net:) can't hold: it names no capability."],
  [
    'a page without a host',
    ['WebFetch(a.net)'],
    "The rule WebFetch(a.net) can't hold: it names no host.",
  ],
  [
    'a page of no host',
    ['WebFetch(domain:a.net/x)'],
    'Write domain:example.com, domain:*.example.com',
  ],
  [
    'no capability',
    ['Repl(src/**)'],
    'names no capability. Write fs.write:src/**, fs.remove:dist/**, net:',
  ],
  ['no tool', ['Repl(tools:)'], 'it names no capability'],
  ['no command', ['Repl(git:)'], 'it names no capability'],
  ['no command', ['Repl(git:push --force)'], 'it names no capability'],
  ['no file', ['Repl(fs.write:)'], 'it names no capability'],
  [
    'a long pattern',
    [`Read(${'a'.repeat(501)})`],
    'its pattern has 501 characters, and at most 500',
  ],
  ['a climb', ['Read(src/../secrets/**)'], 'can\'t hold: a ".." that isn\'t at its beginning'],
  ['a climb', ['Read(/workspace/src/../secrets)'], 'write the path without it'],
  ['a climb', ['Repl(fs.read:../a/../b)'], 'write the path without it'],
  ['a climb', ['Edit({../a,b})'], 'write the path without it'],
  ['a wildcard', ['Re*l(src/**)'], "The rule Re*l(src/**) can't hold: what stands in brackets"],
  ['__proto__(', ['__proto__('], '"__proto__(" is not a permission rule.'],
])('parseRules refuses %s, with the reason', (_, rules, message) => {
  expect(() => parseRules(rules as string[], 'allow', 'userSettings')).toThrow(message);
});

it.each([
  'Read(../a/**)',
  'Read(../../.env)',
  'Repl(fs.read:../a)',
  'Read(a..b)',
  'Read(..)',
  'Read(*/..a)',
])('parseRules takes %s', (rule) => {
  expect(parseRules([rule], 'deny', 'userSettings')).toHaveLength(1);
});

describe('createPermissionState', () => {
  it('adds, replaces and removes rules of one behavior and source', () => {
    const state = createPermissionState(empty, '/workspace');
    const update = (
      type: 'addRules' | 'replaceRules' | 'removeRules',
      ...rules: PermissionRule[]
    ) => state.update([{ type, rules, behavior: 'allow', destination: 'session' }]);
    update('addRules', rule('Edit', 'src/**'), rule('Read'));
    update('addRules', rule('Read'));
    expect(state.current().rules).toEqual([rule('Edit', 'src/**'), rule('Read')]);
    update('removeRules', rule('Read'));
    expect(state.current().rules).toEqual([rule('Edit', 'src/**')]);
    update('replaceRules', rule('Write'));
    expect(state.current().rules).toEqual([rule('Write')]);
  });

  it('tells what the session changes, and begins with it again, above options and settings', () => {
    const state = createPermissionState(empty, '/workspace');
    const told: PermissionsRecord[] = [];
    state.setMode('plan');
    state.recordBy((changes) => void told.push(changes));
    const add = (given: PermissionRule) =>
      [{ type: 'addRules', rules: [given], behavior: 'allow', destination: 'session' }] as const;
    state.update(add(rule('Read')));
    state.update([]);
    state.taint('WebFetch');
    state.taint('Grep');
    const settings = [
      { type: 'setMode', mode: 'acceptEdits', destination: 'userSettings' },
    ] as const;
    state.configure(settings);
    expect(told).toEqual([
      { type: 'permissions', updates: [], mode: 'plan' },
      { type: 'permissions', updates: add(rule('Read')) },
      { type: 'permissions', updates: [], taintedBy: 'WebFetch' },
    ]);
    const again = createPermissionState(empty, '/workspace', told);
    again.configure(settings);
    expect(again.current()).toEqual(state.current());
    expect(again.current()).toMatchObject({ mode: 'plan', taintedBy: 'WebFetch' });
    const retold: PermissionsRecord[] = [];
    again.recordBy((changes) => void retold.push(changes));
    expect(retold).toEqual([]);
  });

  it('knows the mode that plan mode gives back, until another is set', () => {
    const told: PermissionsRecord[] = [];
    const state = createPermissionState(empty, '/workspace');
    state.recordBy((changes) => void told.push(changes));
    const before = () => state.current().modeBeforePlan;
    const choose = (mode: PermissionMode) =>
      state.update([{ type: 'setMode', mode, destination: 'session' }]);
    state.setMode('acceptEdits');
    expect(before()).toBeUndefined();
    state.setMode('plan');
    state.setMode('plan');
    expect(before()).toBe('acceptEdits');
    choose('bypassPermissions');
    // The answer to the question about the plan: its call is yet to run.
    expect(before()).toBe('acceptEdits');
    expect(createPermissionState(empty, '/workspace', told).current()).toEqual(state.current());
    state.setMode('bypassPermissions');
    expect(before()).toBeUndefined();
    choose('plan');
    expect(before()).toBe('bypassPermissions');
    const planning = createPermissionState({ ...empty, mode: 'plan' }, '/workspace');
    expect(planning.current().modeBeforePlan).toBe('default');
  });

  it('leaves everything as it was when one rule of an update is refused', () => {
    const state = createPermissionState(empty, '/workspace');
    const shared = { behavior: 'allow', destination: 'session' } as const;
    expect(() =>
      state.update([
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
        { type: 'addRules', rules: [{ toolName: 'Bash' }], ...shared },
      ]),
    ).toThrow('there is no shell here');
    expect(state.current()).toBe(empty);
  });

  it('adds directories, and removes those of the same destination', () => {
    const state = createPermissionState(empty, '/workspace');
    const update = (
      type: 'addDirectories' | 'removeDirectories',
      destination: 'session' | 'userSettings',
      ...directories: string[]
    ) => state.update([{ type, directories, destination }]);
    update('addDirectories', 'userSettings', '/docs');
    update('addDirectories', 'session', '../shared/', '/docs');
    const both = new Map([
      ['/docs', 'userSettings'],
      ['/shared', 'session'],
    ]);
    expect(state.current().additionalWorkingDirectories).toEqual(both);
    update('removeDirectories', 'session', '/docs', '/shared', '/nowhere');
    expect(state.current().additionalWorkingDirectories).toEqual(
      new Map([['/docs', 'userSettings']]),
    );
  });

  it.each([
    [{ type: 'setMode', mode: 'yolo', destination: 'session' }, '"yolo" is not a permission mode'],
    [
      {
        type: 'removeRules',
        rules: [rule('Edit')],
        behavior: 'deny',
        destination: 'managedSettings',
      },
      'An update can\'t be kept in "managedSettings"',
    ],
    [
      { type: 'addDirectories', directories: [''], destination: 'session' },
      'A directory has an empty name',
    ],
    [{ type: 'forgetRules', destination: 'session' }, 'There is no update "forgetRules".'],
    [
      { type: 'addRules', rules: [], behavior: 'maybe', destination: 'session' },
      'No rule can "maybe". Use one of allow, deny, ask.',
    ],
    ...[{}, null, 7, 'Edit', { toolName: 7 }, { toolName: 'Edit(' }, { toolName: 'a b' }].flatMap(
      (bad) =>
        (['addRules', 'replaceRules', 'removeRules'] as const).map((type): [unknown, string] => [
          { type, rules: [bad], behavior: 'allow', destination: 'session' },
          typeof Object(bad).toolName === 'string'
            ? 'is not a permission rule'
            : `A rule of an update is { toolName: 'Edit', ruleContent: 'src/**' }, say, not ${JSON.stringify(bad)}.`,
        ]),
    ),
  ])('refuses an update that cannot hold: %j', (update, message) => {
    const state = createPermissionState(empty, '/workspace');
    expect(() => state.update([update as PermissionUpdate])).toThrow(message);
    expect(state.current()).toBe(empty);
  });
});
