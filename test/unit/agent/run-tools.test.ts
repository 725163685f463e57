// Replies that came whole: a host that asks the model itself has their calls run under a query's rules.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTools } from '../../../src/agent/run-tools.ts';
import type { RunToolsOptions } from '../../../src/agent/run-tools.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { toResultText } from '../../../src/core/messages/blocks.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { createAgentsModel } from '../../support/models/agents-model.ts';
import { openHost, say } from '../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

const use = (id: string, name: string, input: Record<string, unknown>): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

async function run(calls: readonly ToolUseBlock[], options: Omit<RunToolsOptions, 'host'> = {}) {
  const results = await runTools(calls, { host, ...options });
  return results.map((result) => ({
    id: result.tool_use_id,
    text: toResultText(result),
    ...(result.is_error && { is_error: true }),
  }));
}

describe('runTools', () => {
  it('gives one result a call, in the order of the calls, whatever becomes of each', async () => {
    const calls = [
      use('c', 'Read', { file_path: 'a.txt' }),
      use('a', 'Reed', { file_path: 'a.txt' }),
      use('b', 'Write', { file_path: 'b.txt', content: 'x' }),
    ];
    const results = await run(calls);
    expect(results.map(({ id, is_error }) => [id, is_error])).toEqual([
      ['c', undefined],
      ['a', true],
      ['b', true],
    ]);
    expect(results[0]?.text).toContain('one');
    expect(results[1]?.text).toContain('Read');
    await expect(host.workspace.fs.stat(`${host.cwd}/b.txt`)).rejects.toThrow('ENOENT');
  });

  it('goes by rules, hooks and answers as a query does', async () => {
    const asked: string[] = [];
    const calls = [
      use('1', 'Write', { file_path: 'b.txt', content: 'x' }),
      use('2', 'Write', { file_path: 'c.txt', content: 'x' }),
      use('3', 'Read', { file_path: 'a.txt' }),
    ];
    const results = await run(calls, {
      disallowedTools: ['Edit(c.txt)'],
      canUseTool: (name) => {
        asked.push(name);
        return Promise.resolve({ behavior: 'allow' });
      },
      hooks: {
        PreToolUse: [
          {
            matcher: 'Read',
            hooks: [() => Promise.resolve({ decision: 'block', reason: 'Not this one.' })],
          },
        ],
      },
    });
    expect(results.map(({ is_error }) => is_error)).toEqual([undefined, true, true]);
    expect(results[2]?.text).toContain('Not this one.');
    expect(asked).toEqual(['Write']);
    expect(await host.workspace.fs.readFile(`${host.cwd}/b.txt`, 'utf8')).toBe('x');
  });

  it('goes on with what the calls of the reply before have read', async () => {
    const options = { permissionMode: 'acceptEdits' } as const;
    await run([use('r', 'Read', { file_path: 'a.txt' })], { ...options, sessionId: 'own' });
    const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
    const [unread] = await run([use('e1', 'Edit', edit)], options);
    expect(unread).toMatchObject({ is_error: true });
    const [edited] = await run([use('e2', 'Edit', edit)], { ...options, resume: 'own' });
    expect(edited).not.toHaveProperty('is_error');
    expect(await host.workspace.fs.readFile(`${host.cwd}/a.txt`, 'utf8')).toBe('two\n');
  });

  it('has sub-agents ask the model that it is given', async () => {
    const call = use('a', 'Agent', {
      description: 'Look around',
      prompt: 'Look.',
      subagent_type: 'general-purpose',
      run_in_background: false,
    });
    const model = createScriptedModel({ script: { turns: [say('Nothing to see.')] } });
    expect((await run([call], { model }))[0]?.text).toContain('Nothing to see.');
    expect((await run([call]))[0]?.text).toContain('runTools was given no model');
  });

  it('runs each call once, also where a fork inherits what they were asked by', async () => {
    const fork = use('a', 'Agent', {
      description: 'Go beside',
      prompt: 'Go beside.',
      subagent_type: 'fork',
      run_in_background: false,
    });
    const model = createAgentsModel({ main: [], 'Go beside.': [say('I was beside.')] });
    const used: string[] = [];
    const results = await run([use('r', 'Read', { file_path: 'a.txt' }), fork], {
      model,
      permissionMode: 'bypassPermissions',
      hooks: {
        PreToolUse: [
          {
            hooks: [
              (input) => {
                used.push(input.hook_event_name === 'PreToolUse' ? input.tool_name : '');
                return Promise.resolve({ continue: used.length < 4 });
              },
            ],
          },
        ],
      },
    });
    expect(used.toSorted()).toEqual(['Agent', 'Read']);
    expect(results[1]?.text).toContain('I was beside.');
    expect(model.requests.map(({ who }) => who)).toEqual(['Go beside.']);
  });

  it('answers calls that a stop cuts', async () => {
    const abortController = new AbortController();
    const calls = [use('1', 'Write', { file_path: 'b.txt', content: 'x' })];
    const results = await run(calls, {
      abortController,
      canUseTool: () => {
        abortController.abort();
        return Promise.resolve({ behavior: 'allow' });
      },
    });
    expect(results).toMatchObject([{ id: '1', is_error: true }]);
  });

  it('has nothing to do for a reply without calls', async () => {
    expect(await runTools([], { host })).toEqual([]);
  });

  const read = use('1', 'Read', { file_path: 'a.txt' });
  it.each<[string, unknown, object, string]>([
    ['no list', read, {}, 'runTools takes the tool_use blocks of a reply'],
    ['a text block', [{ type: 'text', text: 'x' }], {}, 'calls[0] is no tool_use block'],
    ['a call without an id', [read, { ...read, id: '' }], {}, 'calls[1] is no tool_use block'],
    ['an input that is a text', [{ ...read, input: '{' }], {}, 'calls[0] is no tool_use block'],
    ['one id twice', [read, read], {}, 'calls[1] has the id of a call before it, "1".'],
    ['a bound', [read], { maxTurns: 3 }, 'runTools asks no model for more, so maxTurns'],
    ['the name of a model', [read], { model: 'opus' }, 'model is "opus", a name.'],
    ['an unknown option', [read], { zzzzzzzzz: 1 }, 'query has no option named zzzzzzzzz.'],
  ])('refuses %s with a sentence', async (_, calls, options, message) => {
    const given = { host, ...options } as RunToolsOptions;
    await expect(runTools(calls as never, given)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(message),
    });
  });

  it('says why no call could be run', async () => {
    const hooks: RunToolsOptions['hooks'] = {
      UserPromptSubmit: [
        { hooks: [() => Promise.resolve({ decision: 'block', reason: 'Not today.' })] },
      ],
    };
    await expect(runTools([read], { host, hooks })).rejects.toThrow(
      /Read could not be run\. .*Not today\./u,
    );
  });
});
