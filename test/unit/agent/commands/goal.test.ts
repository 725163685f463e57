// A goal: the model works until another one finds that it holds.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { Model } from '../../../../src/model/model.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { isResult, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import { lastPrompt, results, talk } from '../../../support/sessions/talk-commands.ts';

const toolUse = (id: string, name: string, input: Record<string, unknown>) =>
  ({ type: 'tool_use', id, name, input }) as const;
const writes = (id: string, text: string) =>
  asks(toolUse(id, 'Write', { file_path: `/workspace/${id}.txt`, content: text }));
const allowed: Partial<QueryOptions> = { permissionMode: 'acceptEdits' };

const goals = (told: readonly SDKMessage[]) =>
  told.flatMap((one) => (one.type === 'active_goal' ? [one.value] : []));
const notices = (told: readonly SDKMessage[]) =>
  told.flatMap((one) =>
    one.type === 'system' && one.subtype === 'informational' ? [one.content] : [],
  );

describe('/goal', () => {
  it('lets the model go on until the check finds that it holds', async () => {
    const model = listModel('claude-test', [
      says('I will look.'),
      writes('a', 'one'),
      says('Written.'),
      says('Thanks.'),
    ]);
    const small = listModel('small', [
      says('unmet: a.txt isn’t written yet.'),
      says('Met: the result shows that a.txt was written.'),
    ]);
    const { told } = await talk(await quickHost(), ['/goal a.txt is there', 'Thank you.'], {
      ...allowed,
      model,
      smallModel: small,
    });
    // One turn with three requests, and one that is checked by nobody.
    expect(results(told)).toHaveLength(2);
    expect(results(told)[0]).toMatchObject({
      subtype: 'success',
      num_turns: 3,
      result: 'Written.',
    });
    expect(small.requests).toHaveLength(2);
    expect(goals(told)).toMatchObject([
      { condition: 'a.txt is there', iterations: 0 },
      { iterations: 1, last_reason: 'a.txt isn’t written yet.' },
      null,
    ]);
    // The model knows what it works for, and what is missing.
    const [first, second] = model.requests;
    expect(JSON.stringify(first?.messages)).toContain('This is the session’s goal.');
    expect(JSON.stringify(second?.messages.at(-1))).toContain('a.txt isn’t written yet.');
    // The check sees the work, and no tool.
    const [, check] = small.requests;
    expect(check?.tools).toEqual([]);
    expect(JSON.stringify(check?.messages)).toMatch(/Agent calls Write.*Result: /);
  });

  it('shows it, and takes it back', async () => {
    const model = listModel('claude-test', [says('I wait.'), says('Hello.')]);
    const small = listModel('small', [says('impossible: nobody is there.')]);
    const prompts = ['/goal', '/goal clear', '/goal it rains', '/goal', '/goal STOP'];
    const { texts, told } = await talk(await quickHost(), prompts, { model, smallModel: small });
    expect(texts).toEqual([
      expect.stringMatching(/^There is no goal\. Write \/goal and what is to hold/),
      'There is no goal to take back.',
      expect.stringMatching(
        /^There is no goal now\. The last one can’t be met: it rains\nLast check: nobody/,
      ),
      'There is no goal to take back.',
    ]);
    expect(notices(told)).toContain('The goal can’t be met, so it is ended: nobody is there.');
    expect(goals(told).at(-1)).toBe(null);
  });

  it('is refused with a sentence where it is too long', async () => {
    const model = listModel('claude-test', []);
    const { told, texts } = await talk(await quickHost(), [`/goal ${'x'.repeat(4001)}`], { model });
    expect(texts).toEqual([expect.stringMatching(/^A goal is a text of 1 to 4000 characters/)]);
    expect(goals(told)).toEqual([]);
  });

  it('stays where the check fails, and control comes back', async () => {
    const model = listModel('claude-test', [says('Done.'), says('Still done.')]);
    const small = listModel('small', [says('I think so'), says('met: so it is.')]);
    const { told } = await talk(await quickHost(), ['/goal done', 'Go on.'], {
      model,
      smallModel: small,
    });
    expect(notices(told)).toEqual([
      'The goal couldn’t be checked: the model that checks it gave no clear answer. It stays: send a prompt to go on.',
    ]);
    expect(goals(told)).toMatchObject([{ iterations: 0 }, null]);
  });

  it('lets a model rest that does nothing for it, and ends with maxTurns', async () => {
    const unmet = says('unmet: nothing was done.');
    const idle = listModel(
      'claude-test',
      Array.from({ length: 9 }, () => says('Well.')),
    );
    const { told } = await talk(await quickHost(), ['/goal done'], {
      model: idle,
      smallModel: listModel(
        'small',
        Array.from({ length: 9 }, () => unmet),
      ),
    });
    expect(results(told)).toMatchObject([{ subtype: 'success', num_turns: 3 }]);
    expect(notices(told)).toEqual([expect.stringMatching(/has done nothing for the goal 3 times/)]);
    const bounded = await talk(await quickHost(), ['/goal done'], {
      model: listModel('claude-test', [says('One.'), says('Two.')]),
      smallModel: listModel('small', [unmet, unmet]),
      maxTurns: 2,
    });
    expect(results(bounded.told)).toMatchObject([{ subtype: 'error_max_turns' }]);
  });

  it('is checked by the session’s own model where there is no small one', async () => {
    const model = listModel('claude-test', [says('Done.'), says('met: it is done.')]);
    const { told } = await talk(await quickHost(), ['/goal done'], { model });
    expect(goals(told)).toMatchObject([{ condition: 'done' }, null]);
    expect(results(told)).toMatchObject([{ num_turns: 1 }]);
  });

  it('rests while work in the background is waited for, and only then', async () => {
    const code = 'await new Promise((resolve) => setTimeout(resolve, 3_600_000))';
    const background = asks(toolUse('c1', 'Repl', { code, run_in_background: true }));
    const waiting = says('waiting: the cell has not ended.');
    const small = listModel('small', [waiting]);
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    onTestFinished(() => host[Symbol.asyncDispose]());
    await using session = await openSession({
      host,
      permissionMode: 'bypassPermissions',
      model: listModel('claude-test', [background, says('It runs.')]),
      smallModel: small,
    });
    const { n } = await session.send('/goal the cell has ended');
    const told = await readUntil(session, isResult, n);
    expect(told.at(-1)).toMatchObject({ subtype: 'success', result: 'It runs.' });
    expect(goals(told)).toMatchObject([{ iterations: 0 }, { iterations: 1 }]);
    expect(JSON.stringify(small.requests[0]?.messages)).toContain('Work runs in the background.');
    // Where nothing runs there is nothing to wait for.
    const idle = await talk(await quickHost(), ['/goal it has ended'], {
      model: listModel('claude-test', [says('I wait.'), says('It has.')]),
      smallModel: listModel('small', [waiting, says('met: it has.')]),
    });
    expect(results(idle.told)).toMatchObject([{ num_turns: 2, result: 'It has.' }]);
  });

  it('lets a prompt that waits come first, and is checked behind it', async () => {
    const { promise: released, resolve: release } = createDeferred();
    const answers = listModel('claude-test', [says('First.'), says('Second.')]);
    const model: Model = {
      ...answers,
      async *stream(request, options) {
        await released;
        yield* answers.stream(request, options);
      },
    };
    const small = listModel('small', [says('met: both are said.')]);
    await using session = await openSession({ host: await quickHost(), model, smallModel: small });
    const { n } = await session.send('/goal both are said');
    await session.send('And the second?');
    release();
    const first = await readUntil(session, isResult, n);
    expect(small.requests).toEqual([]);
    const second = await readUntil(session, isResult, first.at(-1)?.n);
    expect(goals(second)).toEqual([null]);
    expect(JSON.stringify(small.requests[0]?.messages)).toContain('Agent: Second.');
  });

  it('outlives a failure and the page, and a rewind takes it back', async () => {
    const host = await quickHost();
    const options = { host, ...allowed };
    const unmet = listModel('small', [says('unmet: b.txt is missing.')]);
    const failing = listModel('claude-test', [says('I begin.')]);
    const first = await openSession({ ...options, model: failing, smallModel: unmet });
    const { n } = await first.send('/goal both files');
    const failed = await readUntil(first, isResult, n);
    expect(failed.at(-1)).toMatchObject({ type: 'result', is_error: true });
    await first[Symbol.asyncDispose]();
    const model = listModel('claude-test', [writes('b', 'two'), says('Both.')]);
    const met = listModel('small', [says('met: both are written.')]);
    await using second = await openSession({
      ...options,
      model,
      smallModel: met,
      resume: first.id,
    });
    const { n: next } = await second.send('Go on.');
    const told = await readUntil(second, isResult, next);
    expect(goals(told)).toEqual([null]);
    expect(JSON.stringify(met.requests[0]?.messages)).toContain('both files');
    // Back before the second prompt it is active again; before the first there is none.
    const { n: back } = await second.send('/rewind');
    expect(goals(await readUntil(second, isResult, back))).toMatchObject([{ iterations: 1 }]);
    const { n: further } = await second.send('/rewind');
    const gone = await readUntil(second, isResult, further);
    expect(goals(gone)).toEqual([]);
    const { n: asked } = await second.send('/goal');
    expect(JSON.stringify(await readUntil(second, isResult, asked))).toContain('There is no goal.');
  });
});

it('SetGoal sets it for the model, once a person agrees', async () => {
  const goal = { condition: 'all is done', ask_user: true };
  const model = listModel('claude-test', [
    asks(toolUse('g1', 'SetGoal', goal)),
    says('Done.'),
    says('Yes, done.'),
  ]);
  const asked: unknown[] = [];
  const { told } = await talk(await quickHost(), ['Work until all is done.'], {
    model,
    smallModel: listModel('small', [says('unmet: show it.'), says('met: shown.')]),
    canUseTool: async (name, input) => {
      asked.push([name, input]);
      return { behavior: 'allow', updatedInput: input };
    },
  });
  expect(asked).toEqual([['SetGoal', goal]]);
  expect(goals(told)).toMatchObject([{ condition: 'all is done' }, { iterations: 1 }, null]);
  expect(lastPrompt(model)).toBe('Work until all is done.');
});
