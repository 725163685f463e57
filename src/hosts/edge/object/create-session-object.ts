// A session that lives inside a Durable Object of any class: the class hands its events on, and is told which were the
// session's. It is opened when it is needed, runs step by step in alarms, and is let go when nothing but a person is
// waited for.
import { openSession } from '../../../agent/open-session.ts';
import type { AgentSession, SessionQuestion } from '../../../agent/agent-session.ts';
import type { Host } from '../../../agent/host.ts';
import { hasJournal, toJournalId } from '../../../agent/journal/stored-journal.ts';
import type { QueryOptions } from '../../../agent/query-options.ts';
import { isMovedAway } from '../../../agent/session/handover/whereabouts.ts';
import { createConnectionGate } from '../../../core/async/connection-gate.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { Model } from '../../../model/model.ts';
import { createTrace } from '../../../trace/record-calls.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';
import { createEdgeHost, maxConnections, type EdgeHostOptions } from '../create-edge-host.ts';
import { isArchived, requireNotArchived } from '../is-archived.ts';
import type { DirectoryPort } from '../directory/session-directory.ts';
import { checkBucket } from './archive-bucket.ts';
import { checkContext, checkWasm } from '../check-bindings.ts';
import type { DurableContext } from './durable-context.ts';
import { isSuperseded } from './is-superseded.ts';
import { createAlarmTable, retryMs, ringAlarms, toNamedAlarms } from './named-alarms.ts';
import type { AlarmHandlers, NamedAlarms } from './named-alarms.ts';
import { createCountedFiles } from './counted-files.ts';
import { charactersPerMs, createCountedModel } from './counted-model.ts';
import { createObjectMoves, offerAlarm, type ObjectMoveOptions } from './object-moves.ts';
import type { SessionMoves } from './asked-moves.ts';
import { createObjectOwner, reportAlarm } from './object-owner.ts';
import type { MoveServer } from '../../../wire/move-server.ts';
import { askBucket } from '../../../workspace/drivers/ask-bucket.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { archiveAlarm, contentsAlarm, createObjectUpkeep } from './object-upkeep.ts';
import { ringBeside } from './ring-beside.ts';
import { createRunRecord, type BegunRun } from './run-record.ts';
import { createSessionArchive, type SessionArchiveOptions } from './session-archive.ts';
import { createSessionContents, type SessionContentsOptions } from './session-contents.ts';
import {
  createDeathsError,
  createDeletingError,
  createLeavingError,
  isGivenUp,
} from './session-refusals.ts';
import type { SessionWire } from './session-wire.ts';
import { createSleepingSession, type Opening } from './sleeping-session.ts';
import { checkEventWork, createStepEvents, defaultEventWorkMs } from './step-events.ts';
import type { StepEvents } from './step-events.ts';
import { createStorageLease } from './storage-lease.ts';
import { wakeAlarm, wakeForTurn } from './wake-for-turn.ts';

/** What `openSession` takes, but for what the object knows itself: which session, where, and until when. */
export type ObjectSessionOptions = Omit<
  QueryOptions,
  | 'host'
  | 'model'
  | 'sessionId'
  | 'resume'
  | 'continue'
  | 'forkSession'
  | 'resumeSessionAt'
  | 'persistSession'
  | 'promptSuggestions'
  | 'abortController'
>;

/** What a session's object is made of. */
export interface SessionObjectOptions {
  /** `import wasm from 'rockpool/quickjs.wasm'`. */
  readonly wasm: WebAssembly.Module;
  readonly model: Model;
  readonly options?: ObjectSessionOptions;
  /** The host's own, beside the object's storage. */
  readonly host?: Omit<EdgeHostOptions, 'wasm' | 'storage' | 'contents' | 'gate'>;
  /**
   * The session's id, as the first instance gives it: one that an alarm wakes may not know the object's name.
   * @defaultValue the object's
   */
  readonly sessionId?: string;
  /**
   * Says which code runs: `env.CF_VERSION_METADATA.id`. A run that new code has ended doesn't count as one that
   * failed. Left out: it does, until there is progress.
   */
  readonly version?: string;
  /**
   * After so much computing of an event, in milliseconds, calls begin in the next one. It is counted: clocks stand still.
   * Half of `limits.cpu_ms` of wrangler.jsonc, as counts are no clock. Above 0. @defaultValue 15 000
   */
  readonly eventWorkMs?: number;
  /** What rings by the class's own alarms, beside the session's steps. One that fails is tried again after a minute. */
  readonly alarms?: Readonly<Record<string, () => void | Promise<void>>>;
  /**
   * The owner's: asked before each prompt, which `send` refuses with its sentence (`limit-exceeded`), and told when a
   * turn has ended. There the session has the id that it begins with. Left out: nobody counts.
   */
  readonly directory?: DirectoryPort;
  /** How the object is a place that sessions are moved to and from. */
  readonly moves?: ObjectMoveOptions;
  /** Where and when the session is put away. Left out: its object keeps it. */
  readonly archive?: SessionArchiveOptions;
  /**
   * A bucket for large files, from 1 MB on: always the same one, as they are lost without it. It may be the archive's.
   * Left out: all is in the object's SQLite.
   */
  readonly contents?: SessionContentsOptions;
  /** Called once an instance. `files`: those of the session as it is open now, opened if it isn't. */
  readonly wire?: (
    session: AgentSession,
    files: () => Promise<ServedFiles>,
    moves: MoveServer,
  ) => SessionWire;
}

/** All of it works at any time, beside each other. */
export interface SessionObject {
  /** The session, open. It is opened again by each use after it was let go; see `AgentSession`. Rejects as `openSession`. */
  session(): Promise<AgentSession>;
  /** The class's own alarms: the object has but one, which both share. Don't set that by `ctx.storage`. */
  readonly alarms: NamedAlarms;
  /** Its session leaves for other places and comes from them. */
  readonly moves: SessionMoves;
  /** Undefined: it isn't for the session. */
  fetch(request: Request): Promise<Response | undefined>;
  /** False: nothing was due. Rejects where code was replaced meanwhile: to be passed on, so that it rings again. */
  alarm(): Promise<boolean>;
  webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<boolean>;
  webSocketClose(
    socket: unknown,
    code: number,
    reason: string,
    wasClean: boolean,
  ): Promise<boolean>;
  webSocketError(socket: unknown, error: unknown): Promise<boolean>;
  /**
   * Lets go of the session as it is, for a host that ends: what runs is cut as by a kill that isn't counted as one. The
   * alarm that is set goes on with it.
   */
  release(): Promise<void>;
  /**
   * Puts the session into the bucket of `archive` as soon as it rests, without waiting for `after`. Its next use brings
   * it back. Rejects with `bad-usage` where there is no bucket.
   */
  archive(): Promise<void>;
  /**
   * For who deletes the object's storage: removes what of the session is in buckets, its archive and its large files,
   * and what is on its way there, and tells the owner's directory what the session has used since its last turn. A session that is open is let go of as by `release`, and none is opened afterwards.
   * Rejects with `EIO` where a bucket fails, or what is on its way there has no answer for a minute: then the session is as
   * it was, and the deletion is to be said again.
   */
  deleteArchive(): Promise<void>;
}

/** The session's own alarm. No class has a name with a dot in it by accident. */
const ownAlarm = 'rockpool.step';

/** 10 minutes, of the 15 that an alarm's event may last: a step that is longer goes on in the next one. */
const eventMs = 10 * 60 * 1_000;

/** The fourth asks a person; one that dies even of being opened is left alone then. */
const mostDeaths = 4;

/** 10 s: whoever has it opened is about to say something. */
const lingerMs = 10_000;

interface OpenedSession extends Opening {
  readonly files: ServedFiles;
  readonly workspace: Workspace;
  readonly events: StepEvents;
  /** Nothing of it is recorded from here on. */
  end(): void;
}

/**
 * Makes the object's tables, and nothing else: to be called in the constructor. The session begins with its first use.
 *
 * @throws SdkError `bad-usage` for a class without SQLite and for wasm that isn't compiled, with what is missing in
 * wrangler.jsonc.
 *
 * @example
 * ```ts
 * export class Chat extends DurableObject {
 *   #object = createSessionObject(this.ctx, { wasm, model, options: { systemPrompt } });
 *   async fetch(request) { return (await this.#object.fetch(request)) ?? new Response('…'); }
 *   async alarm() { await this.#object.alarm(); }
 * }
 * ```
 */
export function createSessionObject(
  ctx: DurableContext,
  given: SessionObjectOptions,
): SessionObject {
  checkContext('createSessionObject', ctx);
  checkWasm(given.wasm);
  const { storage } = ctx;
  const { version = '', directory, eventWorkMs = defaultEventWorkMs } = given;
  checkEventWork(eventWorkMs);
  const handlers: AlarmHandlers = {
    ...given.alarms,
    [offerAlarm]: () => moves.callOffOffers(),
    [wakeAlarm]: () => wakeForTurn({ table, owner, ring: () => ringBy(Date.now()) }),
    ...(directory && { [reportAlarm]: () => owner?.tell() }),
    ...(given.archive && { [archiveAlarm]: () => upkeep.putAway() }),
    ...(given.contents && { [contentsAlarm]: () => upkeep.sweepContents() }),
  };
  const table = createAlarmTable(storage);
  const id = ctx.id.toString();
  const record = createRunRecord(storage, { sessionId: given.sessionId ?? id, version });
  const archive = given.archive && createSessionArchive(storage, given.archive, id);
  const gate = createConnectionGate(maxConnections);
  const contents = given.contents && createSessionContents(storage, given.contents, { id, gate });
  const stored = () => (storage.sql.databaseSize ?? 0) + (contents?.bytes() ?? 0);
  const owner =
    directory && createObjectOwner(directory, { storage, table, id: () => record.firstId, stored });
  let { model } = given;
  let opening: Promise<OpenedSession> | undefined;
  let current: OpenedSession | undefined;
  let parked: readonly SessionQuestion[] = [];
  let holds = 0;
  /** Of what waits until no turn runs: while a person is waited for it is given up, and keeps nothing awake. */
  let turnHolds = 0;
  let wire: SessionWire | undefined;
  let isStepping = false;
  /** Tells the event that rings other alarms: the session's own is due by now. */
  let rung = (): void => undefined;
  let isDeleted = false;
  /** When what was under way in the session that was let go of last has ended. */
  let ended: Promise<void> = Promise.resolve();
  /** How often it was opened, or its files alone. */
  let uses = 0;
  const awaited = new Set<(opened: Opening) => void>();
  /** How often the session was opened. */
  let openings = 0;

  const session = createSleepingSession({
    id: () => record.sessionId,
    open,
    current: () => current,
    openingAfter: (ordinal) =>
      ordinal === openings ? new Promise((resolve) => awaited.add(resolve)) : open(),
    hold,
    admit: async () => owner?.admit(),
    ring: () => ringBy(Date.now()),
    parked: () => parked,
    setModel: (next) => void (model = next),
    async close() {
      const open = current;
      await open?.session.close();
      if (open) await rest(open);
    },
    trace: createTrace(systemClock),
  });

  const moves = createObjectMoves(given.moves ?? {}, {
    storage,
    table,
    contents: contents?.options,
    session: () => record.sessionId,
    leavingUntil: () => record.leavingUntil,
    opening: () => opening?.catch(() => undefined),
    current: () => current?.workspace,
    hold,
    async bringBack() {
      if (isDeleted) throw createDeletingError(record.sessionId);
      uses += 1;
      await archive?.restore();
    },
    broughtBack: () => (isQuiet() ? upkeep.later() : Promise.resolve()),
    async left(until, url) {
      if (current) await rest(current);
      parked = [];
      record.leave(until);
      if (until === undefined) {
        wireOf()?.moved?.(record.sessionId, url);
        owner?.left();
        await table.delete(ownAlarm);
        await table.delete(wakeAlarm);
      } else await table.set(ownAlarm, until);
    },
    async stillLeaving(until) {
      if (record.leavingUntil === undefined) return;
      record.leave(until);
      await table.set(ownAlarm, until);
    },
    refusal: async () => owner?.refusal(),
    refusalNow: async (isRunning) => owner?.refusalNow(isRunning),
    async arrived(id) {
      // Said again: it runs.
      if (current && record.sessionId === id && record.leavingUntil === undefined) return;
      if (current) await rest(current);
      parked = [];
      record.leave(undefined);
      record.moveTo(id);
      await ringBy(Date.now());
    },
  });

  const upkeep = createObjectUpkeep({
    table,
    archive,
    contents,
    isQuiet,
    uses: () => uses,
    giveWay: moves.giveWay,
  });

  function hold(behindTurn = false): Disposable {
    const count = (by: 1 | -1) => {
      if (behindTurn) turnHolds += by;
      else holds += by;
      current?.events.touch();
    };
    count(1);
    return { [Symbol.dispose]: () => count(-1) };
  }

  function open(): Promise<OpenedSession> {
    if (isDeleted) return Promise.reject(createDeletingError(record.sessionId));
    if (current) return Promise.resolve(current);
    return opening ?? begin();
  }

  /** A run that was lost more often than `most` says isn't begun. */
  function begin(most = Infinity): Promise<OpenedSession> {
    if (Date.now() < (record.leavingUntil ?? 0))
      return Promise.reject(createLeavingError(record.sessionId));
    const begun = record.begin();
    if (begun.deaths > most) {
      begun.takeBack();
      return Promise.reject(createDeathsError(record.sessionId, begun.deaths));
    }
    const failed = (error: unknown): never => {
      if (isMovedAway(error)) record.rest();
      // This code has outlived it, so no instance was lost.
      else if (!isSuperseded(error)) begun.takeBack();
      throw error;
    };
    opening = openNow(begun)
      .catch(failed)
      .finally(() => (opening = undefined));
    return opening;
  }

  async function openNow(begun: BegunRun): Promise<OpenedSession> {
    record.leave(undefined);
    await moves.giveWay();
    uses += 1;
    // First of all: whatever becomes of it, there is an event that goes on with it, or lets it go.
    await ringBy(Date.now() + (begun.wasRunning ? 0 : lingerMs));
    if (!archive) requireNotArchived(storage);
    await archive?.restore();
    const lease = createStorageLease(storage);
    const events = createStepEvents(begun.opening, {
      isHeld: (waitsForPerson) => holds > 0 || (turnHolds > 0 && !waitsForPerson),
      // Where this fails the instance is over, and the next one rings by what was set before.
      onWait: () => void (isStepping || ringBy(Date.now()).catch(() => undefined)),
      admit: async () => owner?.admitOwn(),
      eventWorkMs,
    });
    const edge = await createEdgeHost({
      ...given.host,
      wasm: given.wasm,
      storage: lease.storage,
      ...(contents && { contents: contents.options }),
      gate,
      onWork(ms) {
        events.spend(ms);
        given.host?.onWork?.(ms);
      },
    }).catch((error: unknown) => {
      lease.end();
      throw error;
    });
    const host: Host = { ...edge, steps: events.steps };
    const sessionId = record.sessionId;
    const watching = watch(host, events);
    const dispose = async () => {
      watching[Symbol.dispose]();
      await edge[Symbol.asyncDispose]();
    };
    try {
      const isKept = await hasJournal(host.workspace, sessionId);
      const inner = await openSession({
        ...given.options,
        model: createCountedModel(model, (count) => events.spend(count / charactersPerMs), gate),
        host,
        ...(isKept ? { resume: sessionId } : { sessionId }),
      });
      const opened: OpenedSession = {
        session: inner,
        files: owner ? createCountedFiles(edge.files, owner.admitBytes) : edge.files,
        workspace: host.workspace,
        events,
        letGo: events.steps.letGo,
        ordinal: openings + 1,
        end() {
          lease.end();
          events.letGo();
          // As by a kill: what it still says of its end has nowhere to go.
          ended = dispose().catch(() => undefined);
        },
      };
      current = opened;
      openings += 1;
      for (const tell of awaited) tell(opened);
      awaited.clear();
      wireOf()?.opened?.(session);
      return opened;
    } catch (error) {
      lease.end();
      await dispose().catch(() => undefined);
      throw error;
    }
  }

  async function ringBy(at: number): Promise<void> {
    const set = table.get(ownAlarm);
    if (set === undefined || set > at) await table.set(ownAlarm, at);
    if (at <= Date.now()) rung();
  }

  /** Follows what is recorded. */
  function watch({ workspace }: Host, events: StepEvents): Disposable {
    return workspace.streams.onAppend(({ stream, entries }) => {
      events.touch();
      if (stream !== toJournalId(record.sessionId)) return;
      for (const { n, value } of entries) {
        if (!isRecord(value)) continue;
        hear(value);
        owner?.heard(n, value);
      }
    });
  }

  function hear({ type, end, requestId, to }: Readonly<Record<string, unknown>>): void {
    const isVoid = type === 'reply' && end === 'void';
    // A record that is too long to be kept as it is has no type here: a reply, or what a call has given.
    if (!isVoid && (type === undefined || progressKinds.has(type))) record.progress();
    if (type === 'answer') parked = parked.filter((one) => one.requestId !== requestId);
    if (type === 'result') parked = [];
    if (type === 'moved' && typeof to === 'string') record.moveTo(to);
  }

  /** Nothing runs any more but what is waited for, if that: all of it is dropped. */
  async function rest(opened: OpenedSession): Promise<void> {
    if (current !== opened) return;
    parked = opened.session.questions();
    const wakeAt = opened.events.wakeAt();
    current = undefined;
    opened.end();
    record.rest();
    owner?.rests();
    await table.delete(ownAlarm);
    if (wakeAt !== undefined) await table.set(wakeAlarm, wakeAt);
    else if (table.get(wakeAlarm) !== undefined) await table.delete(wakeAlarm);
    await upkeep.later();
  }

  function isQuiet(): boolean {
    return !isDeleted && !current && !opening && !isStepping && !moves.isLending();
  }

  /** One event of the run. The next one is set before anything is done. False: it was ended from outside. */
  async function step(): Promise<boolean> {
    // It goes on only where that fails.
    if (isDeleted) return table.set(ownAlarm, Date.now() + retryMs).then(() => false);
    isStepping = true;
    await table.set(ownAlarm, Date.now());
    // With nobody there: a run that dies each time isn't begun for ever.
    const opened = current ?? (await (opening ?? begin(mostDeaths)));
    const hasBegun = opened.events.open();
    let tooLong: Disposable | undefined;
    const isLong = new Promise<'more'>((resolve) => {
      tooLong = systemClock.after(eventMs, () => resolve('more'));
    });
    const isGone = new Promise<'gone'>((resolve) => {
      opened.letGo.addEventListener('abort', () => resolve('gone'), { once: true });
    });
    const settle = async () => {
      await storage.sync();
      await new Promise((resolve) => setTimeout(resolve));
    };
    const whenPaused = () => Promise.race([opened.events.whenPaused(settle), isLong, isGone]);
    let pause = await whenPaused();
    // The first step may come to the gate later than its alarm.
    if (pause === 'more' && !hasBegun) {
      opened.events.open();
      pause = await whenPaused();
    }
    tooLong?.[Symbol.dispose]();
    isStepping = false;
    if (pause === 'still') await rest(opened);
    // Who moves it has its files for a moment, and then lets it go.
    if (pause === 'broken' && moves.isLending()) await table.set(ownAlarm, Date.now() + retryMs);
    else if (pause === 'broken' && current === opened) {
      current = undefined;
      opened.end();
      await table.set(ownAlarm, Date.now() + retryMs);
    }
    return pause !== 'gone';
  }

  /** As `step`. Sets when one that has failed is tried again. */
  async function stepSafely(): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      isStepping = false;
      if (isSuperseded(error)) throw error;
      // What is archived was at rest: where it can't be brought back, whoever uses it is told.
      const isOver = isGivenUp(error) || isMovedAway(error) || isArchived(storage);
      if (isOver) await table.delete(ownAlarm);
      else await table.set(ownAlarm, Date.now() + record.retryInMs());
      if (!isMovedAway(error)) throw error;
      // Of one that is given up it stays: new code begins what is scheduled.
      await table.delete(wakeAlarm);
      return false;
    }
  }

  function wireOf(): SessionWire | undefined {
    return (wire ??= given.wire?.(session, async () => (await open()).files, moves.session.serve));
  }

  return {
    alarms: toNamedAlarms(table, handlers),
    moves: moves.session,
    async session() {
      const held = hold();
      try {
        await open();
        return session;
      } finally {
        held[Symbol.dispose]();
      }
    },
    async alarm() {
      const due = table.due(Date.now());
      const others = due.filter((name) => name !== ownAlarm);
      // An archive that can't succeed costs all its parts each time.
      const putOff = (name: string) => (name === archiveAlarm ? archive?.putOff() : undefined);
      const { told, stepped } = await ringBeside({
        ring: () => ringAlarms(table, others, { handlers, putOff }),
        step: stepSafely,
        dueAt: () => table.get(ownAlarm) ?? Infinity,
        whenRung: () => new Promise((resolve) => (rung = resolve)),
      });
      const hasStepped = stepped.status === 'rejected' || stepped.value;
      if (!hasStepped) await table.arm(Date.now());
      for (const one of [told, stepped]) if (one.status === 'rejected') throw one.reason;
      if (told.status === 'fulfilled' && told.value.length > 0) throw told.value[0];
      return due.length > 0 || hasStepped;
    },
    fetch: async (request) => wireOf()?.fetch(request),
    webSocketMessage: async (...event) => (await wireOf()?.webSocketMessage(...event)) ?? false,
    webSocketClose: async (...event) => (await wireOf()?.webSocketClose(...event)) ?? false,
    webSocketError: async (...event) => (await wireOf()?.webSocketError(...event)) ?? false,
    async release() {
      const opened = current ?? (await opening);
      if (!opened || current !== opened) return;
      current = undefined;
      opened.end();
      record.rest();
    },
    async archive() {
      if (!archive) return checkBucket(undefined);
      archive.want();
      // Who uses it sets its alarm afterwards.
      if (isQuiet()) await upkeep.later();
    },
    async deleteArchive() {
      isDeleted = true;
      try {
        await opening?.catch(() => undefined);
        current?.end();
        current = undefined;
        record.rest();
        // What is on its way into the buckets has arrived then, and goes with the rest.
        await askBucket({ whose: "the session's", what: 'take what is on its way' }, ended);
        await moves.giveWay();
        await archive?.remove();
        await contents?.remove();
        await owner?.deleted();
      } catch (error) {
        isDeleted = false;
        throw error;
      }
    },
  };
}

const progressKinds: ReadonlySet<unknown> = new Set(['reply', 'settled', 'result']);
