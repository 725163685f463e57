// What the model is told of the tools, and Sema's calls on them. Pools are in registry/.
import { describe, expect, it } from 'vitest';
import { buildSystemPrompt } from '../../../src/agent/context/system-prompt.ts';
import {
  buildTools,
  getBuiltinTools,
  getToolInfos,
  getTools,
} from '../../../src/agent/registry/sema-tools.ts';
import { parseRules } from '../../../src/agent/permissions/rules.ts';
import type {
  PermissionMode,
  ToolPermissionContext,
} from '../../../src/core/permissions/permission.ts';
import { lookTool, plainTool } from '../../support/stages/test-tools.ts';

const context = (deny: readonly string[] = [], mode: PermissionMode = 'default') =>
  ({
    mode,
    rules: parseRules(deny, 'deny', 'session'),
    additionalWorkingDirectories: new Map(),
  }) satisfies ToolPermissionContext;

const names = (tools: readonly { readonly name: string }[]) => tools.map((tool) => tool.name);

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
    (await buildSystemPrompt(...given)).map((block) => block.text).join('\n\n');

  it('names no place and ends with the tools’ own sections', async () => {
    const prompt = await text(undefined, options());
    expect(prompt).not.toContain('/workspace');
    expect(prompt).toContain('Ask for independent reads and searches in one message');
    expect(prompt.endsWith('# Your tools\n\n## Look\nLooks.')).toBe(true);
    expect(prompt).not.toContain('Plan mode');
  });

  it('is the same for the same tools', async () => {
    expect(await text(undefined, options())).toBe(await text(undefined, options()));
  });

  it('is the same in every mode', async () => {
    expect(await text(undefined, options('plan'))).toBe(await text(undefined, options()));
  });

  it.each([
    ['a text', 'Only this.', 'Only this.'],
    ['no text', '', undefined],
    [
      'more after ours',
      { type: 'preset', preset: 'claude_code', append: 'Be kind.' } as const,
      /\n\nBe kind\.$/u,
    ],
  ])('keeps the tools’ sections in a block of their own: %s', async (_, given, own) => {
    const blocks = await buildSystemPrompt(given, options());
    const tools = blocks.at(-1);
    expect(tools).toEqual({
      type: 'text',
      text: '# Your tools\n\n## Look\nLooks.',
    });
    const texts = blocks.slice(0, -1).map(({ text: before }) => before);
    expect(texts).toEqual(own === undefined ? [] : [expect.stringMatching(own)]);
  });

  it('is no block where there is nothing to say', async () => {
    expect(await buildSystemPrompt(' ', { ...options(), tools: [] })).toEqual([]);
    const [only] = await buildSystemPrompt('Only this.', { ...options(), tools: [] });
    expect(only).toEqual({ type: 'text', text: 'Only this.' });
  });
});

describe('Sema’s calls', () => {
  it('give the tools’ params and which are in use', async () => {
    const tools = [plainTool(), lookTool()];
    expect(names(await buildTools(tools))).toEqual(['Look', 'Plain']);
    expect(names(await getBuiltinTools({ loadTools: () => Promise.resolve(tools) }))).toEqual([
      'Look',
      'Plain',
    ]);
    expect(names(getTools(tools, null))).toEqual(['Look', 'Plain']);
    expect(names(getTools(tools))).toEqual(['Look', 'Plain']);
    expect(names(getTools(tools, ['Plain', 'Nope']))).toEqual(['Plain']);
    const description = 'A tool of the tests.';
    expect(await getToolInfos(tools, ['Look'])).toEqual([
      { name: 'Look', description, status: 'enable' },
      { name: 'Plain', description, status: 'disable' },
    ]);
    expect((await getToolInfos(tools)).map(({ status }) => status)).toEqual(['enable', 'enable']);
  });
});
