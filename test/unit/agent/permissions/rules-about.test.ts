// Sorting rules out beforehand changes nothing: the rule that decides is the one that a scan of all finds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRuleMatcher, getCallPath } from '../../../../src/agent/permissions/match-rule.ts';
import { listRulesAbout, listRulesFor } from '../../../../src/agent/permissions/relevant-rules.ts';
import { compilePathAccess } from '../../../../src/agent/permissions/compile-path-access.ts';
import { toPathRule } from '../../../../src/agent/permissions/rules.ts';
import type { ValidCall } from '../../../../src/agent/calls/validate.ts';
import { compileRulePaths } from '../../../../src/core/access/path-access.ts';
import type { PathAccessRule } from '../../../../src/core/access/path-access.ts';
import type {
  PermissionBehavior,
  PermissionRule,
} from '../../../../src/core/permissions/permission.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

const behaviors: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

const cell = cellTool({ callsTools: true });
const tools = [
  lookTool(),
  lookTool({ aliases: ['Old'] }),
  lookTool({ name: 'mcp__git__status' }),
  changeTool(),
  changeTool({ authorizesChangesAt: 'commit' }),
  // Contents of its own, which are no globs.
  changeTool({
    preparePermissionMatcher: () => Promise.resolve((pattern) => pattern === 'own:/x/y'),
  }),
  // One call reads, another doesn't.
  changeTool({ isReadOnly: (input) => input.path.includes('a') }),
  changeTool({
    getPath: () => {
      throw new Error('x');
    },
  }),
  changeTool({ getPath: (input) => (input.path.includes('b') ? input.path : undefined) }),
  cell,
  plainTool(),
  plainTool({ name: 'mcp__git__log', isReadOnly: () => true }),
];

const segment = fc.constantFrom(
  'a',
  'b',
  '.env',
  '*',
  '**',
  '?',
  '{a,b}',
  '*.ts',
  '.',
  '..',
  '',
  '\u00e9',
  'e\u0301',
);
const glob = fc
  .tuple(fc.constantFrom('', '/', './', '../', '/work/'), fc.array(segment, { maxLength: 4 }))
  .map(([start, segments]) => start + segments.join('/'));
const content = fc.oneof(
  glob,
  glob.map((one) => `fs.read:${one}x`),
  glob.map((one) => `fs.write:${one}x`),
  fc.constantFrom('net:example.com', 'tools:Look', 'tools:*', 'own:/x/y'),
);
const ruleTools = [
  ...['Read', 'Edit', 'Write', 'Look', 'Old', 'Change', 'Cell', 'Plain', 'Nothing'],
  ...['mcp__git', 'mcp__git__*', 'mcp__git__log', '*', 'C*e'],
];
const rule: fc.Arbitrary<PermissionRule> = fc
  .record({
    toolName: fc.constantFrom(...ruleTools),
    behavior: fc.constantFrom(...behaviors),
    ruleContent: fc.option(content, { nil: undefined, freq: 4 }),
  })
  .map(({ ruleContent, ...named }) => ({
    ...named,
    source: 'session',
    ...(ruleContent !== undefined && { ruleContent }),
  }));
const rules = fc.array(rule, { maxLength: 30 });

const name = fc.constantFrom('a', 'b', '.env', 'c.ts', '.git/config', '\u00e9', 'e\u0301');
const path = fc
  .tuple(fc.constantFrom('', '/', '/work/', '../'), fc.array(name, { minLength: 1, maxLength: 4 }))
  .map(([start, names]) => start + names.join('/'));
/** Several of one tool, as in a session: the second finds what the first kept. */
const calls: fc.Arbitrary<ValidCall[]> = fc.constantFrom(...tools).chain((tool) =>
  fc.array(
    fc.record({ path, isNested: fc.boolean() }).map(({ isNested, ...input }) => ({
      ...validCall(tool, tool.getPath ? input : {}),
      ...(isNested && { caller: cell }),
    })),
    { maxLength: 4 },
  ),
);
const cwd = fc.constantFrom('/work', '/work/a', '/');

describe('listRulesFor', () => {
  it('keeps the first rule of each behavior that matches, whatever rules and call', async () => {
    let matched = 0;
    await fc.assert(
      fc.asyncProperty(rules, calls, cwd, async (all, made, at) => {
        for (const one of made) {
          const place = { cwd: at };
          const target = getCallPath(one, at);
          const matches = await createRuleMatcher(one, place, target);
          const few = listRulesFor(all, one, place, target);
          for (const behavior of behaviors) {
            const means = (each: PermissionRule) => each.behavior === behavior && matches(each);
            const expected = all.findIndex(means);
            expect(few.find(means)).toBe(all[expected]);
            if (expected >= 0) matched += 1;
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(matched).toBeGreaterThan(500);
  });

  it('leaves out what is about other directories', () => {
    const all: PermissionRule[] = ['src/a/**', 'src/b/**', '*.ts', '/etc/*'].map((ruleContent) => ({
      toolName: 'Edit',
      behavior: 'deny',
      source: 'session',
      ruleContent,
    }));
    const one = validCall(changeTool(), { path: 'src/a/x.ts' });
    const few = listRulesFor(all, one, { cwd: '/work' }, getCallPath(one, '/work'));
    expect(few.map(({ ruleContent }) => ruleContent)).toEqual(['src/a/**', '*.ts']);
  });
});

describe('listRulesAbout', () => {
  it('leaves out what names other tools, and asks once', () => {
    const all: PermissionRule[] = ['Look', 'Plain', 'Read', 'Cell', 'mcp__git'].map((toolName) => ({
      toolName,
      behavior: 'deny',
      source: 'session',
    }));
    const list = (one: Pick<ValidCall, 'tool' | 'caller'>) =>
      listRulesAbout(all, one).map(({ toolName }) => toolName);
    const look = lookTool();
    expect(list({ tool: look })).toEqual(['Look', 'Read']);
    expect(list({ tool: look, caller: cell })).toEqual(['Look', 'Read', 'Cell']);
    expect(listRulesAbout(all, { tool: look })).toBe(listRulesAbout(all, { tool: look }));
  });
});

describe('compilePathAccess', () => {
  it('has the rules that a scan of all makes, whatever rules and call', () => {
    fc.assert(
      fc.property(rules, calls, cwd, (all, made, at) => {
        for (const one of made) {
          const permissions = {
            mode: 'default',
            rules: all,
            additionalWorkingDirectories: new Map(),
          } as const;
          const access = compilePathAccess(one, permissions, {
            cwd: at,
            rulesFrom: { cwd: at },
            sessionDirectories: ['/s'],
          });
          expect(access.rules).toEqual(scan(all, one, at));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Each rule by itself. */
function scan(all: readonly PermissionRule[], one: ValidCall, at: string): PathAccessRule[] {
  const target = getCallPath(one, at);
  const own = all.flatMap((each): PathAccessRule[] => {
    const onPath = each.behavior === 'allow' ? undefined : toPathRule(each, one);
    const effect = each.behavior === 'deny' ? 'deny' : 'ask';
    return onPath ? [{ effect, operation: onPath.operation, glob: onPath.glob }] : [];
  });
  const guard = { effect: 'ask', operation: 'write', isProtection: true } as const;
  const store = { effect: 'deny', operation: 'read', isForGitStore: true } as const;
  const keepsFiles = own.some(({ operation }) => operation === 'read');
  return [...own, guard, ...(keepsFiles ? [store] : [])].flatMap((each): PathAccessRule[] => {
    if (each.effect === 'deny') return [each];
    const isWrite = each.operation === 'write';
    if (isWrite && one.tool.authorizesChangesAt === 'commit') return [];
    const isNamed = target.type === 'path' && compileRulePaths(each, at)(target.path);
    if (!isNamed) return [each];
    return isWrite && one.caller ? [] : [{ ...each, except: target.path }];
  });
}
