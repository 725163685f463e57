// What is known of a session is the fold over what was recorded. After whole sessions, folding the
// entries afresh gives the same, and the messages made of them are those that were told.
import { afterEach, describe, expect, it } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import { toKeptMessages } from '../../../../src/agent/journal/kept-messages.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import { createPermissionState } from '../../../../src/agent/permissions/permission-state.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import type { ModelEvent } from '../../../../src/core/messages/messages.ts';
import type { CanUseTool } from '../../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { findDisorder } from '../../../support/sessions/check-journal.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { openRecorded, reread } from '../../../support/sessions/recorded-session.ts';
import type { RecordedOptions, Streams } from '../../../support/sessions/recorded-session.ts';
import { callOf, here } from '../../../support/stages/run-calls.ts';
import { plainTool } from '../../../support/stages/test-tools.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';

type Recorded = Awaited<ReturnType<typeof openRecorded>>;

const opened: Recorded[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

async function open(streams: Streams, options: RecordedOptions = {}): Promise<Recorded> {
  const one = await openRecorded(streams, options);
  opened.push(one);
  return one;
}

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const asks =
  (...content: readonly ContentBlock[]) =>
  () =>
    stream(toEvents(assistantMessage(content, { stop_reason: 'tool_use' })));
const says = (said: string) => () =>
  stream(toEvents(assistantMessage([text(said)], { stop_reason: 'end_turn' })));

async function* stream(events: Iterable<ModelEvent>): AsyncGenerator<ModelEvent, void> {
  for (const event of events) {
    // As over a network: calls run while the rest comes.
    await Promise.resolve();
    yield event;
  }
}

/** All that must hold of a session at rest. */
async function check({ session, journal, initial, told }: Recorded): Promise<JournalEntry[]> {
  const { fold } = journal;
  const entries = await reread(fold.entries);
  expect(findDisorder(entries)).toBeUndefined();
  const again = new SessionFold();
  const retold: SDKMessage[] = [];
  for (const entry of entries) {
    again.apply(entry);
    const isPrompt = entry.type === 'turn' && !again.turn?.prompt?.origin;
    if (!isPrompt) retold.push(...toKeptMessages(entry, again));
  }
  const { messages, prompts, usage, waiting } = again;
  expect({ messages, prompts, usage, waiting }).toEqual({
    messages: session.messages,
    prompts: session.prompts,
    usage: fold.usage,
    waiting: [],
  });
  expect(retold).toEqual(told.filter(({ n }) => n !== undefined));
  const known = (reads: Iterable<[string, number]>) => Object.fromEntries(reads);
  expect(known(again.reads.entries())).toEqual(known(session.readFileState.entries()));
  expect(again.own).toEqual(fold.own);
  const { cwd } = session;
  const { current } = createPermissionState(initial, cwd, again.permissions);
  expect(current()).toEqual(session.permissions.current());
  const tokens = again.usage.reduce((sum, one) => sum + one.usage.output_tokens, 0);
  const metered = Object.values(session.usage.modelUsage());
  expect(tokens).toBe(metered.reduce((sum, { outputTokens }) => sum + outputTokens, 0));
  return entries;
}

const kinds = (entries: readonly JournalEntry[]) => entries.map(({ type }) => type);
const edit = (id: string, from: string, to: string) =>
  callOf('Edit', { file_path: '/workspace/a.txt', old_string: from, new_string: to }, id);

describe('a recorded session', () => {
  it('has reads, edits and answered questions', async () => {
    const answers: Awaited<ReturnType<CanUseTool>>[] = [
      { behavior: 'deny', message: 'Not yet.' },
      {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ];
    const one = await open(
      [
        asks(text('I look.'), callOf('Read', { file_path: '/workspace/a.txt' }, 'r')),
        asks(edit('e1', 'one', '1')),
        asks(edit('e2', 'one', '1'), edit('e3', 'two', '2')),
        says('Done.'),
        says('You are welcome.'),
      ],
      { canUseTool: () => Promise.resolve(answers.shift() ?? null) },
    );
    await one.play('Edit it.');
    await one.play('Thank you.');
    const entries = await check(one);
    expect(await one.host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('1\n2\n');
    expect(kinds(entries).slice(0, 14)).toEqual([
      ...['session', 'opened', 'prompt', 'context', 'state', 'turn', 'context', 'context'],
      'request',
      ...['block', 'block', 'call', 'reply', 'usage'],
    ]);
    expect(entries.filter(({ type }) => type === 'answer')).toHaveLength(2);
    // Where it changed something, a call's end is in the record of its commit.
    const committed = entries.filter(({ seq }) => seq !== undefined);
    expect(committed.map((entry) => entry.type === 'settled' && entry.id)).toEqual(['e2', 'e3']);
  });

  it('has cells with the calls that they make', async () => {
    const code = `
      const { content } = await tools.Read({ file_path: '/workspace/a.txt' }).catch((e) => e);
      await tools.Write({ file_path: '/workspace/b.txt', content: 'new' });
      1 + 1`;
    const one = await open([asks(callOf('Repl', { code }, 'cell')), says('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    await one.play('Run it.');
    const entries = await check(one);
    const nested = entries.flatMap((entry) => (entry.type === 'call' ? [entry] : []));
    expect(nested.map(({ tool, origin, parent }) => [tool, origin, parent])).toEqual([
      ['Repl', 'model', undefined],
      ['Read', 'code', 'cell'],
      ['Write', 'code', 'cell'],
    ]);
    const ids = nested.slice(1).map(({ id }) => id);
    expect(ids).toEqual([0, 1].map((made) => one.session.ids.of('nested', 'cell', made)));
  });

  it('has what hooks say', async () => {
    const one = await open(
      [asks(callOf('Read', { file_path: '/workspace/a.txt' }, 'r')), says('Done.'), says('More.')],
      {
        hooks: {
          UserPromptSubmit: [{ hooks: [async () => ({ systemMessage: 'Heard.' })] }],
          PostToolUse: [
            {
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: 'PostToolUse',
                    additionalContext: 'Mind the gap.',
                  },
                }),
              ],
            },
          ],
        },
      },
    );
    await one.play('Read it.');
    const entries = await check(one);
    const contexts = entries.flatMap((entry) => (entry.type === 'context' ? [entry] : []));
    expect(JSON.stringify(contexts)).toContain('Mind the gap.');
  });

  it('has an edit that hooks hear of when it is committed, and shows nobody what they hide', async () => {
    const hide: HookCallback<'PostToolUse'> = async ({ tool_response }) => ({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        updatedToolOutput: { ...(tool_response as object), filePath: '/workspace/hidden.txt' },
      },
    });
    const one = await open(
      [
        asks(callOf('Read', { file_path: '/workspace/a.txt' }, 'r')),
        asks(edit('e', 'one', '1')),
        says('Done.'),
      ],
      {
        permissionMode: 'acceptEdits',
        hooks: { PostToolUse: [{ matcher: 'Edit', hooks: [hide] }] },
      },
    );
    await one.play('Edit it.');
    const entries = await check(one);
    const ends = entries.filter(
      (entry) => (entry.type === 'settled' || entry.type === 'amended') && entry.id === 'e',
    );
    expect(kinds(ends)).toEqual(['settled', 'amended']);
    const told = JSON.stringify(one.told.filter(({ type }) => type === 'user').slice(-1));
    expect([told.includes('hidden.txt'), told.includes('a.txt')]).toEqual([true, false]);
  });

  it('has background tasks and the turns that they begin', async () => {
    const one = await open(
      [
        asks(callOf('Repl', { code: '1 + 1', run_in_background: true }, 'bg')),
        says('It runs.'),
        says('It is done.'),
      ],
      { permissionMode: 'bypassPermissions' },
    );
    await one.play('Start it.');
    await expect.poll(() => one.told.some((m) => 'status' in m)).toBe(true);
    const news = await one.playNews();
    const entries = await check(one);
    const tasks = entries.flatMap((entry) => (entry.type === 'task' ? [entry.status] : []));
    expect(tasks).toEqual(['running', 'completed']);
    // It may have ended before the first turn did.
    const synthetic = one.told.filter((m) => m.type === 'user' && m.isSynthetic);
    expect(synthetic).toHaveLength(news ? 1 : 0);
  });

  it('has replies that were cut, stopped and begun anew', async () => {
    const controller = new AbortController();
    const read = callOf('Read', { file_path: '/workspace/a.txt' }, 'r');
    const whole = [...toEvents(assistantMessage([text('I look.'), read]))];
    const closes = whole.findLastIndex(({ type }) => type === 'content_block_stop');
    const one = await open([
      () => stream(whole.slice(0, closes + 1)),
      async function* stopped() {
        yield* whole.slice(0, closes + 1);
        controller.abort();
        throw new SdkError('aborted', 'It was stopped.');
      },
      () => stream([...whole.slice(0, closes + 1), ...whole]),
      says('Done.'),
    ]);
    expect((await one.play('First.')).end.type).toBe('failed');
    expect((await one.play('Second.', { signal: controller.signal })).end.type).toBe('stopped');
    expect((await one.play('Third.')).end.type).toBe('completed');
    const entries = await check(one);
    const ends = entries.flatMap((entry) => (entry.type === 'reply' ? [entry.end] : []));
    expect(ends).toEqual(['cut', 'cut', 'void', 'whole', 'whole']);
  });
});

it('goes on behind what was recorded, with what it knew', async () => {
  const canUseTool: CanUseTool = () =>
    Promise.resolve({
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
  const first = await open(
    [
      asks(callOf('Read', { file_path: '/workspace/a.txt' }, 'r')),
      asks(edit('e1', 'one', '1')),
      says('Done.'),
    ],
    { canUseTool },
  );
  await first.play('Edit it.');
  const past = await check(first);
  // Nobody is there to ask, and nothing is read again.
  const again = await open([asks(edit('e2', 'two', '2')), says('Done.')], {
    host: first.host,
    past,
  });
  await again.play('And the other line.');
  const { entries } = again.journal.fold;
  expect(findDisorder(entries)).toBeUndefined();
  expect(again.session.prompts).toEqual(['Edit it.', 'And the other line.']);
  expect(await first.host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('1\n2\n');
  const uuids = [...first.told, ...again.told].map(({ uuid }) => uuid);
  expect(new Set(uuids).size).toBe(uuids.length);
});

/** What a made-up store takes doesn't land in this workspace's own streams, so no checkpoint may, either. */
function refuseCheckpoints({ roots }: Pick<Workspace, 'roots'>): void {
  Object.assign(roots, { checkpoint: () => Promise.reject(new Error('No checkpoint.')) });
}

it('has the result of a tool whose output JSON can’t say', async () => {
  const store = { stream: 'sessions/one', append: () => Promise.resolve() };
  const output: Record<string, unknown> = {};
  output['self'] = output;
  const tool = here(plainTool({ name: 'Odd', isReadOnly: () => true }), {
    call: () => Promise.resolve({ data: output }),
    mapToolResultToToolResultBlockParam: (_, id) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: 'It is odd.',
    }),
  });
  const one = await open([asks(callOf('Odd', {}, 'o')), says('Done.')], { store, tools: [tool] });
  refuseCheckpoints(one.host.workspace);
  expect((await one.play('Go.')).end.type).toBe('completed');
  await check(one);
  expect(JSON.stringify(one.told)).toContain('It is odd.');
});

describe('a journal that can’t be written', () => {
  it.each([
    ['ENOSPC', 'The medium is full'],
    ['EFENCED', 'taken this session over'],
  ] as const)('ends the turn with %s, and nothing runs afterwards', async (code, sentence) => {
    let appends = 0;
    const store = {
      stream: 'sessions/one',
      append: () => {
        appends += 1;
        return appends > 3 ? Promise.reject(new SdkError(code, 'No.')) : Promise.resolve();
      },
    };
    const one = await open(
      [
        asks(callOf('Read', { file_path: '/workspace/a.txt' }, 'r')),
        asks(callOf('Write', { file_path: '/workspace/b.txt', content: 'b' }, 'w')),
        says('Done.'),
      ],
      { store, permissionMode: 'bypassPermissions' },
    );
    refuseCheckpoints(one.host.workspace);
    const { end } = await one.play('Go.');
    expect(end).toMatchObject({ type: 'failed', error: { code } });
    const last = one.told.at(-1);
    expect(last).toMatchObject({ type: 'result', is_error: true, error_code: code });
    expect(JSON.stringify(last)).toContain(sentence);
    const { fs } = one.host.workspace;
    await expect(fs.stat('/workspace/b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
