import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/trace/explain.ts';
import type {
  CallDecision,
  DecisionReason,
  PermissionRuleSource,
} from '../../../src/core/permissions/permission.ts';
import type { Principal } from '../../../src/core/permissions/principal.ts';

const agent = { kind: 'agent' } as const;
const ruleOf = (source: PermissionRuleSource): DecisionReason => ({
  type: 'rule',
  rule: { toolName: 'Edit', ruleContent: 'src/**', behavior: 'allow', source },
});

// One row a kind of reason: a new kind has no row, and tsc says so.
const sentences: Readonly<Record<DecisionReason['type'], readonly [DecisionReason, string]>> = {
  rule: [ruleOf('userSettings'), 'the allow rule Edit(src/**) says so (your settings)'],
  mode: [{ type: 'mode', mode: 'plan' }, 'the permission mode is plan'],
  tool: [
    { type: 'tool', message: 'it needs a person.' },
    'the tool itself says so: it needs a person',
  ],
  'read-only': [{ type: 'read-only' }, 'the call changes nothing'],
  'at-commit': [{ type: 'at-commit' }, 'what the call changes is judged before it is kept'],
  removal: [
    { type: 'removal', path: '/workspace/src/a.ts' },
    '/workspace/src/a.ts stood there before this session, and removing or emptying it asks',
  ],
  'protected-path': [
    { type: 'protected-path', path: '/workspace/.git/config' },
    '/workspace/.git/config steers the agent, or what git, a shell or an editor runs, so writing it always asks',
  ],
  instructions: [
    { type: 'instructions', path: '/workspace/AGENTS.md', taintedBy: 'WebFetch' },
    '/workspace/AGENTS.md instructs the agent, and text from outside came into this conversation by WebFetch, so writing it asks',
  ],
  user: [{ type: 'user' }, 'a person decided so'],
  egress: [
    { type: 'egress', taintedBy: 'WebFetch' },
    "text from outside came into this conversation by WebFetch, and the host's policy guards what may go out after that",
  ],
  classifier: [
    { type: 'classifier', message: 'It serves the request.' },
    "auto mode's classifier says so: It serves the request",
  ],
  'nested-call': [
    { type: 'nested-call' },
    'a tool that the call itself called was allowed to do it',
  ],
  hook: [{ type: 'hook', message: 'Not on Fridays.' }, 'a hook says so: Not on Fridays'],
  'no-answer': [{ type: 'no-answer', message: 'nobody is here to ask.' }, 'nobody is here to ask'],
};

const decided = (reason: DecisionReason, more: Partial<CallDecision> = {}): CallDecision => ({
  toolName: 'Edit',
  behavior: 'allow',
  reason,
  principal: agent,
  ...more,
});

describe('explain', () => {
  it.each(Object.entries(sentences))('says a %s in a sentence', (_, [reason, clause]) => {
    expect(explain(decided(reason))).toBe(`Edit was allowed because ${clause}.`);
    expect(explain(decided(reason, { behavior: 'deny' }))).toBe(
      `Edit was refused because ${clause}.`,
    );
  });

  it.each<[PermissionRuleSource, string]>([
    ['managedSettings', "the host's policy"],
    ['userSettings', 'your settings'],
    ['projectSettings', "the workspace's settings"],
    ['localSettings', "the workspace's settings"],
    ['cliArg', "the session's options"],
    ['session', 'set during this session'],
  ])('says who set a rule of %s', (source, words) => {
    expect(explain(decided(ruleOf(source)))).toContain(`(${words})`);
  });

  it.each<[Principal, string]>([
    [{ kind: 'agent' }, 'Edit was allowed'],
    [{ kind: 'code', toolName: 'Repl' }, "Edit, which Repl's code called, was allowed"],
    [{ kind: 'tool', toolName: 'Deploy' }, 'Edit, which Deploy asked for, was allowed'],
    [{ kind: 'remote', serverName: 'git' }, 'Edit, which the server git asked for, was allowed'],
  ])('says who asked: %j', (principal, words) => {
    expect(explain(decided({ type: 'user' }, { principal }))).toBe(
      `${words} because a person decided so.`,
    );
  });

  it('says that a person allowed something else than was asked about', () => {
    expect(explain(decided({ type: 'user', changedInput: true }))).toBe(
      'Edit was allowed because a person decided so, with another input than was asked about.',
    );
  });

  it('says what became of the changes of a call that was allowed to run', () => {
    const changes = { behavior: 'deny', reason: { type: 'mode', mode: 'plan' } } as const;
    expect(explain(decided({ type: 'at-commit' }, { toolName: 'Repl', changes }))).toBe(
      'Repl was allowed because what the call changes is judged before it is kept. Its changes were dropped because the permission mode is plan.',
    );
  });
});
