// Manages the sessions that a workspace stores: titles, tags, archiving, forks and deletion. Except for deletion,
// each is an entry of the session's journal.
import { inTime } from '../../core/async/in-time.ts';
import { checkOptionNames } from '../../core/check-option-names.ts';
import { createId } from '../../core/ids.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { JournalRecord, MetaRecord } from '../../core/session/journal.ts';
import { toSessionRootId } from '../../core/session/session-path.ts';
import type { ForkedSession, SessionForkOptions } from '../agent-session.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Host } from '../host.ts';
import type { SessionFold } from '../journal/fold.ts';
import { encodeRecord } from '../journal/journal-codec.ts';
import { loadJournal, toJournalId } from '../journal/stored-journal.ts';
import { findPlace } from '../session/find-session.ts';
import { listPinned } from '../session/files/checkpoints.ts';
import {
  createOpenError,
  createRunningError,
  findHeldSession,
  joinSession,
} from '../session/held-sessions.ts';
import type { HeldSession } from '../session/held-sessions.ts';
import { checkSessionText, maxSessionText } from '../session/session-text.ts';
import { withHost } from '../session/with-host.ts';
import { readSessionMessage, toPosted } from '../tabs/session-message.ts';
import { requireJournal } from './kept-journals.ts';
import { getSessionInfo } from './session-info.ts';
import type { SDKSessionInfo } from './session-info.ts';

/** The host whose workspace stores the session. */
export interface SessionOptions {
  readonly host: Pick<Host, 'workspace' | 'clock' | 'tabs'>;
}

/**
 * Gives the session a title, which lists show instead of its first prompt.
 *
 * If the session is open, here or in another tab, the tab that runs it records the title.
 *
 * @throws SdkError `bad-usage` for an empty title or one of more than 1 000 characters, for a session that the
 * workspace doesn't store, and while the session is being opened here. The next four functions throw this, too
 */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionOptions,
): Promise<void> {
  await note(sessionId, { type: 'meta', title: checkSessionText('title', title) }, options);
}

/** Replaces the session's tag. Null removes it. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionOptions,
): Promise<void> {
  const tags = tag === null ? [] : [checkSessionText('tag', tag)];
  await note(sessionId, { type: 'meta', tags }, options);
}

/** Archives the session: lists leave it out unless they include archived sessions. */
export async function archiveSession(sessionId: string, options: SessionOptions): Promise<void> {
  await note(sessionId, { type: 'meta', isArchived: true }, options);
}

/** Undoes {@link archiveSession}. */
export async function unarchiveSession(sessionId: string, options: SessionOptions): Promise<void> {
  await note(sessionId, { type: 'meta', isArchived: false }, options);
}

/**
 * Deletes the session: its journal, its own files and its checkpoints. Its forks and the workspace's files stay. But
 * a fork can't restore files from before the fork any more.
 *
 * Whoever has the session open, here or in another tab, closes it, and stops what runs in it. Their readers get a
 * notice that says why.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't store, for one that a query holds here, and
 * for one that isn't closed within 10 s, for example because the browser has frozen the other tab
 */
export async function deleteSession(sessionId: string, options: SessionOptions): Promise<void> {
  const { host } = withHost(options);
  const { workspace } = host;
  await requireJournal(workspace.streams, sessionId);
  const open = findHeldSession(workspace, sessionId);
  if (open?.leave) {
    open.leave();
    await inTime(open.whenReleased, leaveMs, () => createOpenError(sessionId), host.clock);
  }
  const held = await joinSession(host, sessionId);
  try {
    if (held.whenFree) await askToLeave(sessionId, held.whenFree, host);
    await removeSession(workspace, sessionId);
  } finally {
    held[Symbol.dispose]();
  }
}

// As long as a closing page has for its last entries, and as much again.
const leaveMs = 10_000;

/** Resolves when the other tabs have closed the session. */
async function askToLeave(
  sessionId: string,
  whenFree: Promise<void>,
  { tabs, clock }: SessionOptions['host'],
): Promise<void> {
  const channel = tabs?.openChannel(sessionId);
  const ask = () => channel?.post(toPosted({ type: 'leave' }));
  // A tab that takes the session over in this moment tells of it, and is asked again.
  channel?.listen((data) => {
    if (readSessionMessage(data)?.type === 'running') ask();
  });
  ask();
  const tooLate = () => createRunningError(sessionId, 'Close it there, then delete it.');
  try {
    await inTime(whenFree, leaveMs, tooLate, clock);
  } finally {
    channel?.[Symbol.dispose]();
  }
}

/** Like {@link deleteSession}, for a session whose lock the caller holds. The record of its moves stays. */
export async function removeSession(
  { streams, roots }: Workspace,
  sessionId: string,
): Promise<void> {
  const root = toSessionRootId(sessionId);
  const hasFiles = (await roots.list({ kind: 'session' })).some(({ id }) => id === root);
  // Drops the files first: if the page ends in between, the session is still listed and can be deleted.
  if (hasFiles) await roots.drop(root, { author: { kind: 'user' } });
  for (const { id } of await listPinned(roots, sessionId)) {
    await roots.drop(id, { author: { kind: 'user' } });
  }
  await streams.drop(toJournalId(sessionId));
}

/** The host, where the fork begins, and its title. */
export interface ForkSessionOptions extends SessionOptions, SessionForkOptions {}

/**
 * Creates a session that begins with the present or an earlier state of this one. Common entries aren't stored twice.
 *
 * @throws SdkError `bad-usage` for a session that the workspace doesn't store, and for a message that isn't in it or
 * after which the conversation can't continue
 */
export async function forkSession(
  sessionId: string,
  options: ForkSessionOptions,
): Promise<ForkedSession> {
  const { host, upToMessageId, title } = withHost(options);
  checkOptionNames('forkSession', options, knownOptions);
  const { workspace, clock } = host;
  await requireJournal(workspace.streams, sessionId);
  await findHeldSession(workspace, sessionId)?.journal?.flush();
  const fold = await loadJournal(workspace, sessionId);
  const { rewindTo: to } =
    upToMessageId === undefined ? {} : await findPlace(fold, upToMessageId, 'upToMessageId');
  const own = { id: createId(), seed: createId() };
  await copyJournal({ workspace, clock }, fold, {
    own,
    to,
    title: title ?? toForkTitle(await getSessionInfo(sessionId, { host })),
  });
  return { sessionId: own.id };
}

const forkMark = ' (fork)';

/** A title that differs from the original's. Undefined if the original has neither a title nor a prompt. */
function toForkTitle(original: SDKSessionInfo | undefined): string | undefined {
  if (!original?.summary) return undefined;
  return `${clipText(original.summary, maxSessionText - forkMark.length)}${forkMark}`;
}

/** The copy of a journal: the new session's id and seed, and where it begins. */
interface JournalCopy {
  readonly own: { readonly id: string; readonly seed: string };
  /** The entry after which it continues. Left out: the last one. */
  readonly to?: number | undefined;
  readonly title?: string | undefined;
}

/**
 * Copies the session of the fold to a new session. An attempt that was cut is continued. Rejects as the workspace
 * does, and with `EFENCED` if the new id exists.
 */
export async function copyJournal(
  { workspace, clock }: Pick<Host, 'workspace'> & { readonly clock: Pick<Clock, 'now'> },
  fold: SessionFold,
  { own, to, title }: JournalCopy,
): Promise<void> {
  const from = toJournalId(fold.session?.id ?? '');
  const records: JournalRecord[] = [
    { type: 'opened', owner: createId(), why: 'fork', fork: own },
    ...(to === undefined ? [] : [{ type: 'rewound', to } as const]),
    {
      type: 'meta',
      isArchived: false,
      ...(title !== undefined && { title: checkSessionText('title', title) }),
    },
  ];
  const at = to ?? fold.length;
  const time = clock.now();
  const id = toJournalId(own.id);
  const { streams } = workspace;
  if (!(await streams.list()).some((stream) => stream.id === id)) {
    await streams.fork(from, id, { length: at });
  }
  const entries = records.map((record, index) =>
    encodeRecord({ ...record, n: at + index + 1, time }),
  );
  await streams.append(id, entries, { at });
}

/** Records by the journal object of the tab that runs the session. Another writer would end that session. */
async function note(sessionId: string, record: MetaRecord, options: SessionOptions): Promise<void> {
  const { host } = withHost(options);
  const { workspace } = host;
  const open = findHeldSession(workspace, sessionId);
  if (open?.journal) return open.journal.recordSafely(record);
  if (open?.runner) return open.runner.note(record);
  await requireJournal(workspace.streams, sessionId);
  const held = await joinSession(host, sessionId);
  try {
    await (held.whenFree ? noteElsewhere : append)(sessionId, record, { host, held });
  } finally {
    held[Symbol.dispose]();
  }
}

interface Held extends SessionOptions {
  readonly held: HeldSession;
}

async function append(sessionId: string, record: MetaRecord, { host }: Held): Promise<void> {
  const { workspace, clock } = host;
  const { length } = await requireJournal(workspace.streams, sessionId);
  const entry = encodeRecord({ ...record, n: length + 1, time: clock.now() });
  await workspace.streams.append(toJournalId(sessionId), [entry], { at: length });
}

/** Asks the tab that runs the session. It may release the session before it answers. */
async function noteElsewhere(sessionId: string, record: MetaRecord, given: Held): Promise<void> {
  const { tabs } = given.host;
  if (!tabs) return;
  const { createRunnerClient } = await import('../tabs/runner-client.ts');
  let runner: string | undefined;
  const client = createRunnerClient(sessionId, tabs.openChannel(sessionId), {
    onNews(news) {
      if (news.runner !== runner) client.askAgain(() => undefined);
      ({ runner } = news);
    },
    // That tab then has the session, and this one waits for the end of its deletion.
    onLeave: () => undefined,
  });
  const whenFree = given.held.whenFree?.then(() => append(sessionId, record, given));
  try {
    await Promise.race([client.requests.note(record), whenFree]);
  } finally {
    client[Symbol.dispose]();
  }
}

const knownOptions = {
  host: true,
  upToMessageId: true,
  title: true,
} satisfies Record<keyof ForkSessionOptions, true>;
