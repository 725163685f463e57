import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRuleMatcher, getCallPath } from '../../../../src/agent/permissions/match-rule.ts';
import { buildMcpToolName } from '../../../../src/core/mcp/mcp-tool-name.ts';
import { parseRule } from '../../../../src/core/permissions/rule.ts';
import type { PermissionBehavior } from '../../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { cellTool, changeTool, lookTool, plainTool } from '../../../support/stages/test-tools.ts';
import { validCall } from '../../../support/stages/valid-call.ts';

async function matches(
  rule: string,
  tool: Tool,
  input: Record<string, unknown> = {},
  behavior: PermissionBehavior = 'deny',
): Promise<boolean> {
  const call = validCall(tool, input);
  const cwd = '/workspace';
  const matcher = await createRuleMatcher(call, { cwd }, getCallPath(call, cwd));
  return matcher({ ...parseRule(rule), behavior, source: 'session' });
}

function remote(serverName: string, toolName: string): Tool {
  const name = buildMcpToolName({ serverName, toolName });
  return lookTool({ name, isMcp: true, mcpInfo: { serverName, toolName } });
}

describe('createRuleMatcher', () => {
  it.each([
    // By name.
    ['Look', lookTool(), true],
    ['Loo', lookTool(), false],
    ['Old', lookTool({ aliases: ['Old'] }), true],
    ['mcp__git', lookTool({ name: 'mcp__git__status' }), true],
    ['mcp__git__*', lookTool({ name: 'mcp__git__status' }), true],
    ['mcp__git__st*s', lookTool({ name: 'mcp__git__status' }), true],
    ['mcp__git', lookTool({ name: 'mcp__github__status' }), false],
    // Server and tool are each compared with their own.
    ['mcp__git', remote('git', 'status'), true],
    ['mcp__git', remote('git__evil', 'status'), false],
    ['mcp__git__*', remote('git__evil', 'status'), false],
    ['mcp__git__evil', remote('git__evil', 'status'), true],
    ['mcp__git__evil__*', remote('git__evil', 'status'), true],
    ['mcp__git__status', remote('git', 'status'), true],
    ['mcp__git__status', remote('git', 'status_all'), false],
    ['mcp__*', remote('git__evil', 'status'), true],
    ['mcp__*__status', remote('git', 'status'), true],
    ['mcp__*__status', remote('git', 'log'), false],
    ['mcp__g*', remote('git', 'status'), true],
    ['mcp__my_notes', remote('my.notes', 'list'), true],
    ['*', remote('git', 'status'), true],
    // By path.
    ['Look(src/**)', lookTool(), true],
    ['Look(test/**)', lookTool(), false],
    ['Look(/workspace/src/*)', lookTool(), true],
    // Read rules hold for all that reads the path it names, Edit rules for all that writes it.
    ['Read(src/**)', lookTool(), true],
    ['Edit(src/**)', lookTool(), false],
    ['Edit(src/**)', changeTool(), true],
    ['Write(src/**)', changeTool(), true],
    ['Write', changeTool(), false],
    ['Write', changeTool({ authorizesChangesAt: 'commit' }), true],
    ['Read(src/**)', changeTool(), false],
    ['Read', lookTool(), true],
    ['Edit', changeTool(), true],
    ['Edit', plainTool(), false],
    // What a tool without paths can't be judged by counts as meant.
    ['Plain(anything)', plainTool(), true],
    // What a cell may do is judged by what it does.
    ['Cell(fs.write:src/**)', cellTool(), false],
  ])('says of the deny rule %s: %s', async (rule, tool, expected) => {
    const input = tool.getPath ? { path: 'src/a.ts' } : {};
    expect(await matches(rule, tool, input)).toBe(expected);
  });

  it('lets no Read rule allow another tool that reaches the network', async () => {
    const input = { path: 'src/a.ts' };
    const opens = lookTool({ isOpenWorld: () => true });
    expect(await matches('Read', opens, input, 'allow')).toBe(false);
    expect(await matches('Read(src/**)', opens, input, 'allow')).toBe(false);
    expect(await matches('Look(src/**)', opens, input, 'allow')).toBe(true);
    expect(await matches('Read(src/**)', opens, input, 'ask')).toBe(true);
    expect(await matches('Read(src/**)', opens, input, 'deny')).toBe(true);
    expect(await matches('Read(src/**)', lookTool(), input, 'allow')).toBe(true);
  });

  it('never lets a rule that can’t be judged allow', async () => {
    expect(await matches('Plain(anything)', plainTool(), {}, 'allow')).toBe(false);
    const broken = changeTool({
      getPath: () => {
        throw new Error('x');
      },
    });
    expect(await matches('Change(src/**)', broken, { path: 'a' }, 'allow')).toBe(false);
    expect(await matches('Change(src/**)', broken, { path: 'a' }, 'deny')).toBe(true);
  });

  it('asks the tool’s own matcher about contents, and is cautious where it fails', async () => {
    const own = plainTool({
      preparePermissionMatcher: () => Promise.resolve((pattern) => pattern === 'net:x'),
    });
    expect(await matches('Plain(net:x)', own)).toBe(true);
    expect(await matches('Plain(net:y)', own)).toBe(false);
    const broken = plainTool({ preparePermissionMatcher: () => Promise.reject(new Error('x')) });
    expect(await matches('Plain(net:y)', broken, {}, 'deny')).toBe(true);
    expect(await matches('Plain(net:y)', broken, {}, 'allow')).toBe(false);
  });

  it('takes time by the lengths of path and rule alone', async () => {
    const start = performance.now();
    expect(await matches('Read(*a*a*a*a*a*ab)', lookTool(), { path: 'a'.repeat(120) })).toBe(false);
    // A millisecond; 227 s where each star tries all lengths.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('takes a path that no file can have for one that can’t be judged', async () => {
    const path = `/workspace/${'a/'.repeat(3_000)}`;
    expect(await matches('Look(src/**)', lookTool(), { path }, 'deny')).toBe(true);
    expect(await matches('Look(/**)', lookTool(), { path }, 'allow')).toBe(false);
  });

  it('finds a denied path in whatever spelling the call names it', async () => {
    const spelling = fc
      .array(fc.constantFrom('./', 'x/../', '/', 'src/../', '../workspace/'), { maxLength: 4 })
      .map((detours) => detours.join(''))
      .filter((detours) => !detours.startsWith('/'))
      .chain((detours) =>
        fc.constantFrom(
          `${detours}secrets/key`,
          `/workspace/${detours}secrets/key`,
          `${detours}secrets//key`,
          `${detours}secrets/./key/`,
        ),
      );
    await fc.assert(
      fc.asyncProperty(spelling, async (path) => {
        expect(await matches('Edit(secrets/**)', changeTool(), { path })).toBe(true);
        expect(await matches('Read(./secrets)', lookTool(), { path })).toBe(true);
      }),
    );
  });
});
