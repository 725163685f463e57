// Prompts that are no commands, whatever they begin with: their text isn't a person's typing.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { SDKMessage, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import {
  isResult,
  openHost,
  quickHost,
  readUntil,
  silentModel,
  texts,
} from '../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../support/turns/play-turns.ts';
import { readAll } from '../../../support/turns/run-hooked.ts';
import { lastPrompt, talk } from '../../../support/sessions/talk-commands.ts';

const composed = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  client_composed: true,
});

const untilResult = (count: number) => {
  let results = 0;
  return (message: SDKMessage) => isResult(message) && (results += 1) === count;
};

describe('verbatimPrompts', () => {
  it('sends what looks like a command as it is, as a text and as a message', async () => {
    const model = listModel('m', [says('One.'), says('Two.')]);
    const host = await quickHost();
    const options = { model, verbatimPrompts: true };
    const told = await readAll(query({ prompt: '/cost', options: { ...options, host } }));
    expect(told.at(-1)).toMatchObject({ result: 'One.' });
    expect(told.at(-1)).not.toHaveProperty('local_command');
    expect(lastPrompt(model)).toBe('/cost');
    const { texts: said } = await talk(host, ['/nothing of the kind'], options);
    expect(said).toEqual([]);
    expect(lastPrompt(model)).toBe('/nothing of the kind');
  });

  it('runs no command of the workspace, and asks no hook about one', async () => {
    const host = await quickHost();
    await host.workspace.fs.mkdir('/workspace/.claude/commands', { recursive: true });
    await host.workspace.fs.writeFile('/workspace/.claude/commands/go.md', 'Do it.');
    const model = listModel('m', [says('One.')]);
    const expanded: string[] = [];
    const hooks = {
      UserPromptExpansion: [{ hooks: [async () => (expanded.push('asked'), {})] }],
    };
    const settingSources = ['project'] as const;
    await talk(host, ['/go'], { model, verbatimPrompts: true, settingSources, hooks });
    expect(lastPrompt(model)).toBe('/go');
    expect(expanded).toEqual([]);
  });

  it('is true or false', async () => {
    const options = { host: await quickHost(), model: listModel('m', []), verbatimPrompts: 'yes' };
    expect(() => query({ prompt: 'x', options: options as never })).toThrow(
      'verbatimPrompts is true or false, not "yes".',
    );
  });
});

describe('client_composed', () => {
  it('holds for its message alone', async () => {
    const model = listModel('m', [says('One.')]);
    const session = await openSession({ host: await quickHost(), model });
    onTestFinished(() => session.close());
    await session.send(composed('/cost of living?'));
    await session.send('/cost');
    const told = await readUntil(session, untilResult(2));
    expect(lastPrompt(model)).toBe('/cost of living?');
    expect(told.filter(isResult)).toMatchObject([{ result: 'One.' }, { local_command: 'cost' }]);
  });

  it('goes along where /clear moves a prompt that waits', async () => {
    const model = listModel('m', [says('One.')]);
    const session = await openSession({ host: await quickHost(), model });
    onTestFinished(() => session.close());
    await Promise.all([session.send('/clear'), session.send(composed('/cost'))]);
    const told = await readUntil(session, untilResult(2));
    expect(told.at(-1)).toMatchObject({ result: 'One.', session_id: session.id });
    expect(texts(told)).toEqual(['user: /clear', 'user: /cost', 'assistant: One.']);
  });

  it('holds for a prompt that a killed page has left', async () => {
    const medium = createMemoryMedium();
    const sessionId = 's1';
    const host = await openHost(medium);
    const first = await openSession({ host, model: silentModel, sessionId });
    await first.send('Hold.');
    await first.send(composed('/cost'));
    const model = listModel('m', [says('One.'), says('Two.')]);
    const second = await openSession({ host: await openHost(medium), model, resume: sessionId });
    onTestFinished(() => second.close());
    const told = await readUntil(second, untilResult(2));
    expect(told.at(-1)).toMatchObject({ result: 'Two.' });
    expect(lastPrompt(model)).toBe('/cost');
  });

  it.each([false, 'yes'])('is refused where it is %s', async (client_composed) => {
    const model = listModel('m', []);
    const session = await openSession({ host: await quickHost(), model });
    onTestFinished(() => session.close());
    const message = { ...composed('Hello.'), client_composed } as never;
    await expect(session.send(message)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('client_composed of a prompt is true'),
    });
  });
});
