import { describe, expect, it } from 'vitest';
import { compileHooks } from '../../../../src/agent/hooks/compile-hooks.ts';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';

const hook = () => Promise.resolve({});
const tool = (name: string, ...aliases: readonly string[]) => ({ name, aliases });
const count = (option: HooksOption, subject: ReturnType<typeof tool>) =>
  compileHooks(option).select('PreToolUse', subject).length;

describe('a matcher', () => {
  it.each([
    [undefined, 'Edit', true],
    ['', 'Edit', true],
    ['*', 'Edit', true],
    ['Edit', 'Edit', true],
    ['Edit', 'NotebookEdit', false],
    ['edit', 'Edit', false],
    ['Read|Edit', 'Edit', true],
    ['Read|Edit|', 'Write', false],
    ['Notebook.*', 'NotebookEdit', true],
    ['book', 'NotebookEdit', false],
    ['book.', 'NotebookEdit', true],
    ['^Edit$', 'NotebookEdit', false],
    ['mcp__files', 'mcp__files__read', true],
    ['mcp__files', 'mcp__filesystem__read', false],
    ['mcp__.*__read', 'mcp__files__read', true],
    // The shell's guard guards what stands in its place.
    ['Bash', 'Repl', true],
    ['PowerShell|Edit', 'Repl', true],
  ])('%j means %s: %s', (matcher, name, isMeant) => {
    const group = { ...(matcher !== undefined && { matcher }), hooks: [hook] };
    expect(count({ PreToolUse: [group] }, tool(name))).toBe(isMeant ? 1 : 0);
  });

  it('means a tool by its older names too, exactly and by pattern', () => {
    const agent = tool('Agent', 'Task');
    expect(count({ PreToolUse: [{ matcher: 'Task', hooks: [hook] }] }, agent)).toBe(1);
    expect(count({ PreToolUse: [{ matcher: '^Ta.k', hooks: [hook] }] }, agent)).toBe(1);
  });

  it('has nothing to be held against at some events: then every hook runs', () => {
    const compiled = compileHooks({ Stop: [{ matcher: 'Edit', hooks: [hook] }] });
    expect(compiled.select('Stop', tool(''))).toHaveLength(1);
  });

  it('is asked once for each name', () => {
    let asked = 0;
    const subject = {
      name: 'Edit',
      get aliases() {
        asked += 1;
        return [];
      },
    };
    const compiled = compileHooks({ PreToolUse: [{ matcher: 'E.*', hooks: [hook] }] });
    for (let call = 0; call < 3; call += 1) compiled.select('PreToolUse', subject);
    expect(asked).toBe(1);
  });
});

describe('hooks', () => {
  it('keep the order in which they were given', () => {
    const [one, two, three] = [() => hook(), () => hook(), () => hook()];
    const compiled = compileHooks({
      PreToolUse: [{ hooks: [one, two] }, { matcher: 'Read', hooks: [hook] }, { hooks: [three] }],
    });
    const selected = compiled.select('PreToolUse', tool('Edit'));
    expect(selected.map(({ callback }) => callback)).toEqual([one, two, three]);
  });

  it.each([
    ['PreToolUse', undefined, 60_000],
    ['SessionEnd', undefined, 1_500],
    ['SessionEnd', 4, 4_000],
    ['PreToolUse', 0.5, 500],
    ['PreToolUse', 1e9, 86_400_000],
  ] as const)('of %s with a timeout of %s may take %s ms', (event, timeout, expected) => {
    const group = { hooks: [hook], ...(timeout !== undefined && { timeout }) };
    const [compiled] = compileHooks({ [event]: [group] }).select(event, tool('other'));
    expect(compiled?.timeoutMs).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    [
      'an event',
      { PreTooluse: [] },
      'There is no hook event named PreTooluse. Did you mean PreToolUse',
    ],
    [
      'an event of Object',
      { constructor: [] },
      'There is no hook event named constructor. There are ConfigChange, ',
    ],
    ['no object', 5, 'hooks is an object'],
    ['a list of groups', [], 'hooks is an object'],
    ['a list', { PreToolUse: { hooks: [hook] } }, 'write PreToolUse: [{ hooks: [yourFunction] }]'],
    ['a group', { PreToolUse: [hook] }, 'write PreToolUse: [{ hooks: [yourFunction] }]'],
    [
      'a field',
      { PreToolUse: [{ hooks: [], onFail: 'block' }] },
      'they have no field onFail. Did you mean onFailure?',
    ],
    ['a hook', { PreToolUse: [{ hooks: ['x'] }] }, 'hooks must be a list of functions'],
    ['a pattern', { PreToolUse: [{ matcher: '(', hooks: [] }] }, 'no regular expression'],
    ['a matcher', { PreToolUse: [{ matcher: 1, hooks: [] }] }, 'matcher must be a string'],
    ['a timeout', { Stop: [{ timeout: 0, hooks: [] }] }, 'timeout must be a number of seconds'],
    [
      'a policy',
      { Stop: [{ onFailure: 'x', hooks: [] }] },
      "onFailure must be 'continue' or 'block'",
    ],
    ['an if', { PreToolUse: [{ if: 'Edit(', hooks: [] }] }, '"Edit(" is not a permission rule.'],
    ['an if on a shell', { PreToolUse: [{ if: 'Bash(ls)', hooks: [] }] }, 'there is no shell here'],
    ['an if of no call', { Stop: [{ if: 'Edit', hooks: [] }] }, 'for events about one call'],
  ])('are refused with %s that can’t hold', (_, option, message) => {
    expect(() => compileHooks(option as HooksOption)).toThrow(message);
  });

  it('of an event that was given undefined are none', () => {
    const option = { PreToolUse: undefined } as unknown as HooksOption;
    expect(count(option, tool('Edit'))).toBe(0);
  });
});
