// Repeats a session's calls with the files from its beginning, and compares the results. Only calls
// without outside effects run: no page tools, and no network. Used by play-file.ts.
import { toResultText } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import type { CallRecord, JournalEntry, SettledRecord } from '../../core/session/journal.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import type { Executor } from '../../core/tool/ports.ts';
import { toDefinition } from '../../core/tool/listed-tool.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tool, Tools } from '../../core/tool/tool.ts';
import { classifyCall } from '../calls/classify-call.ts';
import type { Settled } from '../calls/settled.ts';
import { createCallTurn } from '../calls/turn.ts';
import type { SessionFold } from '../journal/fold.ts';
import { restoreStates } from '../journal/restore-states.ts';
import { writeBase } from '../journal/session-base.ts';
import type { SessionBase } from '../journal/session-base.ts';
import { startCalls } from '../turn/loop.ts';
import type { QueryOptions } from '../query-options.ts';
import { prepareSessionPool } from '../session/prepare-session-pool.ts';
import type { Session } from '../session/session.ts';
import { toExcerpts } from './excerpts.ts';
import type { JournalClock } from './journal-clock.ts';
import type { ReplayDifference, ReplayResult } from './replay.ts';

export interface CallRunnerPorts {
  /** The fold of all entries before the replayed one. */
  readonly fold: SessionFold;
  /** The session in which calls run. It has all tools of the options. */
  readonly session: Session;
  readonly options: QueryOptions;
  /** Creates a session with the same id and seed. */
  readonly open: (changes: Partial<QueryOptions>) => Promise<Session>;
  readonly base: SessionBase | undefined;
  readonly readContent: (contentId: number) => Promise<Uint8Array>;
  /** All entries of the journal. */
  readonly entries: readonly JournalEntry[];
  readonly clock: JournalClock;
  readonly signal: AbortSignal;
}

export interface CallRunner {
  /**
   * Runs the call that the entry settles, if it may run again. Undefined: there is no difference.
   */
  play(entry: JournalEntry): Promise<ReplayDifference | undefined>;
  /** The number of repeated calls. */
  calls(): number;
  /** Releases the calls' state in the host. */
  close(): Promise<void>;
  ended(): ReplayResult['ended'];
}

/**
 * Writes the base to the workspace.
 *
 * @throws SdkError `bad-usage` if there is no base, or if the workspace has files
 */
export async function createCallRunner(ports: CallRunnerPorts): Promise<CallRunner> {
  const { fold, options, base, entries, clock, signal } = ports;
  const { host } = options;
  if (!base) throw noBase();
  await checkEmpty(options);
  await writeBase(host.workspace.fs, base);
  const tools = await listWorkerTools(ports.session);
  const session = await ports.open({
    host: { ...host, executor: keepInside(host.executor, tools) },
    tools,
    mcpServers: {},
    // The call was allowed when it ran. Deny rules still apply.
    canUseTool: () => Promise.resolve({ behavior: 'allow' }),
  });
  const turn = createCallTurn(signal, () => undefined);
  session.hooks?.startTurn(turn, '');
  const isNumbered = !entries.some((entry) => hasChanged(entry) && entry.seq === undefined);
  /** The numbers of the commits that were made again. */
  const known = new Set<number>();
  /** Calls that hooks hadn't processed yet when they were recorded. */
  const open = new Map<string, Settled>();
  let calls = 0;
  let ended: ReplayResult['ended'];

  async function play(entry: JournalEntry): Promise<ReplayDifference | undefined> {
    if (ended) return undefined;
    if (entry.type === 'rewound' && entry.files) {
      end(entry.n, 'the files went back to a checkpoint, which the file does not have');
    }
    if (entry.type === 'amended') return playAmended(entry.n, entry.id, entry);
    if (entry.type !== 'settled') return undefined;
    const { call, nested = [] } = fold.calls.get(entry.id) ?? {};
    // The changes of a call by code are in the draft of the outer call.
    if (call?.origin === 'code') return undefined;
    const inner = nested.flatMap((id) => fold.calls.get(id)?.call ?? []);
    const mayRun =
      call?.origin === 'model' &&
      !entry.isStopped &&
      !entry.denial &&
      [call, ...inner].every((one) => !reachesOut(one.tool, one.input, tools)) &&
      (call.repeatable || isInside(call));
    const foreign = mayRun && isNumbered ? findForeign(entry) : undefined;
    if (foreign !== undefined) {
      end(entry.n, `${foreign} was changed by somebody else before ${entry.tool} read it`);
    } else if (!mayRun && hasChanged(entry)) {
      end(entry.n, `${entry.tool} changed files, and may not run again`);
    }
    if (!mayRun || ended) return undefined;
    calls += 1;
    const settled = await run(entry, call.input);
    if (entry.seq !== undefined) known.add(entry.seq);
    const difference = compareChanges(entry, settled);
    if (difference) return difference;
    if (entry.isOpen && session.hooks) {
      open.set(entry.id, settled);
      return undefined;
    }
    return compareResult(entry.n, entry.tool, entry.result, settled.result);
  }

  function playAmended(n: number, id: string, { result }: Pick<SettledRecord, 'result'>) {
    const settled = open.get(id);
    open.delete(id);
    return settled && compareResult(n, settled.toolUse.name, result, settled.result);
  }

  /**
   * True if the call had no outside effects. Its code might have, but the session has fetched
   * nothing so far.
   */
  function isInside({ tool: name, input }: CallRecord): boolean {
    const tool = findToolByName(tools, name);
    const hasFetched = fold.permissions.some(({ downloadedAt }) => downloadedAt !== undefined);
    const isBehind = tool?.background?.isAskedFor(input as Record<string, unknown>) === true;
    return tool?.callsTools === true && !isBehind && !hasFetched;
  }

  function end(at: number, why: string): void {
    ended = { at, message: `From entry ${at} on no call ran again: ${why}.` };
  }

  /** Finds a file whose version is neither the base's nor one of the session's. */
  function findForeign({ reads }: SettledRecord): string | undefined {
    const isForeign = (path: string, version: number) =>
      version > (base?.seq ?? 0) && !known.has(version) && !isSessionPath(path);
    return reads.find(([path, version]) => isForeign(path, version))?.[0];
  }

  async function run(entry: SettledRecord, input: unknown): Promise<Settled> {
    const { id, tool: name } = entry;
    const now = clock.now();
    clock.set(fold.calls.get(id)?.begunAt ?? now);
    await forgetUnknown();
    // Restores the states of that time, whatever the repeated calls have changed.
    if (fold.vm.size > 0) await restoreStates(host.executor, session.id, fold, ports.readContent);
    const pool = await prepareSessionPool(session, { messages: fold.messages });
    const running = startCalls(session, pool, turn, () => noMessage);
    try {
      const settled = running.add({ id, name, input, index: 0 });
      running.close();
      return await settled;
    } finally {
      running[Symbol.dispose]();
      clock.set(now);
    }
  }

  /** Afterwards the model has read exactly the files that it had read at that entry. */
  async function forgetUnknown(): Promise<void> {
    const { readFileState, root } = session;
    for (const [path] of [...readFileState.entries()]) {
      if (!fold.reads.has(path)) readFileState.delete(path);
    }
    const missing = [...fold.reads.keys()].filter((path) => readFileState.get(path) === undefined);
    const states = missing.length > 0 ? await root.lookUp(missing) : [];
    missing.forEach((path, at) => {
      const version = states[at]?.version;
      if (version !== undefined) readFileState.set(path, version);
    });
  }

  return {
    play,
    calls: () => calls,
    ended: () => ended,
    async close() {
      await session.tasks.close();
      host.executor.endSession?.(session.id);
    },
  };
}

function hasChanged(entry: JournalEntry): boolean {
  return entry.type === 'settled' && (entry.changes?.length ?? 0) > 0;
}

/**
 * Security: the calls come from a stranger's file, and nobody is asked. They write only to a
 * separate workspace; nothing is fetched or sent.
 */
function keepInside(executor: Executor, tools: Tools): Executor {
  return {
    endSession: (sessionId) => executor.endSession?.(sessionId),
    restoreStates: async (...given) => executor.restoreStates?.(...given),
    start({ network: _, ...request }, onProgress, listeners) {
      // The code may make other calls now than those in the file.
      if (reachesOut(request.toolName, request.input, tools)) {
        const message = `${request.toolName} reaches out, and does not run in a replay.`;
        throw new SdkError('bad-usage', message, { data: { toolName: request.toolName } });
      }
      return executor.start(request, onProgress, listeners);
    },
  };
}

/** Code that uses the network finds none. Any other tool might have its own access. */
function reachesOut(name: string, input: unknown, tools: Tools): boolean {
  const tool = findToolByName(tools, name);
  if (!tool || tool.callsTools) return !tool;
  return classifyCall(tool, input as Record<string, unknown>).isOpenWorld;
}

async function listWorkerTools({ builtInTools, ownTools }: Session): Promise<Tool[]> {
  const all = await Promise.all([...builtInTools, ...ownTools].map(toDefinition));
  return all.filter(({ runsIn }) => runsIn === 'worker');
}

function compareResult(
  at: number,
  name: string,
  expected: SettledRecord['result'],
  actual: SettledRecord['result'],
): ReplayDifference | undefined {
  const one = describeResult(expected);
  const other = describeResult(actual);
  if (one === other) return undefined;
  const message = `${name} (entry ${at}, call ${expected.tool_use_id}) has another result now.`;
  return { at, kind: 'result', message, ...toExcerpts(one, other) };
}

function describeResult(result: SettledRecord['result']): string {
  const { content, is_error: isError } = result;
  const text = typeof content === 'string' ? toResultText(result) : JSON.stringify(content);
  return isError ? `Error: ${text}` : text;
}

function compareChanges(
  { n, tool, id, changes = [] }: JournalEntry & SettledRecord,
  { kept = [] }: Settled,
): ReplayDifference | undefined {
  const describe = (all: typeof changes) =>
    all
      .map(({ type, path }) => `${type} ${path}`)
      .toSorted()
      .join('\n');
  const expected = describe(changes);
  const actual = describe(kept);
  if (expected === actual) return undefined;
  const message = `${tool} (entry ${n}, call ${id}) changes other files now.`;
  return { at: n, kind: 'changes', message, ...toExcerpts(expected, actual) };
}

/** Only page tools read the message, and none of them runs. */
const noMessage: AssistantMessage = {
  id: 'replay',
  type: 'message',
  role: 'assistant',
  model: 'replay',
  content: [],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** Existing files would be mixed with the session's files, or lost. */
async function checkEmpty({ host: { workspace } }: QueryOptions): Promise<void> {
  const all = { respectIgnore: false, includeHidden: true };
  const found = await workspace.fs.walk('/', all);
  const file = found.find(({ path }) => !isSessionPath(path));
  if (!file) return;
  throw new SdkError(
    'bad-usage',
    `A replay with mode 'rerun' writes the session's files, and the workspace has files already, such as ${file.path}. Give it a host with a workspace of its own.`,
    { data: { path: file.path } },
  );
}

function noBase(): SdkError {
  return new SdkError(
    'bad-usage',
    "The session's file has none of the files that it began with, so no call can run again. Export it with { base: true }, or replay it with mode 'verify'.",
  );
}
