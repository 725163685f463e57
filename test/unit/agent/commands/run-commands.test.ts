import { describe, expect, it, vi } from 'vitest';
import {
  builtInCommands,
  listBuiltInCommands,
} from '../../../../src/agent/commands/built-in-commands.ts';
import { builtInCommandNames } from '../../../../src/core/commands/command-names.ts';
import { quickHost } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import { lastPrompt, results, talk } from '../../../support/sessions/talk-commands.ts';

describe('a command of ours', () => {
  it('has a name that nothing else may have', () => {
    expect(builtInCommands.map(({ name }) => name)).toEqual([...builtInCommandNames].toSorted());
  });

  it('is answered without a request, and its result says what it has done', async () => {
    const model = listModel('claude-test', []);
    const { told, texts } = await talk(await quickHost(), ['/cost'], { model });
    expect(model.requests).toEqual([]);
    expect(texts).toEqual(['Nothing was asked of a model yet, so nothing was spent.']);
    expect(results(told)).toMatchObject([
      {
        subtype: 'success',
        is_error: false,
        num_turns: 0,
        local_command: 'cost',
        result: texts[0],
      },
    ]);
    expect(told[0]).toMatchObject({
      slash_commands: listBuiltInCommands().map(({ name }) => name),
    });
  });

  it('stays out of the conversation', async () => {
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const { texts } = await talk(await quickHost(), ['First?', '/context', 'Second?'], { model });
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('/context');
    expect(texts[0]).toContain('prompts: about');
    expect(lastPrompt(model)).toBe('Second?');
  });

  it.each([
    ['/agents', expect.stringMatching(/^general-purpose: For a task of several steps/u)],
    ['/help', expect.stringContaining('\n/compact [what the summary must have]: Sum the')],
    ['/memory', 'Files of instructions are told with the first prompt.'],
    ['/tasks', 'No task runs in the background.\nThe task list is empty.'],
    ['/rewind', 'There is no prompt to go back to yet.'],
    [
      '/compact',
      'There is nothing to sum up yet: the newest part of a conversation, some 20 000 tokens, stays word for word.',
    ],
    ['/plan', expect.stringContaining('Plan mode is on')],
    [
      '/cots',
      'There is no command /cots. Did you mean /cost? A prompt that begins with a slash and is no command needs a word before it.',
    ],
    ['/zzzzzz', expect.stringContaining('There are /agents, /clear, /compact,')],
  ])('%s says in a sentence what there is', async (prompt, text) => {
    const model = listModel('claude-test', []);
    const { texts } = await talk(await quickHost(), [prompt], { model });
    expect(texts).toEqual([text]);
    expect(model.requests).toEqual([]);
  });

  it('takes what begins with a path for a prompt', async () => {
    const model = listModel('claude-test', [says('Yes.')]);
    await talk(await quickHost(), ['/workspace/a.txt is empty?'], { model });
    expect(lastPrompt(model)).toBe('/workspace/a.txt is empty?');
  });

  it('/plan takes what stands behind it for the prompt', async () => {
    const model = listModel('claude-test', [says('A plan.')]);
    const { told } = await talk(await quickHost(), ['/plan Tidy up.'], { model });
    expect(lastPrompt(model)).toBe('Tidy up.');
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('# Plan mode');
    expect(results(told)).toMatchObject([{ result: 'A plan.' }]);
  });

  it('/cost says what each model has used', async () => {
    const model = listModel('claude-test', [
      says('One.', { usage: { input_tokens: 12_345, output_tokens: 10 } }),
    ]);
    const prices = { 'claude-test': { input: 3, output: 15 } };
    const { texts } = await talk(await quickHost(), ['Hello?', '/cost'], { model, prices });
    expect(texts).toEqual([
      'This session has cost $0.0372 so far.\nclaude-test: 12 345 tokens in, 0 written to the cache, 0 read from it, 10 out; $0.0372',
    ]);
  });

  it('/memory lists the instructions that the model was told, and the notes', async () => {
    const host = await quickHost();
    const { fs } = host.workspace;
    await fs.writeFile('/workspace/CLAUDE.md', 'Use tabs.');
    await fs.writeFile('/workspace/AGENTS.md', 'Use tabs.');
    await fs.writeFile('/workspace/CLAUDE.local.md', 'Be brief.');
    const model = listModel('claude-test', [says('One.')]);
    const options = { settingSources: ['project', 'local'], memory: 'local' } as const;
    const { texts } = await talk(host, ['Hello?', '/memory'], { model, ...options });
    expect(texts[0]?.split('\n')).toEqual([
      'The model was told what stands in:',
      '/workspace/CLAUDE.md: 9 characters (project)',
      '/workspace/AGENTS.md: nothing that another file doesn’t say (project)',
      '/workspace/CLAUDE.local.md: 9 characters (local)',
      'The agent keeps notes for later conversations in /workspace/.claude/agent-memory-local/main.',
    ]);
  });

  it('/tasks lists what is to be done', async () => {
    const create = (subject: string) =>
      asks({
        type: 'tool_use',
        id: subject,
        name: 'TaskCreate',
        input: { subject, description: subject },
      });
    const model = listModel('claude-test', [create('Mend'), create('Test'), says('Noted.')]);
    const { texts } = await talk(await quickHost(), ['Plan.', '/tasks'], { model, tasksV2: true });
    expect(texts).toEqual([
      'No task runs in the background.\nTo be done:\n1. Mend (pending)\n2. Test (pending)',
    ]);
  });

  it('/compact sums the conversation up', async () => {
    const long = Array.from({ length: 4 }, (_, at) => says(`${at} ${'x'.repeat(40_000)}`));
    const model = listModel('claude-test', [...long, says('All about x.'), says('Done.')]);
    const prompts = ['1?', '2?', '3?', '4?', '/compact Keep the numbers.', '5?'];
    const { told, texts } = await talk(await quickHost(), prompts, { model });
    expect(texts).toEqual([expect.stringMatching(/^The conversation is summed up: from about /u)]);
    expect(JSON.stringify(model.requests[4]?.messages.at(-1))).toContain('Keep the numbers.');
    expect(JSON.stringify(model.requests[5]?.messages)).toContain('All about x.');
    expect(told.some((one) => one.type === 'system' && one.subtype === 'compact_boundary')).toBe(
      true,
    );
  });

  it('/rewind goes back to before the last prompt, or before one that is named', async () => {
    const host = await quickHost();
    // Thousands of files would be read and compared, and only their names are told.
    const compare = vi.spyOn(host.workspace.roots, 'diff');
    const write = (id: string) =>
      asks({
        type: 'tool_use',
        id,
        name: 'Write',
        input: { file_path: `/workspace/${id}.txt`, content: id },
      });
    const model = listModel('claude-test', [
      ...[write('a'), says('A.'), write('b'), says('B.'), says('Well.')],
    ]);
    const prompts = ['Write a.', 'Write b.', '/rewind', '/rewind 7', '/rewind p0', 'And now?'];
    const { told, texts } = await talk(host, prompts, {
      model,
      permissionMode: 'bypassPermissions',
    });
    expect(texts).toEqual([
      'The conversation is as it was before “Write b.”. Files that are as they were then: /workspace/b.txt.',
      'There is nothing to go back to by “7”. There is 1 prompt: write /rewind for the last one, a number up to 1, or a prompt’s uuid.',
      'The conversation is as it was before “Write a.”. Files that are as they were then: /workspace/a.txt.',
    ]);
    expect(results(told).map((one) => one.is_error)).toEqual([
      ...[false, false, false, true, false, false],
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('Write a.');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
    expect(compare).not.toHaveBeenCalled();
  });
});
