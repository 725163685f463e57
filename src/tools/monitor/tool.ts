// The definition of the tool Monitor. It has no worker half: `command` runs as a cell of the Repl.
// Sockets and file changes are watched on the agent's thread. The agent reports each line
// (agent/background/told-lines.ts).
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import { describeThrown, SdkError, ToolError } from '../../core/errors.ts';
import { compilePathGlob, getGlobDirectory } from '../../core/glob/path-glob.ts';
import { isInside } from '../../core/path.ts';
import { maxToldChars } from '../../core/tool/result-limits.ts';
import { toSummary } from '../../core/tool/summary.ts';
import type { RestOfCall } from '../../core/tool/background.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallFileChange } from '../../core/tool/call-files.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { monitorDescription, monitorPrompt, monitorToolName } from './prompt.ts';
import {
  defaultTimeoutMs,
  monitorInputSchema,
  monitorOutputSchema,
  type MonitorInput,
  type MonitorOutput,
} from './schema.ts';

// 30 s: a server that takes longer counts as unreachable.
const openingMs = 30_000;
// A minute beyond its own time, in which a monitor ends by itself.
const graceMs = 60_000;

export const monitorTool = buildTool({
  name: monitorToolName,
  searchHint: 'watch output, a socket or file changes',
  shouldDefer: true,
  get inputSchema() {
    return monitorInputSchema();
  },
  get outputSchema() {
    return monitorOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Watch ${describeSource(input)}` : monitorDescription),
  prompt: () => Promise.resolve(monitorPrompt),

  validateInput: (input, { cwd }) => toValidation(findFault(input, cwd)),
  // The cell is authorised like Repl's, before it begins and when it ends. Only readable files are
  // reported.
  checkPermissions: ({ ws }) => Promise.resolve({ behavior: ws ? 'passthrough' : 'allow' }),
  isReadOnly: ({ ws }) => ws === undefined,
  isConcurrencySafe: () => true,
  isOpenWorld: ({ ws }) => ws !== undefined,
  getNetworkHosts: ({ ws }) => (ws ? [toHost(new URL(ws.url))] : []),
  getTimeoutMs: (input) => toTimeoutMs(input) + graceMs,

  background: {
    taskType: 'monitor',
    isAskedFor: () => false,
    tellsLines: true,
    toStartedOutput: ({ taskId, outputPath, endsWithFinalResponse }, input) => ({
      taskId,
      timeoutMs: toTimeoutMs(input),
      outputFile: outputPath,
      ...(endsWithFinalResponse && { endsWithFinalResponse }),
    }),
    toOutputText: (line) => `${line}\n`,
    describeOutcome: ({ ended = '' }) => ended,
  },
  call: monitor,

  userFacingName: () => 'Monitor',
  getToolUseSummary: ({ description }) => (description ? toSummary(description) : null),
  getToolUseTag: ({ timeout_ms }) =>
    typeof timeout_ms === 'number' ? `at most ${timeout_ms / 1000} s` : null,
  getActivityDescription: ({ description }) =>
    description ? `Beginning to watch: ${toSummary(description)}` : null,
  toAutoClassifierInput: (input) => input.command ?? `watch ${describeSource(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: output.ended ?? describeStart(output),
  }),
} satisfies ToolDef<ReturnType<typeof monitorInputSchema>, MonitorOutput, string>);

async function monitor(
  input: MonitorInput,
  context: CallContext,
): Promise<ToolResult<MonitorOutput>> {
  const { command, ws, files, description } = input;
  if (!context.goOnInBackground) {
    throw new ToolError(
      'Monitor tells you what happens while you go on, and whoever made this call waits for its end. Call Monitor yourself.',
      { code: 'bad-usage' },
    );
  }
  const timeoutMs = toTimeoutMs(input);
  if (command !== undefined) {
    const cell = { code: command, timeout: timeoutMs, description, run_in_background: true };
    return { data: await goOn(context, { toolName: 'Repl', input: cell }) };
  }
  if (files) return { data: await hear(toFileSource(files.pattern, context), timeoutMs, context) };
  // `findFault` has made sure that there is a source.
  if (!ws) throw new SdkError('internal', 'A monitor has no source.');
  const frames = createFrames();
  const socket = await openSocket(ws, frames, context);
  try {
    return { data: await hear(toSocketSource(frames, socket), timeoutMs, context) };
  } catch (error) {
    socket[Symbol.dispose]();
    throw error;
  }
}

type Rest = Parameters<NonNullable<CallContext['goOnInBackground']>>[0];

async function goOn({ goOnInBackground }: CallContext, rest: Rest): Promise<MonitorOutput> {
  const started = await goOnInBackground?.(rest);
  // The value that `toStartedOutput` gave.
  if (started !== undefined) return started as MonitorOutput;
  throw new ToolError(
    'As many tasks run in the background as may. Wait until one has ended, or end one by TaskStop.',
    { code: 'limit-exceeded' },
  );
}

/** A listener of a source. */
interface Hearer {
  say(line: string): void;
  /** Called when no further event comes. */
  end(why: string): void;
}

/** Begins to listen. Dispose the result to end that. */
type Source = (hearer: Hearer) => Disposable;

/**
 * Continues as a task that watches the source until its end or the time limit. Rejects if watching
 * can't begin.
 */
function hear(source: Source, timeoutMs: number, context: CallContext): Promise<MonitorOutput> {
  const { clock } = context;
  const rest: RestOfCall = async (signal, say) => {
    const ended = await untilEnded(source, say, { clock, timeoutMs, signal });
    return { data: { ...(await started), ended } };
  };
  const started: Promise<MonitorOutput> = goOn(context, rest);
  return started;
}

interface Limits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Resolves with the reason of its end. Rejects with `aborted`. */
function untilEnded(
  source: Source,
  say: Hearer['say'],
  { clock, timeoutMs, signal }: Limits,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw createAbortError(signal.reason);
    let stopHearing: () => void = () => undefined;
    let isOver = false;
    const over = (settle: () => void) => () => {
      isOver = true;
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', abort);
      stopHearing();
      settle();
    };
    const abort = over(() => reject(createAbortError(signal.reason)));
    const timer = clock.after(
      timeoutMs,
      over(() => resolve(`its ${timeoutMs / 1000} s are over.`)),
    );
    signal.addEventListener('abort', abort, { once: true });
    const hearing = source({ say, end: (why) => over(() => resolve(why))() });
    // An event during the start may have ended it.
    if (isOver) hearing[Symbol.dispose]();
    else stopHearing = () => hearing[Symbol.dispose]();
  });
}

function toFileSource(pattern: string, { cwd, watchFiles }: CallContext): Source {
  const glob = compilePathGlob(cwd, pattern);
  const directory = getGlobDirectory(cwd, pattern);
  const concerns = ({ path, type, kind }: CallFileChange) => {
    if (kind !== 'directory') return glob.test(path);
    // Files of the glob may have been in the deleted directory, or it was above them.
    return type === 'delete' && (isInside(path, directory) || isInside(directory, path));
  };
  return ({ say }) => watchFiles((changes) => changes.filter(concerns).map(toLine).forEach(say));
}

function toLine({ path, type, kind }: CallFileChange): string {
  const verb = { create: 'created', update: 'changed', delete: 'deleted' }[type];
  return onOneLine(`${verb} ${path}${kind === 'directory' ? ' and all below it' : ''}`);
}

/** The messages of a socket since its opening, including those before the task exists. */
interface Frames {
  onText(text: string): void;
  onClose(why: string): void;
  hearBy(hearer: Hearer): void;
}

function createFrames(): Frames {
  const early: string[] = [];
  let earlyChars = 0;
  let hearer: Hearer | undefined;
  let closed: string | undefined;
  return {
    onText(text) {
      const line = onOneLine(text);
      if (hearer) return hearer.say(line);
      // The line that exceeds the limit is kept, so that the task is stopped and reports why.
      if (earlyChars <= maxToldChars) early.push(line);
      earlyChars += line.length;
    },
    onClose(why) {
      closed = `the socket was closed (${why}).`;
      hearer?.end(closed);
    },
    hearBy(next) {
      hearer = next;
      for (const line of early.splice(0)) next.say(line);
      if (closed !== undefined) next.end(closed);
    },
  };
}

const toSocketSource =
  (frames: Frames, socket: Disposable): Source =>
  (hearer) => {
    frames.hearBy(hearer);
    return socket;
  };

async function openSocket(
  { url, protocols }: NonNullable<MonitorInput['ws']>,
  { onText, onClose }: Frames,
  context: CallContext,
): Promise<Disposable> {
  if (!context.openSocket) {
    throw new SdkError(
      'unsupported-environment',
      'This host opens no sockets for tools. Ask the server by fetch in a command instead, again and again.',
    );
  }
  const opening = createChildController(context.abortController.signal);
  const reason = `No socket was open after ${openingMs / 1000} s.`;
  const timer = context.clock.after(openingMs, () => opening.abort(reason));
  try {
    const request = { url, ...(protocols && { protocols }), onText, onClose };
    return await context.openSocket(request, { signal: opening.signal });
  } catch (error) {
    if (opening.signal.reason === reason) throw new ToolError(reason);
    throw error;
  } finally {
    timer[Symbol.dispose]();
    opening[Symbol.dispose]();
  }
}

// Each event is one line of the task's file, whatever its text.
function onOneLine(text: string): string {
  const cut = text.slice(0, maxToldChars + 1);
  const parts = cut.split(/[\r\n]+/u);
  return parts.length === 1 ? cut : parts.map((part) => part.trim()).join(' ');
}

/** The fault of the input. Undefined: there is none. */
function findFault(input: MonitorInput, cwd: string): string | undefined {
  const { command, ws, files } = input;
  if ([command, ws, files].filter((source) => source !== undefined).length !== 1) {
    return 'Give one source: command, ws or files.';
  }
  if (command?.trim() === '') return 'command is empty: there is nothing to run.';
  if (ws) return findSocketFault(ws);
  if (files?.pattern === '') return 'files.pattern is empty: say which files.';
  try {
    if (files) compilePathGlob(cwd, files.pattern);
    return undefined;
  } catch (error) {
    return `files.pattern: ${describeThrown(error)}`;
  }
}

function findSocketFault({
  url,
  protocols = [],
}: NonNullable<MonitorInput['ws']>): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['ws:', 'wss:'].includes(parsed.protocol)) {
    return 'ws.url is the whole address of a WebSocket: wss://host/path.';
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    return 'ws.url may have no user name, no password and nothing behind a #.';
  }
  // Security: URLs allow a star as a letter, and a rule would read it as every host.
  if (/[*%]/u.test(parsed.host)) return 'ws.url names no host.';
  const isBad = protocols.some((name) => !/^[\w!#$%&'*+.^`|~-]+$/u.test(name));
  if (isBad || new Set(protocols).size < protocols.length) {
    return 'ws.protocols are different names, without blanks.';
  }
  return undefined;
}

function toTimeoutMs({ timeout_ms = defaultTimeoutMs }: Partial<MonitorInput>): number {
  return timeout_ms;
}

/** The host in the form of rules, without a trailing dot. */
function toHost({ host }: URL): string {
  return host.replace(/(?<!\.)\.+(?=:|$)/u, '');
}

function describeSource({ command, ws, files, description }: MonitorInput): string {
  if (ws) return `the socket ${ws.url}`;
  if (files) return `changes of ${files.pattern}`;
  return `what a cell prints: ${description || toSummary(command ?? '')}`;
}

function describeStart({
  taskId,
  timeoutMs,
  outputFile,
  endsWithFinalResponse,
}: MonitorOutput): string {
  const end = endsWithFinalResponse
    ? ', and no longer than you go on: your final answer ends it'
    : '';
  return `Task ${taskId} watches for at most ${timeoutMs / 1000} s${end}. Events are told to you as they come, and stand in ${outputFile}. End it with TaskStop.`;
}
