// The registry as a host uses it: by the package's own names, over the tools of a real host.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import * as rockpool from '../../../../src/index.ts';
import type { PoolContext, Tool } from '../../../../src/index.ts';
import { openHost } from '../../../support/turns/run-hooked.ts';
import { lookTool } from '../../../support/stages/test-tools.ts';

let host: Host;
let context: PoolContext;
beforeEach(async () => {
  host = await openHost();
  context = {
    builtIn: await host.loadTools(),
    switches: { toolSearch: true },
    permissions: {
      mode: 'default',
      rules: rockpool.parseRules(['Write', 'mcp__forge'], 'deny', 'session'),
      additionalWorkingDirectories: new Map(),
    },
  };
});
afterEach(() => host[Symbol.asyncDispose]());

const names = (tools: readonly Pick<Tool, 'name'>[]) => tools.map(({ name }) => name);
const remote = (name: string) => lookTool({ name, isMcp: true });

describe('the registry', () => {
  it('gives what there is, what may be offered now, and the pool of a request', () => {
    const base = names(rockpool.getAllBaseTools(context));
    const offered = names(rockpool.getTools(context));
    expect(base).toContain('Write');
    expect(base).not.toContain('TaskCreate');
    // No server offers resources, and nothing is to be waited for.
    const isLeftOut = (name: string) =>
      name === 'Write' ||
      ['SyntheticOutput', 'WaitForMcpServers'].includes(name) ||
      name.includes('McpResource');
    expect(offered).toEqual(base.filter((name) => !isLeftOut(name)));
    const others = [remote('mcp__forge__merge'), remote('mcp__b__x'), remote('mcp__a__x')];
    const pool = rockpool.assembleToolPool({ ...context, others });
    expect(names(pool.builtIn)).toEqual(offered.toSorted());
    expect(names(pool.others)).toEqual(['mcp__a__x', 'mcp__b__x']);
    expect(names(pool.absent)).toEqual(expect.arrayContaining(['Write', 'mcp__forge__merge']));
    const merged = rockpool.getMergedTools({ ...context, others });
    expect(names(merged)).toEqual([...offered, ...names(others)]);
    expect(names(rockpool.filterToolsByDenyRules(others, context.permissions))).toEqual([
      'mcp__b__x',
      'mcp__a__x',
    ]);
  });

  it('follows the switches, by the names of the options', () => {
    const withSwitches = (switches: PoolContext['switches']) =>
      names(rockpool.getTools({ ...context, switches })).toSorted();
    expect(withSwitches({ simple: true })).toEqual(['Edit', 'Read', 'Repl']);
    expect(withSwitches({ simple: true, replMode: true })).toEqual(['Repl']);
    expect(withSwitches({ tasksV2: true })).toContain('TaskCreate');
    expect(withSwitches({ tasksV2: true })).not.toContain('TodoWrite');
    expect(withSwitches({ embeddedSearch: true })).not.toContain('Grep');
  });

  it('resolves each preset, and refuses one that nobody knows', () => {
    for (const preset of [...rockpool.TOOL_PRESETS, 'claude_code'] as const) {
      const tools = rockpool.resolveToolPreset({ type: 'preset', preset }, context.builtIn);
      expect(names(tools)).toEqual(names(context.builtIn));
    }
    const resolve = (option: unknown) => rockpool.resolveToolPreset(option as never, []);
    expect(() => resolve({ type: 'preset', preset: 'most' })).toThrow(
      'There is no tool preset named "most".',
    );
    expect(() => resolve('default')).toThrow('tools is a list of names, tools and presets, or');
  });

  it('says its limits by their names', () => {
    const {
      BYTES_PER_TOKEN,
      DEFAULT_MAX_RESULT_SIZE_CHARS,
      MAX_TOOL_RESULT_BYTES,
      MAX_TOOL_RESULT_TOKENS,
      MAX_TOOL_RESULTS_PER_MESSAGE_CHARS,
      TOOL_SUMMARY_MAX_LENGTH,
    } = rockpool;
    expect([
      DEFAULT_MAX_RESULT_SIZE_CHARS,
      MAX_TOOL_RESULT_TOKENS,
      BYTES_PER_TOKEN,
      MAX_TOOL_RESULT_BYTES,
      MAX_TOOL_RESULTS_PER_MESSAGE_CHARS,
      TOOL_SUMMARY_MAX_LENGTH,
    ]).toEqual([50_000, 100_000, 4, 400_000, 200_000, 50]);
  });
});
