// An owner's directory in a Durable Object, one object per owner. It records the owner's sessions,
// quotas and usage. It can be part of any class. serve-directory.ts answers remote clients.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { SdkError } from '../../../core/errors.ts';
import type { Usage } from '../../../core/messages/messages.ts';
import { findListPrice } from '../../../model/list-prices.ts';
import { costOf, type ModelPrice } from '../../../model/pricing.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import { checkContext } from '../check-bindings.ts';
import { DirectoryTables, type SessionRow } from './directory-tables.ts';
import { toPeriod, type BudgetPeriod } from './budget-period.ts';
import { serveDirectory } from './serve-directory.ts';
import type {
  DirectoryAdmission,
  DirectoryEntry,
  SessionDirectory,
  TurnReport,
} from './session-directory.ts';

/** The quotas of an owner. Fields that are left out aren't limited. */
export interface DirectoryQuotas {
  /** The number of sessions, archived ones included. */
  readonly sessions?: number;
  /** The total bytes that all sessions' objects store. */
  readonly bytes?: number;
  /**
   * The number of sessions whose turn runs. A turn that waits for a person doesn't count, and may
   * continue after the answer even if the quota is reached. A turn whose end isn't reported within
   * an hour doesn't count any more.
   */
  readonly turns?: number;
}

/** The spending limit of an owner. */
export interface DirectoryBudget {
  /** Input and output tokens, cached or not. */
  readonly tokens?: number;
  /**
   * The limit in US dollars. Turns have the price of their session's `options.prices`, and requests of a proxy that of
   * the directory's `prices`. A session is refused if no price of its models is known. If only some have one, a turn of
   * another model uses it up.
   */
  readonly usd?: number;
  /** When it is renewed, in UTC. @defaultValue `month` */
  readonly period?: BudgetPeriod;
  /**
   * What is counted: the reports of turns, or the reservations of a model proxy. Only one of them
   * counts, because both may report the same requests.
   * @defaultValue `turns`
   */
  readonly countsBy?: 'turns' | 'requests';
}

/** A counted turn: for example a data point for Analytics Engine. */
export interface TurnPoint extends TurnReport {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The options of a directory. */
export interface SessionDirectoryOptions {
  readonly quotas?: DirectoryQuotas;
  readonly budget?: DirectoryBudget;
  /** Prices by model id, for a model proxy's reservations. @defaultValue the list prices */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /**
   * Asks the session's object to delete itself. Get the stub anew in this function: a kept stub may
   * be broken.
   */
  deleteSession(id: string): Promise<void>;
  /**
   * Asks the session's object to archive itself now (its `archive` method). Left out: `archive`
   * only marks the session, and the object archives itself at its usual time.
   */
  archiveSession?(id: string): Promise<void>;
  /**
   * Tells the session's object that a waiting turn may begin (its `continueTurns` method). Resolves
   * to false if no turn waits any more. Called once per wait. Left out: waiting turns are retried
   * every 15 minutes.
   */
  continueSession?(id: string): Promise<boolean>;
  /**
   * Called once for each counted turn, after it is recorded. If it throws, `endTurn` rejects with
   * that error.
   */
  report?(point: TurnPoint): void;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** A directory inside its object. */
export interface DirectoryObject extends SessionDirectory {
  /** Answers the requests of `connectDirectory`. Undefined: the request isn't for the directory. */
  fetch(request: Request): Promise<Response | undefined>;
}

// One hour: a turn whose object is lost must not block others forever.
const turnLapseMs = 3_600_000;
// 15 minutes: the default maximum duration of a model proxy's request.
const reservationLapseMs = 900_000;
const mostListed = 100;
const maxNameCharacters = 500;

/**
 * Creates the directory's tables, named `rockpool_*`, and nothing else. Call it in the constructor.
 *
 * @throws SdkError `bad-usage` for a class without SQLite, and for limits that aren't numbers
 *
 * @example
 * ```ts
 * export class Owner extends DurableObject {
 *   #directory = createSessionDirectory(this.ctx, {
 *     quotas: { sessions: 100, turns: 3 },
 *     budget: { usd: 20 },
 *     deleteSession: (id) => deleteObject(this.env.SESSIONS.getByName(id)),
 *   });
 *   async fetch(request) { return (await this.#directory.fetch(request)) ?? new Response('…'); }
 * }
 * ```
 */
export function createSessionDirectory(
  ctx: { readonly storage: DurableStorage },
  options: SessionDirectoryOptions,
): DirectoryObject {
  checkOptionNames('createSessionDirectory', options, knownOptions);
  checkContext('createSessionDirectory', ctx);
  const { quotas = {}, budget = {}, now = Date.now } = options;
  const { period = 'month', countsBy = 'turns' } = budget;
  checkLimits({ ...quotas, tokens: budget.tokens, usd: budget.usd });
  const tables = new DirectoryTables(ctx.storage);
  /**
   * The ids of running deletions. One that failed, or was lost with an instance, is only marked in
   * the table.
   */
  const deletions: string[] = [];

  const directory: SessionDirectory = {
    async register({ id, title, bytes, isAsking, onlyAsks = false }) {
      checkName('id', id);
      if (title !== undefined) checkName('title', title);
      if (bytes !== undefined) checkBytes(bytes);
      if (isAsking !== undefined) checkAsking(isAsking);
      const judged = tables.write(() => {
        if (!onlyAsks) note(id, bytes, isAsking);
        const admission = judgeEntry(id);
        if (!admission.allowed || onlyAsks) return admission;
        enter(id, title);
        note(id, bytes, isAsking);
        return admission;
      });
      if (isAsking) void tellWaiting();
      return judged;
    },
    async beginTurn({ session, behind = -1, waits = false, unpriced }) {
      checkName('session', session);
      return tables.write(() => {
        const admission = judgeEntry(session);
        if (!admission.allowed) return admission;
        const time = now();
        const { running } = tables.totals(session, time - turnLapseMs);
        if (running >= (quotas.turns ?? Infinity)) {
          if (waits) tables.wait(session, time);
          return refuse(
            `${count(running, 'turn')} of yours ${running === 1 ? 'runs' : 'run'} already, and ${quotas.turns} may. Wait until one ends.`,
          );
        }
        const over = judgeBudget(0, 0) ?? judgeModel(unpriced);
        if (over !== undefined) return refuse(over);
        enter(session);
        tables.set(session, { running: time, updated: time });
        tables.begin(session, behind);
        return { allowed: true };
      });
    },
    async endTurn(report) {
      checkReport(report);
      const at = now();
      const isCounted = tables.write(() => end(report, at));
      void tellWaiting();
      if (isCounted) options.report?.({ ...report, at });
    },
    async list({ archived, limit = mostListed, offset = 0 } = {}) {
      const most = Math.min(Math.max(Math.trunc(limit), 0), mostListed);
      const since = now() - turnLapseMs;
      const from = Math.max(Math.trunc(offset), 0);
      return tables
        .list({ archived, without: deletions, limit: most, offset: from })
        .map((row) => toEntry(row, since));
    },
    async find(id) {
      const row = tables.find(id);
      return row && !row.deleting ? toEntry(row, now() - turnLapseMs) : undefined;
    },
    async rename(id, title) {
      checkName('title', title);
      expectKnown(id);
      tables.set(id, { title, updated: now() });
    },
    async archive(id) {
      expectKnown(id);
      tables.set(id, { archived: 1 });
      // Otherwise it would be told of a free turn that it may not use.
      tables.stopWaiting(id);
      await options.archiveSession?.(id);
    },
    async restore(id) {
      expectKnown(id);
      tables.set(id, { archived: 0 });
    },
    async delete(id) {
      if (!tables.find(id)) return;
      tables.set(id, { deleting: 1, running: 0 });
      tables.stopWaiting(id);
      deletions.push(id);
      try {
        await options.deleteSession(id);
        tables.remove(id);
      } finally {
        deletions.splice(deletions.indexOf(id), 1);
        void tellWaiting();
      }
    },
    async spending() {
      return tables.write(() => {
        settleLapsed();
        const { name, renewsAt } = toPeriod(period, now());
        const { tokens, usd } = tables.spent(name);
        const reserved = tables.reserved();
        return {
          tokens,
          usd,
          reservedTokens: reserved.tokens,
          reservedUsd: reserved.usd,
          renewsAt,
        };
      });
    },
    async reserve({ id = crypto.randomUUID(), model, inputTokens, maxTokens }) {
      return tables.write(() => {
        if (tables.isReserved(id)) return { id };
        settleLapsed();
        const price = priceOf(model);
        if (!price && budget.usd !== undefined && countsBy === 'requests') {
          return {
            refused: `No price is known for ${model}, so it has no place in a budget of dollars. Name it in \`prices\`.`,
          };
        }
        const tokens = inputTokens + maxTokens;
        // The highest possible price: all input is written to the cache for an hour.
        const usd = price
          ? costOf(
              {
                input_tokens: 0,
                cache_creation_input_tokens: inputTokens,
                cache_creation: { ephemeral_1h_input_tokens: inputTokens },
                output_tokens: maxTokens,
              },
              price,
            )
          : 0;
        const over = countsBy === 'requests' ? judgeBudget(tokens, usd) : undefined;
        if (over !== undefined) return { refused: over };
        tables.reserve(id, now(), tokens, usd);
        return { id };
      });
    },
    async settle({ id, model, usage }) {
      tables.write(() => {
        if (!tables.release(id) || countsBy !== 'requests') return;
        const price = priceOf(model);
        spend(countTokens(usage), price ? costOf(usage, price) : null);
      });
    },
  };
  return { ...directory, fetch: (request) => serveDirectory(directory, request) };

  function judgeEntry(id: string): DirectoryAdmission {
    const row = tables.find(id);
    if (row?.deleting) return refuse(describeDeletion(id));
    if (row?.archived) return refuse('This session is archived. Take it out by restore() first.');
    const { sessions, bytes } = tables.totals(id, 0);
    if (bytes >= (quotas.bytes ?? Infinity)) {
      return refuse(
        `Your sessions store ${bytes} bytes, and ${quotas.bytes} may be. Delete some of them.`,
      );
    }
    if (!row && sessions >= (quotas.sessions ?? Infinity)) {
      return refuse(`You have ${count(sessions, 'session')}, which is the most. Delete one first.`);
    }
    return { allowed: true };
  }

  function describeDeletion(id: string): string {
    return deletions.includes(id)
      ? 'This session is being deleted.'
      : 'The deletion of this session has failed midway. Delete it again.';
  }

  function enter(id: string, title?: string): void {
    if (!tables.find(id)) tables.add(id, title ?? '', now());
    else if (title !== undefined) tables.set(id, { title, updated: now() });
  }

  /** For a known session. */
  function note(id: string, bytes: number | undefined, isAsking: boolean | undefined): void {
    if (!tables.find(id)) return;
    if (bytes !== undefined) tables.set(id, { bytes });
    if (isAsking !== undefined) tables.setAsking(id, isAsking);
  }

  /** False if the turn is known already or its session doesn't exist any more. */
  function end({ session, n, usage, usd, bytes }: TurnReport, at: number): boolean {
    const row = tables.find(session);
    // Without the row, duplicates can't be detected.
    if (!row || n <= row.ended) return false;
    const tokens = countTokens(usage);
    // A late report doesn't end a turn that has begun since.
    const running = n > tables.begunBehind(session) ? 0 : row.running;
    tables.set(session, {
      ended: n,
      running,
      updated: at,
      turns: row.turns + 1,
      tokens: row.tokens + tokens,
      usd: row.usd + (usd ?? 0),
      ...(bytes !== undefined && { bytes }),
    });
    if (countsBy === 'turns') spend(tokens, usd);
    return true;
  }

  /** Notifies the sessions that have waited longest, as many as may run. Never rejects. */
  async function tellWaiting(): Promise<void> {
    const { continueSession } = options;
    if (!continueSession || quotas.turns === undefined) return;
    // One that can't be told asks again by itself.
    const tell = async (id: string) => continueSession(id);
    let free = quotas.turns - tables.totals('', now() - turnLapseMs).running;
    for (const id of free > 0 ? tables.waiting() : []) {
      if (free <= 0) return;
      // First: an end that is told twice tells a session once.
      if (tables.stopWaiting(id) && (await tell(id).catch(() => false))) free -= 1;
    }
  }

  function spend(tokens: number, usd: number | null): void {
    const { name } = toPeriod(period, now());
    tables.spend(name, { tokens, usd: usd ?? 0, unpriced: usd === null ? 1 : 0 });
  }

  /** A reservation that was never settled is assumed to be spent. */
  function settleLapsed(): void {
    for (const { tokens, usd } of tables.lapse(now() - reservationLapseMs)) {
      if (countsBy === 'requests') spend(tokens, usd);
    }
  }

  /** Returns the reason if the budget is used up or is too small for that amount. */
  function judgeBudget(tokens: number, usd: number): string | undefined {
    const { name, renewsAt } = toPeriod(period, now());
    const spent = tables.spent(name);
    const open = countsBy === 'requests' ? tables.reserved() : { tokens: 0, usd: 0 };
    const anew =
      renewsAt === null
        ? ''
        : ` It begins anew on ${new Date(renewsAt).toISOString().slice(0, 10)}.`;
    const judge = (
      limit: number | undefined,
      { spent: gone, reserved }: { readonly spent: number; readonly reserved: number },
      more: number,
      unit: string,
    ) => {
      const used = gone + reserved;
      if (limit === undefined || (used < limit && used + more <= limit)) return undefined;
      const left = Math.max(limit - used, 0);
      if (left === 0 && gone < limit) {
        return `Requests under way may need all that is left of your budget of ${show(limit)} ${unit}. Try again when they have ended.`;
      }
      return more === 0 || left === 0
        ? `Your budget of ${show(limit)} ${unit} is used up.${anew}`
        : `Your budget of ${show(limit)} ${unit} has ${show(left)} left, and this may need ${show(more)}.${anew}`;
    };
    if (budget.usd !== undefined && spent.unpriced > 0) {
      return `A turn was made whose price is not known, so nobody can tell what is left of your budget. Give the sessions \`options: { prices }\` with their model, or limit \`tokens\`.${anew}`;
    }
    return (
      judge(budget.tokens, { spent: spent.tokens, reserved: open.tokens }, tokens, 'tokens') ??
      judge(budget.usd, { spent: spent.usd, reserved: open.usd }, usd, '$')
    );
  }

  /** Refused before its first turn, because that turn would use up the budget. */
  function judgeModel(unpriced: string | undefined): string | undefined {
    if (unpriced === undefined || budget.usd === undefined || countsBy !== 'turns')
      return undefined;
    return `No price is known for ${unpriced}, so it has no place in a budget of dollars. Name it in the session's \`options: { prices }\`, or limit \`tokens\` instead.`;
  }

  function expectKnown(id: string): void {
    const row = tables.find(id);
    if (row && !row.deleting) return;
    const message = row
      ? describeDeletion(id)
      : `There is no session ${JSON.stringify(id)} in the directory.`;
    throw new SdkError('bad-usage', message, { data: { sessionId: id } });
  }

  function priceOf(model: string): ModelPrice | undefined {
    return options.prices ? options.prices[model] : findListPrice(model);
  }
}

function toEntry(row: SessionRow, since: number): DirectoryEntry {
  const { id, title, created, updated, running, archived, deleting } = row;
  const { asking, bytes, turns, tokens, usd } = row;
  return {
    id,
    title,
    createdAt: created,
    updatedAt: updated,
    isRunning: running > since,
    isAsking: asking === 1,
    isArchived: archived === 1,
    isHalfDeleted: deleting === 1,
    bytes,
    turns,
    tokens,
    usd,
  };
}

function countTokens(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0)
  );
}

function refuse(reason: string): DirectoryAdmission {
  return { allowed: false, reason };
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** Dollars, rounded to a hundredth of a cent, which hides rounding errors of sums. */
function show(amount: number): string {
  return String(Math.round(amount * 10_000) / 10_000);
}

function checkLimits(limits: Readonly<Record<string, number | undefined>>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined && !(limit >= 0)) {
      throw new SdkError('bad-usage', `A directory needs a number as \`${name}\`.`);
    }
  }
}

function checkName(what: string, name: string): void {
  if (typeof name === 'string' && name !== '' && name.length <= maxNameCharacters) return;
  throw new SdkError(
    'bad-usage',
    `A session's ${what} must be a text of 1 to ${maxNameCharacters} characters.`,
  );
}

function checkBytes(bytes: number): void {
  if (typeof bytes === 'number' && bytes >= 0) return;
  throw new SdkError('bad-usage', "A session's `bytes` are a number, of what its object stores.");
}

function checkAsking(isAsking: boolean): void {
  if (typeof isAsking === 'boolean') return;
  throw new SdkError('bad-usage', "A session's `isAsking` is true or false.");
}

function checkReport({ session, n, usage, usd, bytes = 0 }: TurnReport): void {
  checkName('session', session);
  const counts = [n, usage?.input_tokens, usage?.output_tokens, usd ?? 0, bytes];
  if (counts.every((one) => typeof one === 'number' && one >= 0)) return;
  throw new SdkError('bad-usage', "A turn's report needs its number, usage, cost and bytes.");
}

const knownOptions = {
  quotas: true,
  budget: true,
  prices: true,
  deleteSession: true,
  archiveSession: true,
  continueSession: true,
  report: true,
  now: true,
} satisfies Record<keyof SessionDirectoryOptions, true>;
