// Runs a tool's own `call` on the agent's thread, under the same rules as a worker's handler.
// `dispatch.ts` interrupts it, and abandons it if it doesn't stop.
import { createDeferred } from '../../core/async/deferred.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { fromSerializedError, SdkError, toSerializedError } from '../../core/errors.ts';
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { refuseNestedCalls } from '../../core/tool/nested-call.ts';
import type { NestedCallListener } from '../../core/tool/nested-call.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import type { CallWorktrees } from '../../core/session/session-worktrees.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { SocketPort } from '../../core/host-ports/socket-port.ts';
import type { RootFiles, SessionRoot } from '../session/files/session-root.ts';
import type { AllowedCall } from './authorize.ts';
import { createCallFiles, watchCallFiles } from './call-files.ts';
import { createCallSockets } from './call-sockets.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { DispatchOptions, DispatchPorts, Running } from './dispatch.ts';

/** Further values of `dispatch.ts` for the call. */
export interface PageCallOptions extends DispatchOptions {
  /** The files of the call's root, without access rules. */
  readonly fs: RootFiles;
  readonly watch: SessionRoot['watch'];
  /** Left out: the host has none. */
  readonly sockets?: SocketPort | undefined;
  readonly lendWorktrees: DispatchPorts['lendWorktrees'];
  readonly openWeb: DispatchPorts['openWeb'];
  /** Pauses the call's time until the returned function is called. */
  readonly pause: () => () => void;
  /** Left out: the call can't call tools. */
  readonly onNestedCall?: NestedCallListener | undefined;
}

/** If `call` throws synchronously, that becomes a reply like any other. */
export function startPageCall(call: AllowedCall, options: PageCallOptions): Running {
  const abortController = new AbortController();
  const abandoned = createDeferred<Awaited<Running['reply']>>();

  const run = async (): Promise<Awaited<Running['reply']>> => {
    try {
      return await runPageCall(call, abortController, options);
    } catch (error) {
      return { type: 'failed', error: toSerializedError(error) };
    }
  };

  return {
    reply: Promise.race([run(), abandoned.promise]),
    interrupt: (reason) => abortController.abort(reason),
    // On the agent's own thread nothing delays the call.
    isBehind: () => false,
    kill: (message) => abandoned.resolve({ type: 'lost', message }),
  };
}

/**
 * Runs the call. `abortController` is its own. Rejects with the tool's error, with a TypeError for
 * an invalid result, and with the error of a context modifier that throws.
 */
async function runPageCall(
  call: AllowedCall,
  abortController: AbortController,
  options: PageCallOptions,
): Promise<Extract<DispatchOutcome, { type: 'done' }>> {
  const { tool, input, toolUse, traits, access } = call;
  const { contextModifiers = [], fs, watch, sockets } = options;
  const { onNestedCall = refuseNestedCalls, goOnInBackground } = options;
  if (!tool.call) throw new TypeError(`${tool.name} has neither call() nor runsIn: 'worker'.`);
  const given = contextModifiers.reduce((before, modify) => modify(before), options.context);
  const read = { hasSessionFiles: false };
  const web = tool.getNetworkHosts && (await options.openWeb?.(call.network));
  const context: CallContext = {
    ...given,
    abortController,
    toolUseID: toolUse.id,
    fs: createCallFiles(fs, access, (path) => {
      read.hasSessionFiles ||= isSessionPath(path);
    }),
    watchFiles: (listener) => watchCallFiles(watch, access, options.context.sessionId, listener),
    ...(sockets && { openSocket: createCallSockets(sockets, call) }),
    worktrees: toWorktrees(call, abortController.signal, options),
    ...(web && { web }),
    async handleElicitation(request) {
      // The time that a person takes to answer doesn't count for the call.
      const resume = options.pause();
      try {
        return await given.handleElicitation(request);
      } finally {
        resume();
      }
    },
    async callTool(toolName, nestedInput) {
      const reply = await onNestedCall({ toolName, input: nestedInput });
      if (reply.type === 'failed') throw fromSerializedError(reply.error);
      return reply.output;
    },
    ...(goOnInBackground && {
      async goOnInBackground(rest) {
        // A person may be asked about the other tool's call; that time doesn't count.
        const resume = options.pause();
        try {
          return await goOnInBackground(rest);
        } finally {
          resume();
        }
      },
    }),
  };
  const { canUseTool, parentMessage, onProgress, isResumed, rest } = options;
  const handed = [input, context, canUseTool, parentMessage, onProgress] as const;
  const begin = () =>
    isResumed && tool.resumeCall ? tool.resumeCall(...handed) : tool.call?.(...handed);
  const work = rest ? rest(abortController.signal, onProgress) : begin();
  const result: ToolResult<unknown> | undefined = await work;
  if (!isRecord(result) || !('data' in result)) {
    throw new TypeError('its call() must resolve with { data }');
  }
  const { data, newMessages, contextModifier, mcpMeta } = result;
  if (contextModifier !== undefined && typeof contextModifier !== 'function') {
    throw new TypeError('its contextModifier must be a function');
  }
  const messages = newMessages && checkNewMessages(newMessages);
  const hasEnded = !traits.isConcurrencySafe && !abortController.signal.aborted;
  if (contextModifier && hasEnded) contextModifiers.push(contextModifier);
  return {
    ...{ type: 'done', output: data, changeSet: null, reads: [] },
    ...(read.hasSessionFiles && { hasReadSessionFiles: true as const }),
    ...(messages && { newMessages: messages }),
    ...(mcpMeta && { mcpMeta }),
  };
}

/** Access to work trees is created when it is first used, because most calls don't use it. */
function toWorktrees(
  { toolUse: { id }, access }: AllowedCall,
  signal: AbortSignal,
  { lendWorktrees, outerCallId }: PageCallOptions,
): CallWorktrees {
  const lend = () => {
    if (outerCallId === undefined) return lendWorktrees({ id, access, signal });
    // The cell's changes are in its draft, and would be left behind.
    throw new SdkError(
      'bad-usage',
      'A cell works where it began until it ends. Let it end, and call the tool yourself.',
    );
  };
  return {
    enter: async (wanted) => (await lend()).enter(wanted),
    leave: async (how) => (await lend()).leave(how),
  };
}

// The messages that a tool adds to the conversation, as they may be sent. A tool without types may give
// anything. What the API refuses would stay in the conversation and fail each later request.

/**
 * Returns a copy, so later changes by the tool don't affect the conversation. A `system` message
 * becomes a reminder, because the API doesn't accept one in the middle. An attachment becomes a
 * user message that begins with its name.
 *
 * @throws TypeError that names the invalid place and the reason
 */
export function checkNewMessages(given: unknown): readonly MessageParam[] {
  if (!Array.isArray(given)) throw new TypeError('its newMessages are no list');
  // Converted to data: a value that JSON can't represent can't be sent.
  const copy = JSON.parse(JSON.stringify(given)) as unknown[];
  return copy.map((message, at) => toMessage(message, `its newMessages[${at}]`));
}

function toMessage(message: unknown, place: string): MessageParam {
  const { role, content, name } = toFields(message);
  if (role === 'system') {
    if (isFullText(content)) return toSystemReminder(content);
    throw new TypeError(`${place}.content must be a text, as its role is system`);
  }
  if (role === 'attachment') {
    if (!isFullText(name)) throw new TypeError(`${place}.name must say what is attached`);
    const attached = toMessage({ role: 'user', content }, place).content as UserContent;
    return { role: 'user', content: [...toAttachmentName(name), ...toBlocks(attached)] };
  }
  if (role !== 'user' && role !== 'assistant') {
    throw new TypeError(`${place}.role must be user, assistant, attachment or system`);
  }
  if (isFullText(content)) return { role, content };
  if (!Array.isArray(content) || content.length === 0) {
    throw new TypeError(`${place}.content must be a text, or a list of blocks, and not empty`);
  }
  const wrong = content.findIndex((block) => !isBlock(block, role));
  if (wrong >= 0) throw new TypeError(`${place}.content[${wrong}] can't be sent: ${what}`);
  return { role, content };
}

type UserContent = Extract<MessageParam, { role: 'user' }>['content'];

function toAttachmentName(name: string): readonly UserBlock[] {
  const line = quoteForReminder(name.replace(/\s+/gu, ' ').trim());
  return toBlocks(toSystemReminder(`Attached: ${line}`).content as UserContent);
}

function toBlocks(content: UserContent): readonly UserBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

const what =
  "a block has a type, one of text has a text, an image is the user's and has a source, and calls, results and thinking are none of its business";

/**
 * Blocks that a tool may not add. Only the loop may add calls and results, which belong together.
 * Thinking needs a signature.
 */
const notTheirs = /(?:^|_)(?:tool_use|tool_result|thinking)$/u;

function isBlock(block: unknown, role: 'user' | 'assistant'): boolean {
  const { type, text, source } = toFields(block);
  if (type === 'text') return isFullText(text);
  if (type === 'image') return role === 'user' && typeof source === 'object' && source !== null;
  return typeof type === 'string' && type !== '' && !notTheirs.test(type);
}

/** The API doesn't accept an empty text. */
function isFullText(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '';
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
