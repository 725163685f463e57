// Sessions that are recorded, exported and played again, for tests of `replay`.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, vi } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { encodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import { writeJournalFile } from '../../../src/agent/journal/journal-file.ts';
import { readBase } from '../../../src/agent/journal/session-base.ts';
import type { SessionBase } from '../../../src/agent/journal/session-base.ts';
import { replay } from '../../../src/agent/replay/replay.ts';
import type { ReplayOptions } from '../../../src/agent/replay/replay.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { InlineHostOptions } from '../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { openRecorded } from './recorded-session.ts';
import type { RecordedOptions, Streams } from './recorded-session.ts';
import { callOf } from '../stages/run-calls.ts';

/** Closed behind each test. */
export const opened: AsyncDisposable[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

export const text = (said: string): ContentBlock => ({ type: 'text', text: said });
export const asks =
  (...content: readonly ContentBlock[]) =>
  () =>
    stream(toEvents(assistantMessage(content, { stop_reason: 'tool_use' })));
export const says = (said: string) => () => stream(toEvents(assistantMessage([text(said)])));
export const read = (id: string) => callOf('Read', { file_path: '/workspace/a.txt' }, id);
export const edit = (id: string, from: string, to: string) =>
  callOf('Edit', { file_path: '/workspace/a.txt', old_string: from, new_string: to }, id);
export const cell = (id: string, code: string) => callOf('Repl', { code }, id);

export async function* stream(events: Iterable<ModelEvent>): AsyncGenerator<ModelEvent, void> {
  yield* events;
}

export async function openHost(options: InlineHostOptions = {}): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm, ...options });
  opened.push(host);
  return host;
}

export interface Recording {
  readonly entries: readonly JournalEntry[];
  readonly base: SessionBase;
}

/** Plays the prompts, and gives what an export has. */
export async function record(
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

export const toFile = (entries: readonly JournalEntry[], base?: SessionBase) =>
  writeJournalFile(
    'session-1',
    entries.map((entry) => encodeRecord(entry)),
    base,
  );

export async function verify(
  { entries }: Recording,
  options: Partial<ReplayOptions> = {},
): ReturnType<typeof replay> {
  return replay(await toFile(entries), { host: await openHost(), ...options });
}

export async function rerun({ entries, base }: Recording, options: Partial<ReplayOptions> = {}) {
  const { host = await openHost(), ...rest } = options;
  const file = await toFile(entries, base);
  return { ...(await replay(file, { ...rest, host, mode: 'rerun' })), host };
}

export const count = ({ entries }: Recording, type: JournalEntry['type']) =>
  entries.filter((entry) => entry.type === type).length;

/** Its work is on the page, so it never runs again. */
export function pageTool(description: string): Tool {
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
export async function recordLong(): Promise<Recording> {
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
