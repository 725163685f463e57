// The closed list of requests from other tabs to the tab that runs a session, with their checks.
// Parameters and results are plain data.
import { isRecord } from '../../core/values/is-record.ts';
import type { MetaRecord } from '../../core/session/journal.ts';
import type { PermissionResult } from '../../core/permissions/permission.ts';
import type { InterruptOptions, McpControl, OpenedSession, SentPrompt } from '../agent-session.ts';
import type { Prompt } from '../turn/between-turns.ts';
import { isPriority, isUserMessage } from '../journal/check-journal.ts';

/** The methods of `OpenedSession` with the same names, wherever the session runs. */
export interface RunnerRequests
  extends
    McpControl,
    Pick<
      OpenedSession,
      | 'interrupt'
      | 'setPermissionMode'
      | 'applyFlagSettings'
      | 'supportedCommands'
      | 'supportedAgents'
      | 'getContextUsage'
      | 'skills'
      | 'stopTask'
      | 'backgroundTasks'
      | 'compact'
      | 'fork'
      | 'rewind'
      | 'undo'
      | 'rewindFiles'
    > {
  /** The prompt already has its uuid. */
  send(prompt: Prompt & { readonly uuid: string }): Promise<SentPrompt>;
  answer(requestId: string, result: PermissionResult): Promise<void>;
  /** Records a title, tags or the archive state. */
  note(record: MetaRecord): Promise<void>;
}

export type RunnerMethod = keyof RunnerRequests;

interface MethodRule {
  /**
   * Repeating the request does no harm. So it is sent to the next runner if the first one has gone
   * without an answer.
   */
  readonly isIdempotent: boolean;
  /**
   * Checks the types of the parameters. The code that carries out the request checks their values.
   */
  readonly takes: (...parameters: readonly unknown[]) => boolean;
}

const isText = (value: unknown) => typeof value === 'string';
const maybe = (is: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || is(value);
const maybeText = maybe(isText);
const maybeRecord = maybe(isRecord);

const rules: Readonly<Record<RunnerMethod, MethodRule>> = {
  send: { isIdempotent: true, takes: isPrompt },
  answer: {
    isIdempotent: true,
    takes: (requestId, result) => isText(requestId) && isRecord(result),
  },
  interrupt: { isIdempotent: true, takes: isInterrupt },
  setPermissionMode: { isIdempotent: true, takes: isText },
  applyFlagSettings: { isIdempotent: true, takes: isRecord },
  supportedCommands: { isIdempotent: true, takes: () => true },
  supportedAgents: { isIdempotent: true, takes: () => true },
  getContextUsage: { isIdempotent: true, takes: () => true },
  skills: { isIdempotent: true, takes: () => true },
  mcpServerStatus: { isIdempotent: true, takes: () => true },
  setMcpServers: { isIdempotent: true, takes: isRecord },
  reconnectMcpServer: { isIdempotent: true, takes: isText },
  toggleMcpServer: {
    isIdempotent: true,
    takes: (name, enabled) => isText(name) && typeof enabled === 'boolean',
  },
  readMcpResource: { isIdempotent: true, takes: (name, uri) => isText(name) && isText(uri) },
  askMcpApp: { isIdempotent: false, takes: (id, request) => isText(id) && isRecord(request) },
  loginMcpServer: { isIdempotent: true, takes: isText },
  // A login's answer can be used only once.
  completeMcpLogin: { isIdempotent: false, takes: isText },
  logoutMcpServer: { isIdempotent: true, takes: isText },
  completeCommand: { isIdempotent: true, takes: (name, args) => isText(name) && isText(args) },
  stopTask: { isIdempotent: true, takes: isText },
  backgroundTasks: { isIdempotent: true, takes: maybeText },
  compact: { isIdempotent: false, takes: maybeText },
  fork: { isIdempotent: false, takes: maybeRecord },
  rewind: {
    isIdempotent: false,
    takes: (promptUuid, options) => isText(promptUuid) && maybeRecord(options),
  },
  undo: { isIdempotent: false, takes: () => true },
  rewindFiles: {
    isIdempotent: false,
    takes: (promptUuid, options) => isText(promptUuid) && maybeRecord(options),
  },
  note: { isIdempotent: true, takes: isMeta },
};

const runnerMethods = Object.keys(rules) as readonly RunnerMethod[];

/** See {@link MethodRule}. */
export const isIdempotent = (method: RunnerMethod): boolean => rules[method].isIdempotent;

/**
 * The parameters of a repeated request. `known` is the newest entry at the time of the first
 * request, so that a stop doesn't end a later turn.
 */
export function toRepeated(
  method: string,
  parameters: readonly unknown[],
  known: number,
): readonly unknown[] {
  if (method !== 'interrupt') return parameters;
  const [given] = parameters as readonly [InterruptOptions?];
  return [{ begunBy: Math.min(given?.begunBy ?? Infinity, known) } satisfies InterruptOptions];
}

/** Checks a request from another tab. */
export function isRequest(method: unknown, parameters: unknown): method is RunnerMethod {
  if (typeof method !== 'string' || !Object.hasOwn(rules, method)) return false;
  return Array.isArray(parameters) && rules[method as RunnerMethod].takes(...parameters);
}

/** The methods, each carried out by `ask`. */
export function toRequests(
  ask: (method: RunnerMethod, parameters: readonly unknown[]) => Promise<unknown>,
): RunnerRequests {
  const entries = runnerMethods.map((method) => [
    method,
    (...parameters: readonly unknown[]) => ask(method, parameters),
  ]);
  // The cast: a request's result has its method's type.
  return Object.fromEntries(entries) as unknown as RunnerRequests;
}

/** The requests that a session's caller makes with nothing added. */
export type PassedRequests = Omit<RunnerRequests, 'send' | 'answer' | 'note'>;

/** The methods, each carried out by the one that `whom` gives at the time of the call. */
export function passOn(whom: () => Promise<PassedRequests>): PassedRequests {
  const {
    send: _,
    answer: __,
    note: ___,
    ...requests
  } = toRequests(async (method, parameters) => {
    // The cast: the caller gives a method its own parameters.
    const methods = (await whom()) as unknown as Record<
      string,
      (...all: readonly unknown[]) => unknown
    >;
    return methods[method]?.(...parameters);
  });
  return requests;
}

function isInterrupt(options: unknown): boolean {
  if (options === undefined) return true;
  return isRecord(options) && maybe(Number.isSafeInteger)(options['begunBy']);
}

function isPrompt(prompt: unknown): boolean {
  if (!isRecord(prompt) || !isText(prompt['uuid'])) return false;
  const isFlag = [undefined, true].includes(prompt['client_composed'] as true | undefined);
  const isKnown = isFlag && isPriority(prompt['priority']);
  return isUserMessage(prompt['message']) && maybeRecord(prompt['origin']) && isKnown;
}

function isMeta(record: unknown): boolean {
  if (!isRecord(record) || record['type'] !== 'meta') return false;
  const { title, tags, isArchived } = record;
  const areTags = maybe((value) => Array.isArray(value) && value.every(isText));
  return (
    maybeText(title) && areTags(tags) && maybe((flag) => typeof flag === 'boolean')(isArchived)
  );
}
