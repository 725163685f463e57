// Replays a session's file entry by entry. For each recorded request it creates the request that
// would be sent now from the state at that time, and compares both. Loaded by replay.ts.
import { throwIfAborted } from '../../core/async/abort.ts';
import type { JournalEntry, PermissionsRecord } from '../../core/session/journal.ts';
import { createTrace } from '../../trace/record-calls.ts';
import { checkLimits, checkSettingSources } from '../check-values.ts';
import { createSession } from '../create-session.ts';
import type { Host } from '../host.ts';
import { checkJournal } from '../journal/check-journal.ts';
import { SessionFold } from '../journal/fold.ts';
import { decodeRecord } from '../journal/journal-codec.ts';
import { readJournalFile } from '../journal/journal-file.ts';
import type { SessionBase } from '../journal/session-base.ts';
import { createPermissionState } from '../permissions/permission-state.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { toPermissionContext } from '../query-options.ts';
import type { QueryOptions } from '../query-options.ts';
import type { Session } from '../session/session.ts';
import { createRequestCheck } from './check-request.ts';
import { toJournalClock } from './journal-clock.ts';
import type { JournalClock } from './journal-clock.ts';
import type { ReplayDifference, ReplayOptions, ReplayResult } from './replay.ts';
import type { CallRunner, CallRunnerPorts } from './run-calls.ts';

/** See `replay`. */
export async function playFile(
  file: Uint8Array<ArrayBuffer>,
  given: ReplayOptions,
): Promise<ReplayResult> {
  const { sessionId, entries, base, readContent } = await readFile(file);
  const [first] = entries;
  if (first?.type !== 'session')
    throw new TypeError('A journal that was checked has no beginning.');
  const clock = toJournalClock(given.host.clock, first.time);
  const options = toQueryOptions(given, clock);
  const signal = given.abortController?.signal ?? new AbortController().signal;
  const permissions = createPermissionState(toPermissionContext(options), first.cwd);
  const open = (changes: Partial<QueryOptions> = {}): Promise<Session> =>
    createSession(
      { ...options, ...changes },
      {
        id: first.id,
        seed: first.seed,
        model: options.model,
        cwd: first.cwd,
        permissions,
        emit: () => undefined,
        trace: createTrace(clock),
        whenPrompted: () => () => undefined,
        signal,
        hasOnePrompt: false,
      },
    );
  const fold = new SessionFold();
  const { hooks: _, ...quiet } = options;
  const session = await open(quiet);
  const checkRequest = createRequestCheck({ fold, session, version: first.version });
  const runner =
    given.mode === 'rerun'
      ? await loadRunner({
          fold,
          session,
          options,
          open,
          base,
          readContent,
          entries,
          clock,
          signal,
        })
      : undefined;
  // An import has removed entries, so the mode and the permissions at that time are unknown.
  const firstWhole = entries.findLastIndex(({ type }) => (type as string) === 'dropped') + 2;
  let requests = 0;
  let difference: ReplayDifference | undefined;
  try {
    for (const entry of entries) {
      throwIfAborted(signal);
      clock.set(entry.time);
      if (entry.agent === undefined) {
        if (entry.type === 'request' && entry.n >= firstWhole) {
          requests += 1;
          difference = await checkRequest(entry);
        } else if (entry.type === 'permissions') follow(permissions, entry);
        difference ??= await runner?.play(entry);
      }
      if (difference) break;
      fold.apply(entry);
    }
  } finally {
    await runner?.close();
  }
  const ended = runner?.ended();
  return {
    sessionId,
    version: first.version,
    entries: fold.length + (difference ? 1 : 0),
    requests,
    calls: runner?.calls() ?? 0,
    ...(difference && { difference }),
    ...(ended && { ended }),
  };
}

interface ReadFile {
  readonly sessionId: string;
  readonly entries: readonly JournalEntry[];
  readonly base: SessionBase | undefined;
  readonly readContent: (contentId: number) => Promise<Uint8Array>;
}

async function readFile(file: Uint8Array<ArrayBuffer>): Promise<ReadFile> {
  const { sessionId, entries: encoded, base } = await readJournalFile(file);
  const contents: Uint8Array[] = [];
  const readContent = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
  const entries: unknown[] = [];
  for (const { value, contents: own } of encoded) {
    const ids = own.map((bytes) => contents.push(bytes) - 1);
    entries.push(await decodeRecord(value, ids, readContent));
  }
  return { sessionId, entries: checkJournal(entries), base, readContent };
}

/** Removes the options that would need a person, cost money or end the replay early. */
function toQueryOptions(given: ReplayOptions, clock: JournalClock): QueryOptions {
  const { mode: _, maxBudgetUsd: __, canUseTool: ___, autoClassifier: ____, ...options } = given;
  const { fallbackModel: _____, callLimiter: ______, ...others } = options;
  const { permissionPromptToolName: _______, host, model = {}, ...rest } = others;
  const { toolReferences, contextWindow } = model;
  const whole: QueryOptions = {
    ...rest,
    host: withClock(host, clock),
    model: {
      name: 'replay',
      apiKeySource: 'none',
      ...(toolReferences !== undefined && { toolReferences }),
      ...(contextWindow !== undefined && { contextWindow }),
      stream() {
        throw new TypeError('A replay asks no model.');
      },
    },
  };
  checkLimits(whole);
  checkSettingSources(whole);
  return whole;
}

/** Copied member by member, because a host may be an instance of a class. */
function withClock(host: Host, clock: JournalClock): Host {
  const { kind, workspace, executor, cwd, limits } = host;
  return {
    kind,
    workspace,
    executor,
    clock,
    cwd,
    ...(limits && { limits }),
    loadTools: host.loadTools.bind(host),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** Applies the changes by the session's calls, answers and modes. */
function follow(state: PermissionState, { updates, mode, taintedBy }: PermissionsRecord): void {
  state.update(updates);
  if (mode !== undefined) state.setMode(mode);
  if (taintedBy !== undefined) state.taint(taintedBy);
}

async function loadRunner(ports: CallRunnerPorts): Promise<CallRunner> {
  const { createCallRunner } = await import('./run-calls.ts');
  return createCallRunner(ports);
}
