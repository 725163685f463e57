import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { createTranscriptStore } from '../../../src/react/transcript-store.ts';
import type { CallEntry, TranscriptEntry } from '../../../src/react/transcript.ts';
import {
  assistant,
  denied,
  failure,
  informational,
  jsonDelta,
  modeSet,
  progress,
  prompt,
  retry,
  roleChanged,
  startCall,
  startMessage,
  startText,
  stopBlock,
  success,
  taskEnded,
  taskPrompt,
  taskStarted,
  textDelta,
  toolResult,
  toolUse,
} from '../../support/stages/sdk-messages.ts';

function createFolded(...messages: SDKMessage[]) {
  const permissions = createPermissionQueue();
  const store = createTranscriptStore({ permissions, now: () => 1000 });
  for (const message of messages) store.apply(message);
  return { store, permissions };
}

function lastEntries(store: ReturnType<typeof createTranscriptStore>): readonly TranscriptEntry[] {
  return store.getSnapshot().turns.at(-1)?.entries ?? [];
}

function callIn(store: ReturnType<typeof createTranscriptStore>, id = 'call-1'): CallEntry {
  const entry = lastEntries(store).find((candidate) => candidate.id === id);
  if (entry?.kind !== 'call') throw new Error(`There is no call ${id}.`);
  return entry;
}

const question = (toolUseID: string) => ({
  signal: new AbortController().signal,
  toolUseID,
  requestId: `question-${toolUseID}`,
});

describe('session store', () => {
  it('grows a text block delta by delta and keeps it as one entry when the message is complete', () => {
    const { store } = createFolded(prompt('hi'), startMessage(), startText(0), textDelta(0, 'Hel'));
    const streaming = lastEntries(store)[0];
    expect(streaming).toMatchObject({ kind: 'text', text: 'Hel', isStreaming: true });
    store.apply(textDelta(0, 'lo'));
    store.apply(stopBlock(0));
    store.apply(assistant([{ type: 'text', text: 'Hello' }]));
    expect(lastEntries(store)).toEqual([{ ...streaming, text: 'Hello', isStreaming: false }]);
  });

  it('walks a call through its states and shows its input while it streams', () => {
    const { store } = createFolded(prompt('go'), startMessage(), startCall(0, 'call-1', 'Read'));
    store.apply(jsonDelta(0, '{"file_path":"src/a'));
    expect(callIn(store)).toMatchObject({
      state: 'input-streaming',
      input: { file_path: 'src/a' },
    });
    store.apply(jsonDelta(0, '.ts"}'));
    store.apply(stopBlock(0));
    expect(callIn(store)).toMatchObject({
      state: 'input-available',
      input: { file_path: 'src/a.ts' },
    });
    store.apply(toolResult('call-1', '1\tx', { output: { type: 'text' } }));
    expect(callIn(store)).toMatchObject({
      state: 'output-available',
      output: { type: 'text' },
      resultText: '1\tx',
    });
  });

  it('shows calls that were never streamed', () => {
    const { store } = createFolded(
      prompt('go'),
      assistant([{ type: 'text', text: 'Looking.' }, toolUse('call-1', 'Glob', { pattern: '*' })]),
    );
    expect(lastEntries(store).map((entry) => entry.kind)).toEqual(['text', 'call']);
    expect(callIn(store).input).toEqual({ pattern: '*' });
  });

  it('follows a question to its answer', async () => {
    const { store, permissions } = createFolded(
      prompt('go'),
      assistant([toolUse('call-1', 'Edit', {})]),
    );
    const answer = permissions.canUseTool('Edit', {}, question('call-1'));
    expect(callIn(store).state).toBe('approval-requested');
    permissions.answer('question-call-1', { type: 'allow-once' });
    expect(callIn(store).state).toBe('approval-responded');
    expect(await answer).toEqual({ behavior: 'allow' });
  });

  it('shows a question that came before the message that its call stands in', () => {
    const { store, permissions } = createFolded(prompt('go'));
    void permissions.canUseTool('Edit', {}, question('call-1'));
    store.apply(assistant([toolUse('call-1', 'Edit', {})]));
    expect(callIn(store).state).toBe('approval-requested');
  });

  it('ends a refused call as denied, with what the model was told', async () => {
    const { store, permissions } = createFolded(
      prompt('go'),
      assistant([toolUse('call-1', 'Edit', {})]),
    );
    const answer = permissions.canUseTool('Edit', {}, question('call-1'));
    permissions.answer('question-call-1', { type: 'deny', message: 'not this file' });
    store.apply(toolResult('call-1', 'The user said no: not this file', { isError: true }));
    expect(callIn(store)).toMatchObject({
      state: 'output-denied',
      resultText: 'The user said no: not this file',
    });
    expect(await answer).toEqual({
      behavior: 'deny',
      message: 'The user said no: not this file',
    });
  });

  it('ends a call that a rule refused as denied, and one that failed as an error', () => {
    const { store } = createFolded(
      prompt('go'),
      assistant([toolUse('call-1', 'Edit', {}), toolUse('call-2', 'Read', {})]),
      denied('call-1', 'A rule forbids it.'),
      toolResult('call-1', 'A rule forbids it.', { isError: true }),
      toolResult('call-2', 'No such file.', { isError: true }),
    );
    expect(callIn(store, 'call-1').state).toBe('output-denied');
    expect(callIn(store, 'call-2')).toMatchObject({
      state: 'output-error',
      resultText: 'No such file.',
    });
  });

  it('collects progress, and drops the oldest beyond a thousand', () => {
    const { store } = createFolded(prompt('go'), assistant([toolUse('call-1', 'Repl', {})]));
    for (let chunk = 0; chunk < 1005; chunk += 1) {
      store.apply(progress('call-1', { stdout: `${chunk}\n` }, chunk));
    }
    const call = callIn(store);
    expect(call.progress).toHaveLength(1000);
    expect(call.progress[0]).toEqual({ stdout: '5\n' });
    expect(call).toMatchObject({ droppedProgress: 5, elapsedSeconds: 1004 });
  });

  it('begins a message anew when the server does', () => {
    const { store } = createFolded(
      prompt('go'),
      startMessage(),
      startText(0),
      textDelta(0, 'Half a'),
      startMessage('msg_2'),
      startText(0),
      textDelta(0, 'Whole'),
    );
    expect(lastEntries(store).map((entry) => entry.kind === 'text' && entry.text)).toEqual([
      'Whole',
    ]);
  });

  it('leaves nothing running after a turn that was stopped', () => {
    const { store } = createFolded(
      prompt('go'),
      startMessage(),
      startText(0),
      textDelta(0, 'I will'),
      startCall(1, 'call-1', 'Read'),
      assistant([{ type: 'text', text: 'I will' }], true),
      failure('Stopped.'),
    );
    expect(callIn(store).state).toBe('output-stopped');
    expect(lastEntries(store).at(-1)).toMatchObject({ kind: 'notice', text: 'Stopped.' });
    expect(store.getSnapshot().isRunning).toBe(false);
  });

  it('has the mode that holds, whoever has set it', () => {
    const { store } = createFolded(prompt('go'));
    expect(store.getSnapshot().permissionMode).toBeNull();
    store.apply(modeSet('plan'));
    expect(store.getSnapshot().permissionMode).toBe('plan');
    // It is no line of the transcript.
    expect(lastEntries(store)).toEqual([]);
  });

  it('says why a session broke', () => {
    const { store } = createFolded(prompt('go'), assistant([toolUse('call-1', 'Read', {})]));
    store.fail(new SdkError('model-authentication', 'The key is wrong. Enter another.'));
    expect(callIn(store).state).toBe('output-stopped');
    expect(lastEntries(store).at(-1)).toMatchObject({
      kind: 'notice',
      level: 'error',
      text: 'The key is wrong. Enter another.',
    });
    expect(store.getSnapshot().isRunning).toBe(false);
  });

  it('opens a turn a prompt, and shows an echoed prompt once', () => {
    const first = prompt('one', 'prompt-1');
    const { store } = createFolded(first, first, success(), prompt('two'), success());
    expect(store.getSnapshot().turns.map((turn) => [turn.prompt, turn.endedAt])).toEqual([
      ['one', 1000],
      ['two', 1000],
    ]);
  });

  it('keeps the objects of turns and entries that did not change', () => {
    const { store } = createFolded(
      prompt('one'),
      assistant([toolUse('call-1', 'Read', {})]),
      toolResult('call-1', 'x'),
      success(),
      prompt('two'),
      assistant([toolUse('call-2', 'Read', {}), toolUse('call-3', 'Read', {})]),
    );
    const before = store.getSnapshot();
    store.apply(progress('call-3', 'tick'));
    const after = store.getSnapshot();
    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
    expect(after.turns[1]?.entries[0]).toBe(before.turns[1]?.entries[0]);
    expect(after.turns[1]?.entries[1]).not.toBe(before.turns[1]?.entries[1]);
    expect(store.getSnapshot()).toBe(after);
  });

  it('tells retries in one line that counts up, until the server has answered', () => {
    const { store } = createFolded(prompt('go'), retry(1), retry(2));
    const first = lastEntries(store).map((entry) => entry.kind === 'notice' && entry.text);
    expect(first).toEqual([
      "The model's server didn't answer as it should (no answer). Trying again in 1 s (try 2 of 3).",
    ]);
    store.apply(startMessage());
    store.apply(retry(1));
    expect(lastEntries(store)).toHaveLength(2);
  });

  it('says what went wrong once, where all tries have failed', () => {
    const { store } = createFolded(prompt('go'), retry(1), retry(2), failure('Overloaded.'));
    expect(lastEntries(store)).toMatchObject([{ level: 'error', text: 'Overloaded.' }]);
  });

  it.each([
    ['info', 'information'],
    ['warning', 'warning'],
  ] as const)('shows what a hook says at level %s as %s', (given, level) => {
    const { store } = createFolded(prompt('go'), informational('Mind the gap.', given));
    expect(lastEntries(store)).toMatchObject([{ kind: 'notice', level, text: 'Mind the gap.' }]);
  });

  it.each([
    ['aborted_streaming', 'information'],
    ['aborted_tools', 'information'],
    ['api_error', 'error'],
  ])('shows a turn that ended by %s as %s', (terminal_reason, level) => {
    const { store } = createFolded(prompt('go'), { ...failure('It ended.'), terminal_reason });
    expect(lastEntries(store)).toMatchObject([{ kind: 'notice', level, text: 'It ended.' }]);
  });

  it('tells listeners once a frame when it is given a schedule', () => {
    let flush = () => {};
    const store = createTranscriptStore({ schedule: (notify) => (flush = notify) });
    let heard = 0;
    store.subscribe(() => (heard += 1));
    store.apply(prompt('go'));
    store.apply(startMessage());
    expect(heard).toBe(0);
    flush();
    expect(heard).toBe(1);
  });

  it('follows a call in the background, also when its task is told of before the call is', () => {
    const { store } = createFolded(prompt('go'), taskStarted('call-1'));
    expect(store.getSnapshot().tasks).toMatchObject([{ taskId: 'b1', description: 'Counts' }]);
    store.apply(assistant([toolUse('call-1', 'Repl', { code: '1' })]));
    store.apply(toolResult('call-1', 'It runs.', { output: { backgroundTaskId: 'b1' } }));
    store.apply(success());
    store.apply(progress('call-1', { stdout: '1' }));
    expect(callIn(store)).toMatchObject({
      state: 'output-available',
      progress: [{ stdout: '1' }],
      task: { status: 'running', summary: '' },
    });
    store.apply(taskEnded('call-1', 'failed'));
    expect(store.getSnapshot().tasks).toEqual([]);
    expect(callIn(store).task).toMatchObject({
      status: 'failed',
      summary: 'It failed.',
      decision: { changes: { behavior: 'deny' } },
    });
    expect(lastEntries(store).at(-1)).toMatchObject({ kind: 'notice', level: 'warning' });
  });

  it('shows a turn that a task began, without a prompt, and says so', () => {
    const { store } = createFolded(prompt('go'), success(), taskPrompt());
    expect(store.getSnapshot()).toMatchObject({ isRunning: true });
    const { turns } = store.getSnapshot();
    expect(turns.map((turn) => turn.prompt)).toEqual(['go', '']);
    expect(turns.map((turn) => turn.begunBy)).toEqual([undefined, 'task-notification']);
  });

  it('shows no task as running once the session has broken', () => {
    const { store } = createFolded(prompt('go'), taskStarted('call-1'));
    store.fail(new Error('gone'));
    expect(store.getSnapshot().tasks).toEqual([]);
  });
});

describe('a session in several tabs', () => {
  it('says where it runs, and when it goes on here', () => {
    const { store } = createFolded();
    expect(store.getSnapshot().role).toBeNull();
    for (const message of [roleChanged('viewer'), prompt('hi')]) store.apply(message);
    expect(store.getSnapshot()).toMatchObject({ role: 'viewer', turns: [{ entries: [] }] });
    store.apply(roleChanged('runner'));
    expect(store.getSnapshot().role).toBe('runner');
    expect(lastEntries(store)).toMatchObject([
      { kind: 'notice', text: 'The tab that ran this has let it go. It goes on in this one.' },
    ]);
  });

  it('shows a prompt after those of other tabs that were answered first', () => {
    const text = (said: string) => assistant([{ type: 'text', text: said }]);
    const { store } = createFolded(
      prompt('mine', 'p2'),
      ...[prompt('theirs', 'p1'), text('One.'), success()],
      ...[prompt('mine', 'p2'), text('Two.')],
    );
    expect(store.getSnapshot()).toMatchObject({
      isRunning: true,
      turns: [
        { prompt: 'theirs', entries: [{ text: 'One.' }] },
        { prompt: 'mine', entries: [{ text: 'Two.' }], endedAt: null },
      ],
    });
  });
});

describe('a compaction', () => {
  const common = { uuid: 'u', session_id: 's' } as const;
  const status = (rest: object) =>
    ({ type: 'system', subtype: 'status', ...common, ...rest }) as SDKMessage;
  const texts = (store: ReturnType<typeof createTranscriptStore>) =>
    lastEntries(store).map((entry) =>
      entry.kind === 'notice' ? [entry.level, entry.text] : entry,
    );

  it('shows that it goes on while it does, and then one line', () => {
    const { store } = createFolded(prompt('go'), status({ status: 'compacting' }));
    expect(texts(store)).toEqual([['information', 'Summing up the conversation …']]);
    store.apply({
      type: 'system',
      subtype: 'compact_boundary',
      ...common,
      compact_metadata: { trigger: 'auto', pre_tokens: 180_000, post_tokens: 24_000 },
    });
    store.apply(status({ status: null, compact_result: 'success' }));
    expect(texts(store)).toEqual([
      [
        'information',
        'The conversation before this was summed up: some 24000 tokens in the place of 180000.',
      ],
    ]);
  });

  it('that failed says why', () => {
    const { store } = createFolded(
      prompt('go'),
      status({ status: 'compacting' }),
      status({ status: null, compact_result: 'failed', compact_error: 'It is down.' }),
    );
    expect(texts(store)).toEqual([['warning', 'It is down.']]);
  });

  it('whose end is never told is over with its turn', () => {
    const { store } = createFolded(prompt('go'), status({ status: 'compacting' }));
    store.apply(success());
    expect(texts(store)).toEqual([]);
  });
});
