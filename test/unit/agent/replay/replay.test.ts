// A session's file is played again: nothing differs where nothing was changed, and what was changed is named
// at the right place.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../../src/agent/host.ts';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import { writeJournalFile } from '../../../../src/agent/journal/journal-file.ts';
import { readBase } from '../../../../src/agent/journal/session-base.ts';
import type { SessionBase } from '../../../../src/agent/journal/session-base.ts';
import { replay } from '../../../../src/agent/replay/replay.ts';
import type { ReplayOptions } from '../../../../src/agent/replay/replay.ts';
import type { ContentBlock } from '../../../../src/core/blocks.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { JournalEntry } from '../../../../src/core/journal.ts';
import type { ModelEvent } from '../../../../src/core/messages.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { InlineHostOptions } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/model-streams.ts';
import { openRecorded } from '../../../support/recorded-session.ts';
import type { RecordedOptions, Streams } from '../../../support/recorded-session.ts';
import { callOf } from '../../../support/run-calls.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const asks =
  (...content: readonly ContentBlock[]) =>
  () =>
    stream(toEvents(assistantMessage(content, { stop_reason: 'tool_use' })));
const says = (said: string) => () => stream(toEvents(assistantMessage([text(said)])));
const read = (id: string) => callOf('Read', { file_path: '/workspace/a.txt' }, id);
const edit = (id: string, from: string, to: string) =>
  callOf('Edit', { file_path: '/workspace/a.txt', old_string: from, new_string: to }, id);
const cell = (id: string, code: string) => callOf('Repl', { code }, id);

async function* stream(events: Iterable<ModelEvent>): AsyncGenerator<ModelEvent, void> {
  yield* events;
}

async function openHost(options: InlineHostOptions = {}): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm, ...options });
  opened.push(host);
  return host;
}

interface Recording {
  readonly entries: readonly JournalEntry[];
  readonly base: SessionBase;
}

/** Plays the prompts, and gives what an export has. */
async function record(
  streams: Streams,
  options: RecordedOptions = {},
  prompts: readonly string[] = ['Go.'],
): Promise<Recording> {
  const one = await openRecorded(streams, options);
  opened.push(one);
  const { workspace } = one.host;
  const base = await readBase(workspace.fs, workspace.seq());
  for (const prompt of prompts) await one.play(prompt);
  return { entries: one.journal.fold.entries, base };
}

const toFile = (entries: readonly JournalEntry[], base?: SessionBase) =>
  writeJournalFile(
    'session-1',
    entries.map((entry) => encodeRecord(entry)),
    base,
  );

async function verify(
  { entries }: Recording,
  options: Partial<ReplayOptions> = {},
): ReturnType<typeof replay> {
  return replay(await toFile(entries), { host: await openHost(), ...options });
}

async function rerun({ entries, base }: Recording, options: Partial<ReplayOptions> = {}) {
  const host = await openHost();
  const result = await replay(await toFile(entries, base), { host, mode: 'rerun', ...options });
  return { ...result, host };
}

const count = ({ entries }: Recording, type: JournalEntry['type']) =>
  entries.filter((entry) => entry.type === type).length;

/** Its work is on the page, so it never runs again. */
function pageTool(description: string): Tool {
  return buildTool({
    name: 'Note',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve(description),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => true,
    call: () => Promise.resolve({ data: 'noted' }),
    mapToolResultToToolResultBlockParam: (output, id) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: String(output),
    }),
  }) as Tool;
}

/** Reads, an edit that is refused and one that is allowed, cells that keep variables, and a second turn. */
async function recordLong(): Promise<Recording> {
  const answers = [
    { behavior: 'deny', message: 'Not yet.' },
    {
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    },
  ] as const;
  let asked = 0;
  // A year that the replay's own clock doesn't show.
  const host = await openHost({ clock: createVirtualClock(Date.UTC(2001, 6, 1)) });
  await host.workspace.fs.writeFile('/workspace/a.txt', 'one\ntwo\n');
  return record(
    [
      asks(text('I look.'), read('r1')),
      asks(edit('e1', 'one', '1')),
      asks(edit('e2', 'one', '1'), edit('e3', 'two', '2')),
      asks(cell('c1', 'let x = [Math.random(), new Date().getUTCFullYear()]; x')),
      asks(cell('c2', "x.push(Math.random()); await fs.promises.writeFile('b.txt', 'b'); x")),
      says('Done.'),
      asks(read('r2'), callOf('Glob', { pattern: '*.txt' }, 'g')),
      says('You are welcome.'),
    ],
    { host, canUseTool: () => Promise.resolve(answers[asked++] ?? { behavior: 'allow' }) },
    ['Edit it.', 'Look again.'],
  );
}

describe('a replay that verifies', () => {
  it('finds no difference where nothing was changed, and touches no file', async () => {
    const session = await recordLong();
    const host = await openHost();
    expect(await verify(session, { host })).toEqual({
      sessionId: 'session-1',
      version: expect.any(String),
      entries: session.entries.length,
      requests: count(session, 'request'),
      calls: 0,
    });
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
  });

  it('finds none where replies were cut, stopped and begun anew, and hooks have spoken', async () => {
    const whole = [...toEvents(assistantMessage([text('I look.'), read('r')]))];
    const closes = whole.findLastIndex(({ type }) => type === 'content_block_stop');
    const session = await record(
      [
        () => stream(whole.slice(0, closes + 1)),
        async function* overloaded() {
          throw new SdkError('model-overloaded', 'Later.');
        },
        () => stream([...whole.slice(0, closes + 1), ...whole]),
        says('Done.'),
      ],
      {
        hooks: {
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
      ['First.', 'Second.', 'Third.'],
    );
    const result = await verify(session);
    expect(result.difference).toBeUndefined();
    expect(result.requests).toBe(count(session, 'request'));
  });

  it('finds none in plan mode, which is told and taken back', async () => {
    const one = await openRecorded([says('A plan.'), says('Done.')], { permissionMode: 'plan' });
    opened.push(one);
    await one.play('Plan.');
    one.session.permissions.setMode('default');
    await one.play('Do it.');
    const { entries } = one.journal.fold;
    const file = await toFile(entries);
    const host = await openHost();
    const result = await replay(file, { host, permissionMode: 'plan' });
    expect([result.difference, result.requests]).toEqual([undefined, 2]);
    const other = await replay(file, { host, permissionMode: 'default' });
    expect(other.difference).toMatchObject({ kind: 'messages' });
  });

  it('finds none after a rewind and a compaction', async () => {
    const one = await openRecorded([
      asks(read('r')),
      says('Done.'),
      says('Second.'),
      says('Another second.'),
      says('Third.'),
    ]);
    opened.push(one);
    const { journal } = one;
    await one.play('First.');
    const to = journal.fold.length;
    await one.play('Wrong.');
    await journal.record({ type: 'rewound', to });
    await one.play('Second.');
    await journal.record({
      type: 'compacted',
      keepFrom: journal.fold.length,
      summary: [{ role: 'user', content: 'It was read.' }],
      trigger: 'manual',
    });
    await one.play('Third.');
    const { entries } = journal.fold;
    const result = await replay(await toFile(entries), { host: await openHost() });
    expect([result.difference, result.requests]).toEqual([undefined, 5]);
  });

  it('names another system prompt, at the first request', async () => {
    const session = await record([says('Done.')], { systemPrompt: 'Be kind.' });
    expect((await verify(session, { systemPrompt: 'Be kind.' })).difference).toBeUndefined();
    const { difference, requests } = await verify(session, { systemPrompt: 'Be brief.' });
    expect(requests).toBe(1);
    expect(difference).toMatchObject({
      kind: 'system',
      actual: expect.stringMatching('Be brief.'),
    });
    expect(session.entries[(difference?.at ?? 0) - 1]?.type).toBe('request');
    expect(difference?.message).toMatch(/^Request 1 \(entry \d+\) has another system prompt\./u);
  });

  it('names the tool whose description was changed, is new, or is gone', async () => {
    const tools = (...own: readonly Tool[]) => ['Read', ...own];
    const session = await record([asks(callOf('Note', {}, 'n')), says('Done.')], {
      tools: tools(pageTool('Takes a note.')),
    });
    expect(
      (await verify(session, { tools: tools(pageTool('Takes a note.')) })).difference,
    ).toBeUndefined();
    const changed = await verify(session, { tools: tools(pageTool('Takes notes.')) });
    expect(changed.difference).toMatchObject({
      kind: 'tools',
      message: expect.stringContaining('Note is defined otherwise'),
      actual: expect.stringContaining('Takes notes.'),
    });
    const fewer = await verify(session, { tools: ['Read'] });
    expect(fewer.difference?.message).toContain('Note is not there any more');
    const more = await verify(session, { tools: ['Edit', ...tools(pageTool('Takes a note.'))] });
    expect(more.difference?.message).toContain('Edit is new');
  });

  it('names the request and the message from which on the conversation differs', async () => {
    const session = await recordLong();
    const at = session.entries.findIndex((entry) => entry.type === 'results' && entry.step === 3);
    const entries = session.entries.map((entry, index) =>
      index === at
        ? (JSON.parse(
            JSON.stringify(entry).replace('"content":"', '"content":"Well: '),
          ) as JournalEntry)
        : entry,
    );
    expect(entries[at]).not.toEqual(session.entries[at]);
    const { difference } = await verify({ ...session, entries });
    expect(difference?.kind).toBe('messages');
    expect(difference?.message).toMatch(/^Request 4 .* at or behind index \d+\./u);
  });
});

describe('a replay that runs the calls again', () => {
  it('finds no difference: files, variables, randomness and clock are those of the session', async () => {
    const session = await recordLong();
    const { host, ...result } = await rerun(session);
    expect(result).toMatchObject({ entries: session.entries.length, calls: 7 });
    expect([result.difference, result.ended]).toEqual([undefined, undefined]);
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('1\n2\n');
    expect(await host.workspace.fs.readFile('/workspace/b.txt', 'utf8')).toBe('b');
  });

  it('names the call whose result is another one over other files', async () => {
    const session = await record([asks(read('r')), says('Done.')]);
    const entries = session.base.entries.map((entry) =>
      entry.type === 'file' ? { ...entry, bytes: new TextEncoder().encode('one\nthree\n') } : entry,
    );
    const { difference } = await rerun({ ...session, base: { ...session.base, entries } });
    expect(difference).toMatchObject({
      kind: 'result',
      expected: expect.stringContaining('two'),
      actual: expect.stringContaining('three'),
    });
    const settled = session.entries[(difference?.at ?? 0) - 1];
    expect(settled).toMatchObject({ type: 'settled', id: 'r' });
  });

  it('runs what hooks have replaced with the same hooks', async () => {
    const hooks: RecordedOptions['hooks'] = {
      PostToolUse: [
        {
          matcher: 'Edit',
          hooks: [
            async ({ tool_response }) => ({
              hookSpecificOutput: {
                hookEventName: 'PostToolUse',
                updatedToolOutput: {
                  ...(tool_response as object),
                  filePath: '/workspace/hidden.txt',
                },
              },
            }),
          ],
        },
      ],
    };
    const session = await record([asks(read('r')), asks(edit('e', 'one', '1')), says('Done.')], {
      permissionMode: 'acceptEdits',
      hooks,
    });
    const options = { permissionMode: 'acceptEdits' } as const;
    const same = await rerun(session, { ...options, hooks });
    expect([same.difference, same.calls]).toEqual([undefined, 2]);
  });

  it('takes the result of a call on the page from the file, and never calls it', async () => {
    let called = 0;
    const tool = { ...pageTool('Takes a note.') } as Tool & { call: () => unknown };
    const session = await record([asks(callOf('Note', {}, 'n'), read('r')), says('Done.')], {
      tools: ['Read', tool],
    });
    const spy = {
      ...tool,
      call: () => {
        called += 1;
        return Promise.resolve({ data: 'another' });
      },
    } as Tool;
    const result = await rerun(session, { tools: ['Read', spy] });
    expect([result.difference, result.calls, called]).toEqual([undefined, 1, 0]);
  });

  it('says from where on the files can’t be known', async () => {
    const one = await openRecorded([
      asks(read('r1')),
      says('Done.'),
      asks(read('r2')),
      says('Done.'),
    ]);
    opened.push(one);
    const { workspace } = one.host;
    const base = await readBase(workspace.fs, workspace.seq());
    await one.play('Read.');
    await workspace.fs.writeFile('/workspace/a.txt', 'by a person\n');
    await one.play('Read again.');
    const { entries } = one.journal.fold;
    const result = await rerun({ entries, base });
    expect(result.difference).toBeUndefined();
    expect(result.calls).toBe(1);
    expect(result.ended?.message).toContain('/workspace/a.txt was changed by somebody else');
    expect(entries[(result.ended?.at ?? 0) - 1]).toMatchObject({ type: 'settled', id: 'r2' });
  });

  it('lets the code of a file reach nothing outside', async () => {
    const fetched: unknown[] = [];
    vi.stubGlobal('fetch', (url: unknown) => {
      fetched.push(url);
      return Promise.resolve(new Response('out'));
    });
    const code = "await fetch('https://example.com').then(() => 'out', () => 'kept in')";
    const session = await record([asks(cell('c', code)), says('Done.')], {
      permissionMode: 'bypassPermissions',
    });
    expect(fetched).toHaveLength(1);
    // As a stranger may write it.
    const entries = session.entries.map((entry): JournalEntry =>
      entry.type === 'call' ? { ...entry, repeatable: true } : entry,
    );
    const result = await rerun(
      { ...session, entries },
      { permissionMode: 'bypassPermissions', allowedTools: ['Repl'] },
    );
    expect(result).toMatchObject({
      calls: 1,
      difference: {
        kind: 'result',
        expected: expect.stringContaining('out'),
        actual: expect.stringContaining('kept in'),
      },
    });
    expect(fetched).toHaveLength(1);
  });
});

describe('bad input', () => {
  it('refuses a cut file, a file without a base, and a workspace with files', async () => {
    const session = await record([says('Done.')]);
    const host = await openHost();
    const file = await toFile(session.entries, session.base);
    await expect(replay(file.slice(0, -20), { host })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    const bare = await toFile(session.entries);
    await expect(replay(bare, { host, mode: 'rerun' })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('{ base: true }'),
    });
    await host.workspace.fs.writeFile('/workspace/mine.txt', 'mine');
    await expect(replay(file, { host, mode: 'rerun' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['mine.txt']);
    await expect(replay(file, { host, mode: 'other' as 'verify' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
  });
});
