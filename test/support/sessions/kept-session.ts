// A session whose journal is stored in its workspace's streams, on a medium that can freeze after
// any entry, as if its page were killed there. A new writer can open the underlying medium and
// continue.
import { createSession } from '../../../src/agent/create-session.ts';
import { checkJournal } from '../../../src/agent/journal/check-journal.ts';
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { decodeRecord } from '../../../src/agent/journal/journal-codec.ts';
import { restoreStates } from '../../../src/agent/journal/restore-states.ts';
import { createSessionJournal } from '../../../src/agent/journal/session-journal.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import { createPermissionState } from '../../../src/agent/permissions/permission-state.ts';
import { toPermissionContext } from '../../../src/agent/query-options.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { rewindSession } from '../../../src/agent/session/files/rewind.ts';
import { resumeTurn } from '../../../src/agent/turn/resume-turn.ts';
import { endTurn } from '../../../src/agent/turn/to-result-message.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createTrace } from '../../../src/trace/record-calls.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import type { StreamAppend, StreamEntry } from '../../../src/workspace/streams.ts';
import { withFreeze } from '../storage/freezing-medium.ts';
import { readFiles } from '../files/read-files.ts';

const stream = 'journal/session-1';

/** The stored session while it isn't open. */
export interface Disk {
  readonly medium: LogMedium;
}

export function createDisk(): Disk {
  return { medium: createMemoryMedium() };
}

/** The end of a page: it was done, or the medium froze. */
export interface Played {
  readonly isFrozen: boolean;
  readonly entries: readonly JournalEntry[];
  readonly fold: SessionFold;
  readonly messages: readonly SDKMessage[];
  /** After which entries the medium could have frozen. */
  readonly boundaries: readonly number[];
  /** The files but for the session's own, by their paths. */
  files(): Promise<Readonly<Record<string, string>>>;
}

export interface PlayOptions extends Omit<QueryOptions, 'host'> {
  readonly loadWasm?: () => Promise<WebAssembly.Module>;
  /** The prompts. Those that the journal doesn't have yet are sent one after the other. */
  readonly prompts: readonly string[];
  /** The last entry that is written. */
  readonly freezeAfter?: number;
  /** Called before entries land, with the number of the last that has. */
  readonly beforeLanding?: (last: number) => void;
  /** Once, before the prompt of this number: back to before the prompt of this uuid. */
  readonly rewind?: { readonly before: number; readonly to: string };
}

/** A new promise for each caller, because one that is never settled would keep all of its callers in memory. */
const never = () => new Promise<never>(() => undefined);

/** Opens what the disk has, and plays the prompts to their end, or until the medium freezes. */
export async function playSession(
  disk: Disk,
  { prompts, freezeAfter = Infinity, beforeLanding, loadWasm, rewind, ...options }: PlayOptions,
): Promise<Played> {
  let isClosed = false;
  let isFrozen = false;
  const { promise: frozen, resolve: tellFrozen } = createDeferred();
  const landing = new Set<Promise<unknown>>();
  const boundaries: number[] = [];

  /** Once a write would go beyond the last entry, nothing is written any more. */
  async function land<Result>(end: number, write: () => Promise<Result>): Promise<Result> {
    if (isClosed) return never();
    beforeLanding?.(Math.max(0, ...boundaries));
    if (end > freezeAfter) {
      isClosed = true;
      await Promise.allSettled(landing);
      isFrozen = true;
      tellFrozen();
      return never();
    }
    const writing = write();
    landing.add(writing);
    const result = await writing.finally(() => landing.delete(writing));
    boundaries.push(end);
    return result;
  }

  const whole = await openWorkspace(
    withFreeze(disk.medium, () => isFrozen),
    { name: 'kept' },
  );
  /** A write that may bring entries with it. */
  function withEntries<Subject, Options extends { readonly append?: StreamAppend }, Result>(
    write: (subject: Subject, options: Options) => Promise<Result & { readonly seq: number }>,
  ) {
    return async (subject: Subject, given: Options) => {
      const { append } = given;
      if (!append) return isClosed ? never() : write(subject, given);
      const end = append.at + append.entries.length;
      return land(end, () => write(subject, given));
    };
  }

  const { commit, roots } = whole;
  const workspace: typeof whole = {
    ...whole,
    commit: withEntries(commit.bind(whole)),
    roots: {
      ...roots,
      checkpoint: withEntries(roots.checkpoint),
      rewind: withEntries(roots.rewind),
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  const fold = new SessionFold();
  for (const entry of await readEntries(whole)) fold.apply(entry);
  const host = await createInlineHost({ workspace, ...(loadWasm && { loadWasm }) });
  const journal = createSessionJournal({
    fold,
    clock: host.clock,
    store: {
      stream,
      append: ({ at, entries }, durability) =>
        land(at + entries.length, () => whole.streams.append(stream, entries, { at, durability })),
    },
  });
  const controller = new AbortController();
  const messages: SDKMessage[] = [];

  async function play(): Promise<void> {
    const query: QueryOptions = { ...options, host };
    const { signal } = controller;
    if (fold.session) {
      await restoreStates(host.executor, 'session-1', fold, (id) => whole.streams.readContent(id));
      const owner = `page ${fold.length}`;
      await journal.recordSafely({ type: 'opened', owner, why: 'resume' });
    }
    const session = await createSession(query, {
      id: 'session-1',
      seed: 'seed',
      model: options.model,
      cwd: host.cwd,
      permissions: createPermissionState(toPermissionContext(query), host.cwd, fold.permissions),
      emit: (message) => messages.push(message),
      trace: createTrace(host.clock),
      whenPrompted: () => () => {},
      signal,
      hasOnePrompt: false,
      journal,
    });
    const turn = { includePartialMessages: false, signal };
    const result = await resumeTurn(session, turn);
    if (result) await endTurn(session, result, 0);
    for (const [index, content] of prompts.entries()) {
      const isDue =
        index === rewind?.before && !fold.entries.some(({ type }) => type === 'rewound');
      if (isDue) await rewindSession(session, rewind.to);
      const promptId = `prompt-${index}`;
      const isWaiting = fold.waiting.some(({ uuid }) => uuid === promptId);
      if (fold.promptIds.has(promptId) && !isWaiting) continue;
      session.usage.startTurn();
      const ended = await runTurn(session, { role: 'user', content }, { ...turn, promptId });
      await endTurn(session, ended, 0);
    }
    await session.tasks.close();
    await journal.flush();
  }

  const playing = play();
  await Promise.race([playing, frozen]);
  if (isClosed) await frozen;
  playing.catch(() => undefined);
  const state = {
    isFrozen: isClosed,
    entries: fold.entries,
    fold,
    messages,
    boundaries: boundaries.sort((a, b) => a - b),
    files: () => readKeptFiles(disk),
  };
  if (!isClosed) {
    await playing;
    await host[Symbol.asyncDispose]();
    await whole[Symbol.asyncDispose]();
  }
  return state;
}

type OpenWorkspace = Awaited<ReturnType<typeof openWorkspace>>;

async function readEntries({ streams }: OpenWorkspace): Promise<JournalEntry[]> {
  if (!(await streams.list()).some(({ id }) => id === stream)) return [];
  const read: StreamEntry[] = [];
  for await (const entry of streams.read(stream)) read.push(entry);
  const decoded = await Promise.all(
    read.map(async ({ value, contents = [], seq }) => {
      const entry = await decodeRecord(value, contents, (id) => streams.readContent(id));
      return { ...(entry as JournalEntry), ...(seq !== undefined && { seq }) };
    }),
  );
  return [...checkJournal(decoded)];
}

async function readKeptFiles({ medium }: Disk): Promise<Record<string, string>> {
  const workspace = await openWorkspace(
    withFreeze(medium, () => false),
    { name: 'kept' },
  );
  const files = await readFiles(workspace);
  await workspace[Symbol.asyncDispose]();
  return files;
}
