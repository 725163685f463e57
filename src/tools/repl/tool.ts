// Repl, as the agent knows it: a cell's permissions by its syntax tree, and the form of its outcome
// for the model. Its body is worker.ts.
import type { ToolUseContext } from '../../core/tool/context.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import type { CellClassification, classifyCell } from '../../repl/cell/classify.ts';
import { maxTimeoutMs, readTimeoutMs } from './input.ts';
import { buildReplPrompt, replDescription, replToolName } from './prompt.ts';
import {
  replInputSchema,
  replOutputSchema,
  type ReplInput,
  type ReplOutput,
  type ReplProgress,
} from './schema.ts';

export const replTool = buildTool({
  name: replToolName,
  searchHint: 'run JavaScript code and tests',
  get inputSchema() {
    return replInputSchema();
  },
  get outputSchema() {
    return replOutputSchema();
  },
  runsIn: 'worker',

  description: (input) => Promise.resolve(input ? describeCell(input) : replDescription),
  prompt({ tools }) {
    // The model may write a cell next. A failure is ignored here, because the call loads it again
    // and reports the error.
    loadClassifier().catch(() => undefined);
    return Promise.resolve(buildReplPrompt(tools.map(({ name }) => name)));
  },

  async validateInput(input) {
    // The following checks are synchronous.
    await loadClassifier();
    const { code, timeout = 0, run_in_background: isInBackground } = input;
    if (timeout > maxTimeoutMs && isInBackground !== true) {
      return refuse(
        1,
        `A cell may run for ${maxTimeoutMs} ms while you wait. With run_in_background: true it may run longer.`,
      );
    }
    if (code.trim() === '') return refuse(2, 'code is empty: there is nothing to run.');
    return { result: true };
  },

  // The file changes of a cell are authorised path by path after it has run.
  authorizesChangesAt: 'commit',
  getFileChanges: (output) => output.changes,
  getGitDeeds: (output) => output.git ?? [],
  mergesChanges: true,
  callsTools: true,
  // Security: judged by the syntax tree, and only calls that must not even be tried. Even if a cell
  // hides something from it, the sandbox and the judgement at commit still hold.
  checkPermissions(input, context?: Pick<ToolUseContext, 'listOwnPorts'>) {
    const ownPorts = context?.listOwnPorts?.(replToolName);
    const { cellClass, reason, hosts = [] } = classOf(input.code, ownPorts);
    if (cellClass === 'dangerous') {
      return Promise.resolve({
        behavior: 'deny',
        message: `This cell is refused. ${reason ?? 'It could run code from outside.'}`,
      });
    }
    // Files are authorised at commit, and nested calls by themselves. A cell that names no host
    // reaches only hosts that rules allow. So there is no question before it runs.
    return Promise.resolve({ behavior: hosts.length > 0 ? 'passthrough' : 'allow' });
  },

  isReadOnly: (input) => classOf(input.code).isReadOnly,
  isConcurrencySafe: (input) => classOf(input.code).isConcurrencySafe,
  isDestructive: (input) => isAtLeastDestructive(input.code),
  getNetworkHosts: (input, ownPorts) => classOf(input.code, ownPorts).hosts ?? [],
  isOpenWorld: (input) => classOf(input.code).cellClass === 'open-world',
  isSearchOrReadCommand(input) {
    const { cellClass } = classOf(input.code);
    return {
      isSearch: cellClass === 'search',
      isRead: cellClass === 'read',
      isList: cellClass === 'list',
    };
  },
  cutsSiblings: true,
  getTimeoutMs: (input) => readTimeoutMs(input),
  // A cell's time begins when engine and parser are loaded and the earlier cells have ended.
  keepsOwnTime: true,
  // A background cell has a copy of the variables, however small it is.
  usesSessionState: (input) =>
    input.run_in_background === true || classOf(input.code).standsAlone !== true,
  background: {
    taskType: 'repl',
    isAskedFor: (input) => input.run_in_background === true,
    toStartedOutput: ({ taskId, outputPath, endsWithFinalResponse }) => ({
      stdout: '',
      stderr: '',
      interrupted: false,
      backgroundTaskId: taskId,
      ...(endsWithFinalResponse
        ? { backgroundEndsWithFinalResponse: true }
        : { backgroundWakesOwner: true }),
      persistedOutputPath: outputPath,
      changes: [],
      rolledBack: false,
    }),
    toOutputText: ({ stdout = '', stderr = '' }) => stdout + stderr,
    describeOutcome: ({ error, display, returnCodeInterpretation }) =>
      (error && `${error.name}: ${error.message}`) ??
      returnCodeInterpretation ??
      (display === undefined ? '' : `=> ${toSummary(display)}`),
  },

  userFacingName: () => 'Repl',
  getToolUseSummary: (input) => toSummary(input.description ?? input.code ?? '') || null,
  getToolUseTag: ({ timeout, run_in_background }) =>
    [
      typeof timeout === 'number' && `at most ${timeout / 1000} s`,
      run_in_background === true && 'in the background',
    ]
      .filter(Boolean)
      .join(', ') || null,
  getActivityDescription: (input) =>
    input.description ? toSummary(input.description) : 'Running a cell',
  toAutoClassifierInput: (input) => input.code,

  maxResultSizeChars: 30_000,
  withPersistedOutput: (output, { path, size }) => ({
    ...output,
    persistedOutputPath: path,
    persistedOutputSize: size,
  }),
  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: output.backgroundTaskId === undefined ? toText(output) : toStartedText(output),
    ...((output.error !== undefined || output.interrupted) && { is_error: true }),
  }),
} satisfies ToolDef<ReturnType<typeof replInputSchema>, ReplOutput, ReplProgress>);

// A separate chunk: with its parser it is as large as the rest of the agent, and only cells need
// it.
let classify: typeof classifyCell | undefined;

async function loadClassifier(): Promise<void> {
  classify ??= (await import('../../repl/cell/classify.ts')).classifyCell;
}

/**
 * Before `validateInput` was first called, this throws: then the call counts as the worst that it
 * may be.
 */
function classOf(code: string, ownPorts?: readonly number[]): CellClassification {
  if (!classify) throw new SdkError('internal', 'The classifier of cells is not loaded yet.');
  return classify(code, ownPorts);
}

function refuse(errorCode: number, message: string) {
  return { result: false as const, errorCode, message };
}

function describeCell(input: ReplInput): string {
  return input.description ? `Run a cell: ${input.description}` : `Run: ${toSummary(input.code)}`;
}

function isAtLeastDestructive(code: string): boolean {
  const { cellClass } = classOf(code);
  return cellClass === 'destructive' || cellClass === 'dangerous';
}

function toStartedText(output: ReplOutput): string {
  const { backgroundTaskId: id, persistedOutputPath: path } = output;
  const end = output.backgroundEndsWithFinalResponse
    ? 'You are told when it has ended, as long as you go on working; your final answer stops it.'
    : 'You are told when it has ended.';
  return `The cell runs in the background as task ${id}, on a copy of the session: its variables don't come back. What it prints goes to ${path}: Read it to see how far it is. Stop it with TaskStop. What it changes is kept when it has ended, if that is allowed. ${end}`;
}

/** Output first, as in a terminal; then the value or the error; then the changes. */
function toText(output: ReplOutput): string {
  const { stdout, stderr, display, error, changes, changesLeftOut = 0, git = [] } = output;
  const parts = [
    stdout.trimEnd(),
    stderr === '' ? '' : `<stderr>\n${stderr.trimEnd()}\n</stderr>`,
    display === undefined ? '' : `=> ${display}`,
    error === undefined ? '' : toErrorText(error),
    output.rolledBack ? '(Rolled back: variables and files are as before this cell.)' : '',
    git.length === 0 ? '' : `Git:\n${git.map(({ told }) => told).join('\n')}`,
    changes.length === 0 ? '' : `Changed files:\n${listChanges(changes, changesLeftOut)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '(The cell ran; it has no output and no value.)' : parts.join('\n');
}

function toErrorText({ name, message, line, stack }: NonNullable<ReplOutput['error']>): string {
  const where = line === undefined ? '' : ` (line ${line} of the cell)`;
  return `${name}: ${message}${where}${stack === undefined ? '' : `\n${stack.trimEnd()}`}`;
}

// 50 lines: enough to see the changes. The model can ask git or Glob for more.
const maxLines = 50;

function listChanges(changes: ReplOutput['changes'], leftOut: number): string {
  const more = Math.max(0, changes.length - maxLines) + leftOut;
  const lines = changes.slice(0, maxLines).map(toChangeLine);
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function toChangeLine(change: ReplOutput['changes'][number]): string {
  const verbs = { create: 'created', update: 'updated', delete: 'deleted' };
  return `${verbs[change.type]} ${change.path} (+${change.additions} -${change.deletions})`;
}
