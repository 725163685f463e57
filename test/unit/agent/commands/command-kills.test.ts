import { describe, expect, it, onTestFinished } from 'vitest';
import { createDisk, playSession } from '../../../support/sessions/kept-session.ts';
import type { PlayOptions } from '../../../support/sessions/kept-session.ts';
import { asks, listModel, says, type Reply } from '../../../support/turns/play-turns.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import {
  isResult,
  openHost,
  quickHost,
  readUntil,
  silentModel,
  texts,
} from '../../../support/sessions/open-sessions.ts';

const write = (id: string) =>
  asks({
    type: 'tool_use',
    id,
    name: 'Write',
    input: { file_path: `/workspace/${id}.txt`, content: id },
  });

/** Its answers follow from the conversation, so that a resumed session gets the same ones. */
function answering(): PlayOptions['model'] {
  return {
    name: 'answering',
    apiKeySource: 'none',
    async *stream(request, options) {
      const said = JSON.stringify(request.messages.filter(({ role }) => role !== 'assistant'));
      const isAsked = said.includes('Write a.') && !said.includes('tool_result');
      yield* listModel('answering', [isAsked ? write('a') : says('Well.')]).stream(
        request,
        options,
      );
    },
  };
}

/** The command that had begun, and not ended, when the session was opened again. */
function findCut(entries: readonly JournalEntry[]): string | undefined {
  const opened = entries.findIndex((entry) => entry.type === 'opened' && entry.why === 'resume');
  const last = entries
    .slice(0, Math.max(0, opened))
    .findLast(({ type }) => type === 'turn' || type === 'result' || type === 'rewound');
  return last?.type === 'turn' ? last.command : undefined;
}

describe('a session with commands that is killed', () => {
  const prompts = ['Write a.', '/cost', '/rewind', '/plan Look.', '/nothing'];
  const options = { prompts, permissionMode: 'bypassPermissions' } as const;

  it('runs each command once, after whichever entry it was frozen', async () => {
    const whole = await playSession(createDisk(), { ...options, model: answering() });
    const outcome = async ({ fold, files }: typeof whole) => ({
      waiting: fold.waiting.length,
      turn: fold.turn,
      prompts: fold.prompts,
      rewinds: fold.entries.filter(({ type }) => type === 'rewound').length,
      files: Object.keys(await files()),
      mode: fold.permissions.findLast(({ mode }) => mode !== undefined)?.mode,
    });
    const expected = await outcome(whole);
    expect(expected).toMatchObject({
      waiting: 0,
      turn: undefined,
      prompts: ['/plan Look.'],
      rewinds: 1,
      mode: 'plan',
    });
    for (const freezeAfter of whole.boundaries) {
      const disk = createDisk();
      const before = await playSession(disk, { ...options, model: answering(), freezeAfter });
      expect(before.isFrozen || freezeAfter === whole.boundaries.at(-1)).toBe(true);
      const after = await playSession(disk, { ...options, model: answering() });
      const results = after.entries.flatMap((entry) => (entry.type === 'result' ? entry : []));
      const interrupted = results.filter(({ message }) =>
        String(message['result']).includes('was interrupted'),
      );
      const cut = findCut(after.entries);
      // One that was cut says so, and isn't run again.
      expect(interrupted.map(({ message }) => message['local_command'])).toEqual(
        cut === undefined ? [] : [cut],
      );
      if (cut === 'rewind') continue;
      expect(await outcome(after), `frozen after ${freezeAfter}`).toEqual(expected);
    }
  });
});

it('a goal that is killed after any entry is met all the same, and nothing is done twice', async () => {
  const script = (reply: (said: string) => Reply): PlayOptions['model'] => ({
    name: 'script',
    apiKeySource: 'none',
    async *stream(request, options) {
      const said = JSON.stringify(request.messages);
      yield* listModel('script', [reply(said)]).stream(request, options);
    },
  });
  const model = script((said) => {
    if (said.includes('tool_result')) return says('Written.');
    return said.includes('a is missing') ? write('a') : says('I will look.');
  });
  const smallModel = script((said) =>
    says(said.includes('Agent calls Write') ? 'met: a was written.' : 'unmet: a is missing.'),
  );
  const options = {
    prompts: ['/goal a is there'],
    permissionMode: 'bypassPermissions',
    model,
    smallModel,
  } as const;
  const whole = await playSession(createDisk(), options);
  expect(whole.fold.states.get('goal')).toMatchObject({ iterations: 2, outcome: 'met' });
  for (const freezeAfter of whole.boundaries) {
    const disk = createDisk();
    await playSession(disk, { ...options, freezeAfter });
    const { fold, entries } = await playSession(disk, options);
    const at = `frozen after ${freezeAfter}`;
    expect(fold.turn, at).toBe(undefined);
    expect(fold.states.get('goal'), at).toMatchObject({ iterations: 2, outcome: 'met' });
    const sentBack = entries.filter(
      (entry) => entry.type === 'context' && entry.source === 'sent-back',
    );
    expect(sentBack, at).toHaveLength(1);
    expect(entries.filter(({ type }) => type === 'settled').length, at).toBe(1);
  }
});

describe('an expanded command', () => {
  it('is sent as it was expanded, also where its file has changed before a resume', async () => {
    const medium = createMemoryMedium();
    const host = await openHost(medium);
    const path = '/workspace/.claude/commands/go.md';
    await host.workspace.fs.mkdir('/workspace/.claude/commands', { recursive: true });
    await host.workspace.fs.writeFile(path, 'Go to $1.');
    const settingSources = ['project'] as const;
    const killed = await openSession({ host, model: silentModel, sessionId: 's1', settingSources });
    await killed.send('/go home');
    const told = await readUntil(killed, ({ type }) => type === 'user');
    expect(texts(told)).toEqual(['user: /go home']);
    await host.workspace.fs.writeFile(path, 'Stay.');

    const next = await openHost(medium);
    onTestFinished(() => next[Symbol.asyncDispose]());
    const model = listModel('claude-test', [says('There.')]);
    await using session = await openSession({ host: next, model, resume: 's1', settingSources });
    const after = await readUntil(session, isResult);
    expect(texts(after)).toEqual(['user: /go home', 'assistant: There.']);
    const sent = model.requests[0]?.messages.map(({ content }) => content);
    expect(sent).toContain('Go to home.');
    expect(sent).not.toContain('/go home');
  });

  it('is told to viewers again as it was typed, and its output with the result', async () => {
    const host = await quickHost();
    await using session = await openSession({ host, model: silentModel });
    await session.send('/cost');
    const told = await readUntil(session, isResult);
    expect(texts(told)).toEqual(['user: /cost']);
    const again = await readUntil(session, isResult);
    const output = (messages: typeof told) =>
      messages.filter((one) => one.type === 'system' && one.subtype === 'local_command_output');
    expect(output(again)).toEqual(output(told));
    expect(output(told)).toHaveLength(1);
    expect(await session.supportedCommands()).toContainEqual(
      expect.objectContaining({ name: 'cost' }),
    );
  });
});
