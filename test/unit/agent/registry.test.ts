// The pool of a request, and what the model is told of it.
import { describe, expect, it } from 'vitest';
import { buildSystemPrompt } from '../../../src/agent/context/system-prompt.ts';
import { assemblePool, assembleToolPool } from '../../../src/agent/registry/assemble.ts';
import { buildTools, getToolInfos } from '../../../src/agent/registry/sema-tools.ts';
import { createToolParamWriter } from '../../../src/agent/registry/to-tool-param.ts';
import { parseRules } from '../../../src/agent/permissions/parse-rules.ts';
import type { PermissionMode, ToolPermissionContext } from '../../../src/core/permission.ts';
import { lookTool, plainTool } from '../../support/test-tools.ts';

const context = (deny: readonly string[] = [], mode: PermissionMode = 'default') =>
  ({
    mode,
    rules: parseRules(deny, 'deny', 'session'),
    additionalWorkingDirectories: new Map(),
  }) satisfies ToolPermissionContext;

const named = (...names: readonly string[]) => names.map((name) => lookTool({ name }));
const names = (tools: readonly { readonly name: string }[]) => tools.map((tool) => tool.name);

describe('assembleToolPool', () => {
  it('sorts by code unit, built-in tools first, and lets no other take a name', () => {
    const builtIn = named('Write', 'Read', 'a', 'Z', 'ä');
    const others = named('mcp__b__x', 'Read', 'A', 'A');
    const pool = assembleToolPool(builtIn, others);
    expect(names(pool)).toEqual(['Read', 'Write', 'Z', 'a', 'ä', 'A', 'mcp__b__x']);
    expect(pool[0]).toBe(builtIn[1]);
  });
});

describe('assemblePool', () => {
  it('leaves out what is disabled, can’t say, or is denied as a whole', () => {
    const tools = [
      ...named('Read', 'Denied', 'mcp__git__status', 'mcp__web__get'),
      lookTool({ name: 'Off', isEnabled: () => false }),
      lookTool({
        name: 'Broken',
        isEnabled: () => {
          throw new Error('x');
        },
      }),
    ];
    const denied = context(['Denied', 'mcp__git', 'Read(secrets/**)']);
    expect(names(assemblePool(tools, [], denied))).toEqual(['Read', 'mcp__web__get']);
  });
});

describe('createToolParamWriter', () => {
  it('writes a tool once, whatever its description says later', async () => {
    let asked = 0;
    const tool = lookTool({ description: () => Promise.resolve(`Asked ${(asked += 1)} times.`) });
    const write = createToolParamWriter();
    const first = await write([tool]);
    const second = await write([tool, plainTool()]);
    expect(first).toEqual([
      {
        name: 'Look',
        description: 'Asked 1 times.',
        input_schema: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
          additionalProperties: false,
        },
        cache_control: { type: 'ephemeral' },
      },
    ]);
    expect(second.map(({ description, cache_control }) => [description, cache_control])).toEqual([
      ['Asked 1 times.', undefined],
      ['A tool of the tests.', { type: 'ephemeral' }],
    ]);
  });
});

describe('buildSystemPrompt', () => {
  const options = (mode: PermissionMode = 'default') => ({
    permissionContext: context([], mode),
    tools: [
      lookTool({ prompt: () => Promise.resolve('## Look\nLooks.\n') }),
      plainTool({ prompt: () => Promise.resolve(' ') }),
    ],
    cwd: '/workspace/app',
  });
  const text = async (...given: Parameters<typeof buildSystemPrompt>) =>
    (await buildSystemPrompt(...given)).map((block) => block.text).join();

  it('names the working directory and ends with the tools’ own sections', async () => {
    const prompt = await text(undefined, options());
    expect(prompt).toContain('Your working directory is /workspace/app,');
    expect(prompt).toContain('Ask for independent reads and searches in one message');
    expect(prompt.endsWith('# Your tools\n\n## Look\nLooks.')).toBe(true);
    expect(prompt).not.toContain('Plan mode');
  });

  it('is the same for the same tools and directory', async () => {
    expect(await text(undefined, options())).toBe(await text(undefined, options()));
  });

  it('speaks of planning in plan mode only', async () => {
    expect(await text(undefined, options('plan'))).toContain('# Plan mode');
  });

  it('gives way to the caller’s text, or is followed by it', async () => {
    const preset = { type: 'preset', preset: 'claude_code', append: 'Be kind.' } as const;
    expect(await text('Only this.', options())).toBe('Only this.');
    expect((await text(preset, options())).endsWith('\n\nBe kind.')).toBe(true);
    expect(await buildSystemPrompt('', options())).toEqual([]);
  });
});

describe('Sema’s calls', () => {
  it('give the tools’ params and which are in use', async () => {
    const tools = [plainTool(), lookTool()];
    expect(names(await buildTools(tools))).toEqual(['Look', 'Plain']);
    const description = 'A tool of the tests.';
    expect(await getToolInfos(tools, ['Look'])).toEqual([
      { name: 'Look', description, status: 'enable' },
      { name: 'Plain', description, status: 'disable' },
    ]);
    expect((await getToolInfos(tools)).map(({ status }) => status)).toEqual(['enable', 'enable']);
  });
});
