// A mirror of sessions outside the workspace: what was recorded is sent there too, and a session that the
// workspace doesn't know is fetched from there. Whoever opens a session starts the mirror.
import { inTime, isDoneIn } from '../../core/async/in-time.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { StreamEntry } from '../../workspace/streams.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { decodeBase64, encodeBase64 } from '../../core/bytes/base64.ts';
import { packIfLarge, unpackLarge } from '../journal/journal-codec.ts';
import type { EncodedRecord } from '../journal/journal-codec.ts';
import { toJournalId } from '../journal/stored-journal.ts';
import { checkEncoded } from './check-encoded.ts';
import { findJournal, readEncoded } from './kept-journals.ts';

/** Which session it is. */
export interface SessionKey {
  /** The session's working directory. */
  readonly projectKey: string;
  readonly sessionId: string;
}

/** One entry of a journal: JSON data, to be given back as it was taken. */
export interface SessionStoreEntry {
  readonly type: string;
  /** From 1, without a gap. */
  readonly n: number;
  readonly entry: unknown;
  /** Long texts and bytes of it, in base64. */
  readonly contents?: readonly string[];
}

/**
 * Where sessions are mirrored to: a database of your own. It is best effort: the workspace has the session,
 * and a store that fails costs the mirror alone.
 */
export interface SessionStore {
  /**
   * Keeps these entries behind those of the session that it has. Called with one batch at a time, in order.
   * After it rejected the same entries come again with the next ones, so one whose `n` it has already is to be
   * passed over.
   */
  append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void>;
  /** All entries of the session, in order; null where it has none. */
  load(key: SessionKey): Promise<readonly SessionStoreEntry[] | null>;
}

/**
 * When entries are sent. `eager`: each as soon as it has landed, with those that came while the store was busy.
 * `batched`: those of a turn together, when it ends or a person is asked, and whenever 500 wait.
 */
export type SessionStoreFlush = 'eager' | 'batched';

/** What a mirror is of, and who hears of its failures. */
export interface MirrorOptions {
  readonly key: SessionKey;
  readonly workspace: Pick<Workspace, 'streams'>;
  readonly clock: Pick<Clock, 'after'>;
  /** @defaultValue 'eager' */
  readonly flush?: SessionStoreFlush | undefined;
  /** @defaultValue 60 000 */
  readonly loadTimeoutMs?: number | undefined;
  /** Called with a sentence when sending begins to fail, not again before it has worked. Must not throw. */
  readonly onError: (error: string) => void;
}

/** Ends when it is closed. */
export interface SessionMirror {
  /** Resolves when all that landed by now was sent, or couldn't be; after 10 s at the latest. Idempotent. */
  close(): Promise<void>;
}

// 10 s: who closes a session must not wait for ever for a store that doesn't answer.
const CLOSE_MS = 10_000;

// 60 s, as in the Claude Agent SDK.
const defaultLoadMs = 60_000;

// 500 entries a batch: some hundred kB, as most are short.
const BATCH_ENTRIES = 500;

/**
 * Sends what the session's journal has and the store hasn't, and from then on each entry that lands. Of a
 * journal that was there before it asks the store first how much of it it has.
 */
export function startMirror(
  store: SessionStore,
  { key, workspace: { streams }, clock, flush = 'eager', loadTimeoutMs, onError }: MirrorOptions,
): SessionMirror {
  const stream = toJournalId(key.sessionId);
  /** How many entries the store has. Undefined: it wasn't asked yet. */
  let sent: number | undefined;
  let isBehind = true;
  let isFailing = false;
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (isBehind) {
      isBehind = false;
      try {
        if (!(await findJournal(streams, key.sessionId))) continue;
        sent ??= countWhole((await load(store, key, clock, loadTimeoutMs)) ?? []);
        let batch: SessionStoreEntry[] = [];
        for await (const entry of readEncoded(streams, key.sessionId, sent + 1)) {
          batch.push(toStoreEntry(entry, sent + batch.length + 1));
          if (batch.length < BATCH_ENTRIES) continue;
          await store.append(key, batch);
          sent += batch.length;
          batch = [];
        }
        if (batch.length > 0) await store.append(key, batch);
        sent += batch.length;
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(describeThrown(error));
        isFailing = true;
      }
    }
    // At once: whoever wakes it from here on begins again.
    sending = undefined;
  }

  function wake(): Promise<void> {
    isBehind = true;
    return (sending ??= send());
  }

  /** How many have landed since the last sending began. */
  let waiting = 0;
  const listening = streams.onAppend(
    (appended) => {
      if (appended.stream !== stream) return;
      waiting += appended.entries.length;
      const isDue =
        flush === 'eager' || waiting >= BATCH_ENTRIES || appended.entries.some(endsBatch);
      if (!isDue) return;
      waiting = 0;
      void wake();
    },
    (error) => onError(describeThrown(error)),
  );
  void wake();

  async function close(): Promise<void> {
    listening[Symbol.dispose]();
    const isDone = await isDoneIn(wake(), CLOSE_MS, clock);
    if (!isDone) onError(`The store hasn't answered in ${CLOSE_MS / 1000} s.`);
  }

  let closing: Promise<void> | undefined;
  return { close: () => (closing ??= close()) };
}

/**
 * Makes the session's journal of what the store has of it, where the workspace has none. The store is the
 * caller's, and believed, but for what is another workspace's: versions of files, and checkpoints.
 *
 * @returns false where the store has none.
 * @throws SdkError `limit-exceeded` where the store doesn't answer in time. `invalid-input` for
 * entries that are no whole journal. `unsupported-environment` for those of a newer format. Throws
 * what the store rejects with, too.
 */
export async function loadFromStore(
  store: SessionStore,
  key: SessionKey,
  {
    workspace: { streams },
    clock,
    loadTimeoutMs,
  }: Omit<MirrorOptions, 'key' | 'onError' | 'flush'>,
): Promise<boolean> {
  const loaded = await load(store, key, clock, loadTimeoutMs);
  if (!loaded || loaded.length === 0) return false;
  const entries = toWhole(loaded).map(toEntry);
  await checkEncoded(entries);
  await streams.append(toJournalId(key.sessionId), entries, { at: 0 });
  return true;
}

/** Rejects where the store hasn't answered in time: whoever opens a session must not wait for ever. */
async function load(
  store: SessionStore,
  key: SessionKey,
  clock: MirrorOptions['clock'],
  ms = defaultLoadMs,
): Promise<readonly SessionStoreEntry[] | null> {
  const tooLate = () => {
    const message = `The session store hasn't answered \`load\` of ${key.sessionId} in ${ms / 1000} s. Look at the store, or give loadTimeoutMs more.`;
    return new SdkError('limit-exceeded', message, { data: { ...key, loadTimeoutMs: ms } });
  };
  return inTime(store.load(key), ms, tooLate, clock);
}

/** Nothing of the turn follows it soon. A packed entry of older versions, which doesn't say what it is, may be such a one. */
function endsBatch({ value }: StreamEntry): boolean {
  const { type, agent } = isRecord(value) ? value : {};
  if (typeof type !== 'string') return true;
  return agent === undefined && ['result', 'question', 'meta', 'rewound', 'moved'].includes(type);
}

function toStoreEntry(encoded: EncodedRecord, n: number): SessionStoreEntry {
  const { value, contents } = unpackLarge(encoded);
  const type = isRecord(value) && typeof value['type'] === 'string' ? value['type'] : 'unknown';
  const bytes = contents.length > 0 && { contents: contents.map(encodeBase64) };
  return { type, n, entry: value, ...bytes };
}

/** The entries from the first on without a gap. What came a second time is passed over. */
function takeWhole(loaded: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const whole: SessionStoreEntry[] = [];
  for (const entry of loaded) if (entry.n === whole.length + 1) whole.push(entry);
  return whole;
}

const countWhole = (loaded: readonly SessionStoreEntry[]) => takeWhole(loaded).length;

function toWhole(loaded: readonly SessionStoreEntry[]): readonly SessionStoreEntry[] {
  const whole = takeWhole(loaded);
  // Not as arguments of one call: engines take some hundred thousand at most: a session of months has more.
  const last = loaded.reduce((most, { n }) => Math.max(most, n), 0);
  if (whole.length === last) return whole;
  throw new SdkError(
    'invalid-input',
    `The session store has no entry ${whole.length + 1} of the session, and entries after it. Nothing was loaded.`,
    { data: { n: whole.length + 1 } },
  );
}

function toEntry({ entry, contents = [], n }: SessionStoreEntry): EncodedRecord {
  if (!isRecord(entry)) {
    throw new SdkError('invalid-input', `Entry ${n} of the session store is none.`, {
      data: { n },
    });
  }
  const record = { value: withoutWorkspace(entry), contents: contents.map(decodeBase64) };
  return packIfLarge(record);
}

/** Numbers and checkpoints of the workspace that it comes from would mean something else here. */
function withoutWorkspace(
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { checkpoint: _, files: __, ...rest } = entry;
  switch (entry['type']) {
    case 'settled':
      return { ...entry, reads: [] };
    case 'turn':
    case 'rewound':
      return rest;
    case 'permissions':
      // 0: anything here may hold what was downloaded there.
      return 'downloadedAt' in entry ? { ...entry, downloadedAt: 0 } : entry;
    default:
      return entry;
  }
}
