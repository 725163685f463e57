// A whole session over a real host with a scripted model, its journal, and all messages of its viewers. For tests of
// what is recorded.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createSession } from '../../../src/agent/create-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { decodeRecord, encodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import { createSessionJournal } from '../../../src/agent/journal/session-journal.ts';
import type { JournalStore } from '../../../src/agent/journal/session-journal.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import type { TurnOptions } from '../../../src/agent/calls/turn.ts';
import { createPermissionState } from '../../../src/agent/permissions/permission-state.ts';
import { toPermissionContext } from '../../../src/agent/query-options.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { endTurn } from '../../../src/agent/turn/to-result-message.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createTrace } from '../../../src/trace/record-calls.ts';
import { createEventModel } from '../stages/test-session.ts';
import { quiet } from '../stages/run-calls.ts';

export type Streams = readonly (() => AsyncIterable<ModelEvent>)[];

export interface RecordedOptions extends Omit<Partial<QueryOptions>, 'host' | 'model'> {
  readonly store?: JournalStore;
  /** The earlier entries, after which the session continues. */
  readonly past?: readonly JournalEntry[];
  readonly host?: Host;
}

/** One session that is played turn by turn. Dispose it. */
export async function openRecorded(streams: Streams, given: RecordedOptions = {}) {
  const { store, past = [], host: lent, ...rest } = given;
  const host = lent ?? (await createInlineHost({ loadWasm: loadQuickjsWasm }));
  if (!lent) await host.workspace.fs.writeFile('/workspace/a.txt', 'one\ntwo\n');
  const { clock, cwd } = host;
  const options: QueryOptions = { ...rest, host, model: createEventModel(streams) };
  const initial = toPermissionContext(options);
  const told: SDKMessage[] = [];
  const fold = new SessionFold();
  for (const entry of past) fold.apply(entry);
  const journal = createSessionJournal({ fold, store, clock });
  if (fold.session) await journal.record({ type: 'opened', owner: 'again', why: 'resume' });
  const session = await createSession(options, {
    id: 'session-1',
    seed: 'seed-1',
    model: options.model,
    cwd,
    permissions: createPermissionState(initial, cwd, fold.permissions),
    journal,
    emit: (message) => void told.push(message),
    trace: createTrace(clock),
    whenPrompted: () => () => {},
    signal: new AbortController().signal,
    hasOnePrompt: false,
  });
  return {
    host,
    session,
    journal,
    initial,
    told: told as readonly SDKMessage[],
    async play(content: string, turn: Partial<TurnOptions> = {}) {
      const result = await runTurn(session, { role: 'user', content }, { ...quiet, ...turn });
      await endTurn(session, result, 1);
      return result;
    },
    /** Does what the query does when tasks have ended while it is idle. */
    async playNews() {
      const news = session.tasks.takeNews();
      if (!news) return undefined;
      const turn = { ...quiet, tells: news.tells, ...(news.origin && { origin: news.origin }) };
      const result = await runTurn(session, news.message, turn);
      await endTurn(session, result, 1);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await session.tasks.close();
      if (!lent) await host[Symbol.asyncDispose]();
    },
  };
}

/** The entries as a store would give them back. */
export function reread(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { value, contents } = encodeRecord(entry);
      const ids = contents.map((_, at) => at);
      const read = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
      return (await decodeRecord(JSON.parse(JSON.stringify(value)), ids, read)) as JournalEntry;
    }),
  );
}
