// A session that lives inside a Durable Object of any class. The class passes its events on, and learns which of them
// were the session's. The session is opened when it is needed, runs step by step in alarms, and is released when it is
// idle or waits only for a person.
import { checkModel } from '../../../agent/check-query.ts';
import { checkOptionNames } from '../../../core/check-option-names.ts';
import type { SessionQuestion } from '../../../agent/agent-session.ts';
import type { Host } from '../../../agent/host.ts';
import { toJournalId } from '../../../agent/journal/stored-journal.ts';
import { findHeldSession } from '../../../agent/session/held-sessions.ts';
import { isMovedAway } from '../../../agent/session/handover/whereabouts.ts';
import { createConnectionGate } from '../../../core/async/connection-gate.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import { createTrace } from '../../../trace/record-calls.ts';
import type { ServedFiles } from '../../../wire/feed-client.ts';
import { createEdgeHost, maxConnections } from '../create-edge-host.ts';
import { isArchived, requireNotArchived } from '../is-archived.ts';
import { checkBucket } from './archive-bucket.ts';
import { checkContext, checkWasm } from '../check-bindings.ts';
import type { DurableContext } from './durable-context.ts';
import { isSuperseded } from './is-superseded.ts';
import {
  checkAlarmNames,
  createAlarmTable,
  retryMs,
  ringAlarms,
  toNamedAlarms,
} from './named-alarms.ts';
import type { AlarmHandlers, NamedAlarms } from './named-alarms.ts';
import { createClientFiles } from './client-files.ts';
import { charactersPerMs, createCountedModel } from './counted-model.ts';
import { createObjectMoves, offerAlarm } from './object-moves.ts';
import type { SessionMoves } from './asked-moves.ts';
import { createObjectOwner, findUnpriced, reportAlarm } from './object-owner.ts';
import { askBucket } from '../../../workspace/drivers/ask-bucket.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { archiveAlarm, contentsAlarm, createObjectUpkeep } from './object-upkeep.ts';
import { openObjectSession } from './open-object-session.ts';
import { ringBeside } from './ring-beside.ts';
import { createRunRecord, type BegunRun } from './run-record.ts';
import { createSessionArchive } from './session-archive.ts';
import { createSessionContents } from './session-contents.ts';
import {
  createDeathsError,
  createDeletingError,
  createLeavingError,
  isGivenUp,
} from './session-refusals.ts';
import type { SessionObjectOptions } from './session-object-options.ts';
import type { SessionWire } from './session-wire.ts';
import { createSleepingSession, type ObjectSession, type Opening } from './sleeping-session.ts';
import { checkEventWork, createStepEvents, defaultEventWorkMs } from './step-events.ts';
import type { StepEvents } from './step-events.ts';
import { createStorageLease } from './storage-lease.ts';
import { wakeAlarm, wakeForTurn } from './wake-for-turn.ts';

/** A session in an object. All methods may be called at any time, also concurrently. */
export interface SessionObject {
  /** Resolves to the open session. If it was released, each use opens it again. Rejects like `openSession`. */
  session(): Promise<ObjectSession>;
  /**
   * The class's own alarms. They share the object's one alarm with the session, so don't set that alarm through
   * `ctx.storage`.
   */
  readonly alarms: NamedAlarms;
  /** Moves the session to other places, and back. */
  readonly moves: SessionMoves;
  /** Handles the session's requests. Undefined: the request isn't for the session. */
  fetch(request: Request): Promise<Response | undefined>;
  /**
   * Handles the object's alarm. False: nothing was due. Let a rejection propagate, so that the platform retries the
   * alarm.
   */
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
   * Releases the session in its current state, for a host that ends. Running work is interrupted as by a kill, but
   * doesn't count as a failure. The alarm that is set continues it.
   */
  release(): Promise<void>;
  /**
   * Archives the session in the bucket of `archive` as soon as it is idle, without waiting for `after`. Its next use
   * restores it. Rejects with `bad-usage` if there is no bucket.
   */
  archive(): Promise<void>;
  /**
   * Asks the owner's directory at once for a turn that it has refused, instead of within 15 minutes. False: no turn
   * waits. Call it in the directory's `continueSession`.
   */
  continueTurns(): Promise<boolean>;
  /**
   * Call it before you delete the object's storage. It removes the session's archive and large files from the
   * buckets, including running uploads. It reports the session's usage since its last turn to the directory. An open
   * session is released and can't be opened afterwards. Rejects if the directory can't be reached, and with `EIO` if
   * a bucket fails or an upload has no answer for a minute. Call it again then.
   */
  deleteArchive(): Promise<void>;
}

/** The session's own alarm. The dot keeps it apart from the names of a class's alarms. */
const ownAlarm = 'rockpool.step';

/** 10 of the 15 minutes that an alarm's event may last. A longer step continues in the next event. */
const eventMs = 10 * 60 * 1_000;

/** After 4 lost instances a person is asked. A session whose opening kills the instance isn't opened any more. */
const mostDeaths = 4;

/** 10 s: the code that has opened the session is about to use it. */
const lingerMs = 10_000;

interface OpenedSession extends Opening {
  readonly files: ServedFiles;
  readonly workspace: Workspace;
  readonly events: StepEvents;
  /** Resolves when all records are stored, or can't be. Large parts may wait for the bucket. */
  stored(): Promise<void>;
  /** Records nothing from now on. */
  end(): void;
}

/**
 * Creates the object's tables, and nothing else. Call it in the constructor. The session begins with its first use.
 *
 * @throws SdkError `bad-usage` for a class without SQLite, for wasm that isn't compiled, and without
 * a model. The message says what is missing in wrangler.jsonc.
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
  checkOptionNames('createSessionObject', given, knownOptions);
  checkContext('createSessionObject', ctx);
  checkWasm(given.wasm);
  checkModel(given.model);
  checkAlarmNames(given.alarms);
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
    directory &&
    createObjectOwner(directory, {
      storage,
      table,
      id: () => record.firstId,
      stored,
      isDeleted: () => isDeleted,
      unpriced: () => findUnpriced(model, given.options),
    });
  let { model } = given;
  let opening: Promise<OpenedSession> | undefined;
  let current: OpenedSession | undefined;
  let parked: readonly SessionQuestion[] = [];
  let holds = 0;
  /** How many operations wait until no turn runs. They stop waiting while the turn waits for a person. */
  let turnHolds = 0;
  let wire: SessionWire | undefined;
  let isStepping = false;
  /** Tells the event that handles other alarms that the session's own alarm is due. */
  let rung = (): void => undefined;
  let isDeleted = false;
  /** Resolves when the work of the session that was released last has ended. */
  let ended: Promise<void> = Promise.resolve();
  /** How often the session, or only its files, were opened. */
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
    keepFlags: record.keepFlags,
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
    rest: async () => current && rest(current),
    ring: () => ringBy(Date.now()),
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
        owner?.answered();
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
      // A repeated notification: the session runs already.
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
    return moves.arriving()?.then(open) ?? opening ?? begin();
  }

  /** Opens the session, unless it was lost more than `most` times. */
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
      // This code is still running, so no instance was lost.
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
    // The alarm is set first, so there is always a later event that continues or releases the session.
    await ringBy(Date.now() + (begun.wasRunning ? 0 : lingerMs));
    if (!archive) requireNotArchived(storage);
    await archive?.restore();
    const lease = createStorageLease(storage);
    const events = createStepEvents(begun.opening, {
      isHeld: (waitsForPerson) => holds > 0 || (turnHolds > 0 && !waitsForPerson),
      // If this fails, the instance is over. The next instance starts by the alarm that was set before.
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
    const watching = watch(host, events);
    const dispose = async () => {
      watching[Symbol.dispose]();
      await edge[Symbol.asyncDispose]();
    };
    try {
      const counted = createCountedModel(model, (n) => events.spend(n / charactersPerMs), gate);
      const options = { ...given.options, model: counted };
      const inner = await openObjectSession(host, {
        record,
        wasRunning: begun.wasRunning,
        options,
      });
      const opened: OpenedSession = {
        session: inner,
        files: createClientFiles(edge.files, { hold, admit: owner?.admitBytes }),
        workspace: host.workspace,
        events,
        letGo: events.steps.letGo,
        ordinal: openings + 1,
        async stored() {
          const { journal } = findHeldSession(host.workspace, inner.id) ?? {};
          // A broken journal is reported in the session's activity.
          await journal?.flush().catch(() => undefined);
        },
        end() {
          lease.end();
          events.letGo();
          // The session ends as by a kill, so its errors are ignored.
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
    // An alarm during which an instance was lost may never ring again by itself, so it is set
    // again.
    else if (!isStepping) await table.arm(Date.now());
    if (at <= Date.now()) rung();
  }

  /** Watches the journal for progress. */
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
    // Of a record that is too long to be listed whole only the kind is known here. Records of older
    // versions lack even that.
    if (!isVoid && (type === undefined || progressKinds.has(type))) record.progress();
    if (type === 'answer') parked = parked.filter((one) => one.requestId !== requestId);
    if (type === 'result') parked = [];
    const isAnswered = type === 'answer' || type === 'result';
    if (isAnswered && parked.length === 0) owner?.answered();
    if (type === 'moved' && typeof to === 'string') record.moveTo(to);
  }

  /** Releases the session when nothing runs any more, or only a person is waited for. */
  async function rest(opened: OpenedSession): Promise<void> {
    if (current !== opened) return;
    parked = opened.session.questions();
    const wakeAt = opened.events.wakeAt();
    current = undefined;
    opened.end();
    record.rest();
    owner?.rests(parked.length > 0);
    // Removed at once, so a caller that asks for a waiting turn in between sees that one waits.
    const alarms = [table.delete(ownAlarm)];
    if (wakeAt !== undefined) alarms.push(table.set(wakeAlarm, wakeAt));
    else if (table.get(wakeAlarm) !== undefined) alarms.push(table.delete(wakeAlarm));
    await Promise.all(alarms);
    await upkeep.later();
  }

  function isQuiet(): boolean {
    return !isDeleted && !current && !opening && !isStepping && !moves.isLending();
  }

  /** One event of the run. Sets the next alarm before it does anything. False: the run was ended from outside. */
  async function step(): Promise<boolean> {
    // The alarm matters only if the deletion fails.
    if (isDeleted) return table.set(ownAlarm, Date.now() + retryMs).then(() => false);
    isStepping = true;
    await table.set(ownAlarm, Date.now());
    for (let coming = moves.arriving(); coming; coming = moves.arriving()) await coming;
    // Nobody watches this run, so a run that is lost each time must not be started forever.
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
      await opened.stored();
      await storage.sync();
      await new Promise((resolve) => setTimeout(resolve));
    };
    const whenPaused = () => Promise.race([opened.events.whenPaused(settle), isLong, isGone]);
    let pause = await whenPaused();
    // The first step may reach the gate later than its alarm.
    if (pause === 'more' && !hasBegun) {
      opened.events.open();
      pause = await whenPaused();
    }
    tooLong?.[Symbol.dispose]();
    isStepping = false;
    if (pause === 'still') await rest(opened);
    // A move uses the files for a moment and then releases them.
    if (pause === 'broken' && moves.isLending()) await table.set(ownAlarm, Date.now() + retryMs);
    else if (pause === 'broken' && current === opened) {
      current = undefined;
      opened.end();
      await table.set(ownAlarm, Date.now() + retryMs);
    }
    return pause !== 'gone';
  }

  /** As `step`; if it fails, sets the alarm for the next attempt. */
  async function stepSafely(): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      isStepping = false;
      if (isSuperseded(error)) throw error;
      // An archived session was idle: if it can't be restored, its next user gets the error.
      const isOver = isGivenUp(error) || isMovedAway(error) || isArchived(storage);
      if (isOver) await table.delete(ownAlarm);
      else await table.set(ownAlarm, Date.now() + record.retryInMs());
      if (!isMovedAway(error)) throw error;
      // Kept for a session that is given up, so that new code starts what is scheduled.
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
      // Delayed, because each attempt to archive uploads all parts.
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
      // If the session is in use, its release sets the alarm later.
      if (isQuiet()) await upkeep.later();
    },
    async continueTurns() {
      await opening?.catch(() => undefined);
      if (current) return current.events.free();
      // The held work wakes the session later by itself.
      if (table.get(wakeAlarm) === undefined) return false;
      await table.set(wakeAlarm, Date.now());
      return true;
    },
    async deleteArchive() {
      isDeleted = true;
      try {
        await opening?.catch(() => undefined);
        current?.end();
        current = undefined;
        record.rest();
        await owner?.deleted();
        // By then, running uploads have arrived and are deleted with the rest.
        await askBucket({ whose: "the session's", what: 'take what is on its way' }, ended);
        await moves.giveWay();
        await archive?.remove();
        await contents?.remove();
      } catch (error) {
        isDeleted = false;
        throw error;
      }
    },
  };
}

const progressKinds: ReadonlySet<unknown> = new Set(['reply', 'settled', 'result']);

const knownOptions = {
  wasm: true,
  model: true,
  options: true,
  host: true,
  sessionId: true,
  version: true,
  eventWorkMs: true,
  alarms: true,
  directory: true,
  moves: true,
  archive: true,
  contents: true,
  wire: true,
} satisfies Record<keyof SessionObjectOptions, true>;
