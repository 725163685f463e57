// One conversation on a page, without React: prompts and answers go in, a transcript and questions
// come out. It starts the query itself, so a prompt appears in the transcript at once.
import { SdkError } from '../core/errors.ts';
import type { ImageBlock, UserBlock } from '../core/messages/blocks.ts';
import { createId } from '../core/ids.ts';
import { createMessageQueue } from '../core/async/message-queue.ts';
import type { CanUseTool } from '../core/permissions/permission.ts';
import type { OnElicitation } from '../core/mcp/mcp-exchange.ts';
import type {
  PromptPriority,
  SDKControlGetContextUsageResponse,
  SDKMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';
import { nextFrame } from './next-frame.ts';
import { createPermissionQueue } from './permission-queue.ts';
import type { PermissionQueue } from './permission-queue.ts';
import { createTranscriptStore } from './transcript-store.ts';
import type { TranscriptStore, TranscriptStoreOptions } from './transcript-store.ts';

/**
 * The part of a query that a session needs. `query()` returns one, and a client of a remote session may provide one.
 */
export interface AgentQuery extends AsyncIterable<SDKMessage> {
  /** Lists the commands that a prompt may begin with. Called when the session has begun. */
  supportedCommands?(): Promise<readonly SlashCommand[]>;
  /** For `useContextUsage`. */
  getContextUsage?(): Promise<SDKControlGetContextUsageResponse | undefined>;
  interrupt(): Promise<unknown>;
}

/** What a session gives to its query; the names are `query`'s own. */
export interface AgentWiring {
  /** The prompts, as the person sends them. */
  readonly prompt: AsyncIterable<SDKUserMessage>;
  /** For the options. The agent's questions go to {@link PageSession.permissions}. */
  readonly canUseTool: CanUseTool;
  /** For the options. The questions of MCP servers go there, too. */
  readonly onElicitation: OnElicitation;
  /** For the options: aborted when the session is disposed of. */
  readonly abortController: AbortController;
}

/**
 * Says that a prompt with that uuid couldn't be sent, and why. It waits then, and the conversation goes on. Without this
 * a query that can't send a prompt throws, which ends the conversation.
 */
export type GiveBack = (uuid: string | undefined, error: unknown) => void;

/** A prompt that was sent while the agent worked, or couldn't be sent. */
export interface WaitingPrompt {
  readonly id: string;
  /** May be empty if there are images. */
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** It was sent into the running turn, and reaches the agent with its next step. It can't be taken back. */
  readonly isSent?: true;
}

/** The options of a conversation, besides its agent. */
export interface PageSessionOptions extends Pick<TranscriptStoreOptions, 'schedule'> {
  /** The messages so far of a conversation that continues: `getSessionMessages` reads them. */
  readonly kept?: Iterable<SDKMessage>;
  /** Prompts that were waiting before a reload. The page stores them, and they wait again. */
  readonly waiting?: readonly WaitingPrompt[];
}

/**
 * A conversation as components show it. Disposing of it ends the query, and whatever the query
 * runs.
 */
export interface PageSession<Q extends AgentQuery = AgentQuery> extends Disposable {
  /** For `useSession`. */
  readonly store: TranscriptStore;
  /** For `usePermissionQuestions`. */
  readonly permissions: PermissionQueue;
  /** For `useWaitingPrompts`. */
  readonly waiting: WaitingPrompts;
  /** The query that `start` gave. */
  readonly query: Q;
  /**
   * Begins a turn. While another turn runs, the prompt waits, and is sent when that turn has ended well. After a stop
   * or a failure it waits until {@link PageSession.sendWaiting} is called, or another prompt is sent. With `next` as
   * `priority` it joins the running turn instead; with `now` that turn is stopped for it: see `SDKUserMessage`. A prompt
   * that couldn't be sent, because the conversation has ended, waits too: give `waiting` to the conversation that follows.
   */
  send(text: string, images?: readonly ImageBlock[], priority?: PromptPriority): void;
  /** Sends a prompt that waits, before the others. It joins the turn that runs, if there is one. */
  sendWaiting(id: string): void;
  /** Takes a waiting prompt back. Undefined if it was sent already. */
  takeBack(id: string): WaitingPrompt | undefined;
  /** Sends the newest prompt once more. Does nothing while a turn runs, and before the first. */
  sendAgain(): void;
  /** Stops the running turn. What the turn has done stays. */
  stop(): void;
  /** Removes the session's goal. A running turn is stopped first. */
  clearGoal(): void;
  /** True if no prompt is answered any more: the query has ended or failed. A stored session may be opened again. */
  isEnded(): boolean;
  /** Resolves then. Never rejects: the transcript shows the error. */
  readonly ended: Promise<void>;
}

/** The prompts that wait, oldest first, for `useSyncExternalStore` or any other subscriber. */
export interface WaitingPrompts {
  /** The same array until it changes. */
  getSnapshot(): readonly WaitingPrompt[];
  subscribe(listener: () => void): () => void;
}

/**
 * Starts a conversation and follows it to its end. An error that ends it is shown in the transcript. Listeners are
 * called at most once a frame; `schedule` is {@link TranscriptStoreOptions.schedule}.
 *
 * @example
 * ```ts
 * const session = createPageSession(({ prompt, ...wiring }) =>
 *   query({ prompt, options: { host, model, includePartialMessages: true, ...wiring } }),
 * );
 * ```
 */
export function createPageSession<Q extends AgentQuery>(
  start: (wiring: AgentWiring, giveBack: GiveBack) => Q,
  { schedule = nextFrame, kept = [], waiting: left = [] }: PageSessionOptions = {},
): PageSession<Q> {
  const permissions = createPermissionQueue();
  const store = createTranscriptStore({ permissions, schedule });
  const abortController = new AbortController();
  const feed = createMessageQueue<SDKUserMessage>();
  const listeners = new Set<() => void>();
  // One that was sent is taken out as soon as the conversation shows it.
  let waiting: readonly WaitingPrompt[] = left.map(toOwn);
  /** The prompt that the agent was given, until a message shows that it has it. */
  let unsent: WaitingPrompt | undefined;
  let isEnded = false;
  let isClearing = false;

  const setWaiting = (next: readonly WaitingPrompt[]) => {
    waiting = next;
    for (const listener of listeners) listener();
  };
  const begin = (prompt: WaitingPrompt) => {
    const { text, images } = prompt;
    newest = { text, images };
    unsent = prompt;
    push(prompt);
  };
  const push = (prompt: WaitingPrompt) => {
    const message = toMessage(prompt);
    store.apply(message);
    feed.push(message);
  };
  /** Sends the prompt into the running turn. It is shown in the transcript once the agent gets it. */
  const sendInto = (prompt: WaitingPrompt, priority: PromptPriority) => {
    setWaiting([...waiting.filter(isSent), { ...prompt, isSent: true }, ...waiting.filter(isOwn)]);
    feed.push({ ...toMessage(prompt), priority });
  };
  const refuse = () => store.fail(new SdkError('bad-usage', endedHere));
  const takeOut = (id: string): WaitingPrompt | undefined => {
    const found = waiting.find((prompt) => prompt.id === id);
    if (found) setWaiting(waiting.filter((prompt) => prompt !== found));
    return found;
  };
  const takeOwn = (id: string) =>
    waiting.some((one) => one.id === id && isOwn(one)) ? takeOut(id) : undefined;
  const apply = (message: SDKMessage) => {
    store.apply(message);
    // One that waits here may have been sent after all, before its conversation ended.
    if (message.uuid !== undefined) takeOut(message.uuid);
  };
  for (const message of kept) apply(message);
  let newest: Omit<WaitingPrompt, 'id'> | undefined = findNewest(store);
  const isRunning = () => store.getSnapshot().isRunning;
  const fail = (error: unknown) => {
    if (!abortController.signal.aborted) store.fail(error);
  };

  const clear = () => {
    isClearing = false;
    if (isEnded) return refuse();
    push({ id: createId(), text: '/goal clear', images: [] });
  };

  // Without these commands the list is empty. Each command can still be typed.
  const readCommands = () =>
    void query.supportedCommands?.().then(store.setCommands, () => undefined);

  const takeBackUnsent = () => {
    if (!unsent) return;
    const prompt = unsent;
    unsent = undefined;
    store.withdraw(prompt.id);
    setWaiting([prompt, ...waiting]);
  };
  const giveBack: GiveBack = (uuid, error) => {
    if (unsent?.id === uuid) takeBackUnsent();
    else setWaiting(waiting.map((prompt) => (prompt.id === uuid ? toOwn(prompt) : prompt)));
    fail(error);
  };
  const query = start(
    {
      prompt: feed,
      canUseTool: permissions.canUseTool,
      onElicitation: permissions.onElicitation,
      abortController,
    },
    giveBack,
  );
  const follow = async () => {
    for await (const message of query) {
      apply(message);
      if (unsent && showsReceipt(message, unsent.id)) unsent = undefined;
      if (message.type === 'system' && message.subtype === 'init') readCommands();
      if (message.type === 'result') goOn(message.is_error);
    }
  };
  /** A turn has ended. A prompt that was sent too late for it begins the next one. */
  const goOn = (hasFailed: boolean) => {
    const [next] = waiting;
    if (next?.isSent) {
      unsent = toOwn(takeOut(next.id) ?? next);
      newest = unsent;
      store.apply(toMessage(unsent));
    } else if (isClearing) clear();
    else if (next && !hasFailed) begin(takeOut(next.id) ?? next);
  };
  const settle = (show: () => void) => {
    isEnded = true;
    takeBackUnsent();
    if (waiting.some(isSent)) setWaiting(waiting.map(toOwn));
    if (!abortController.signal.aborted) show();
  };
  const ended = follow().then(
    () => settle(store.end),
    (error: unknown) => settle(() => store.fail(error)),
  );

  return {
    store,
    permissions,
    query,
    waiting: {
      getSnapshot: () => waiting,
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    send(text, images = [], priority = 'later') {
      const prompt = { id: createId(), text, images };
      if (isEnded || (isRunning() && priority === 'later')) setWaiting([...waiting, prompt]);
      else if (isRunning()) sendInto(prompt, priority);
      else begin(prompt);
      if (isEnded) refuse();
    },
    sendWaiting(id) {
      if (isEnded) return refuse();
      const prompt = takeOwn(id);
      if (prompt && isRunning()) sendInto(prompt, 'next');
      else if (prompt) begin(prompt);
    },
    takeBack: takeOwn,
    sendAgain() {
      if (isEnded) return refuse();
      if (newest !== undefined && !isRunning()) begin({ id: createId(), ...newest });
    },
    stop: () => void query.interrupt().catch(fail),
    clearGoal() {
      if (!isRunning()) return clear();
      isClearing = true;
      query.interrupt().catch(fail);
    },
    isEnded: () => isEnded,
    ended,
    [Symbol.dispose]() {
      feed.end();
      abortController.abort();
    },
  };
}

const endedHere =
  'The conversation has ended here, so nothing more is sent. Open it again, or begin a new one.';

/** True for a message that only comes once the agent has the prompt. */
function showsReceipt(message: SDKMessage, id: string): boolean {
  const { type, uuid } = message;
  if (uuid === id || type === 'result') return true;
  // A sub-agent in the background may speak at any time.
  return (type === 'assistant' || type === 'stream_event') && message.parent_tool_use_id === null;
}

function findNewest(store: TranscriptStore): Omit<WaitingPrompt, 'id'> | undefined {
  const { turns } = store.getSnapshot();
  const turn = turns.findLast(({ prompt, images }) => prompt !== '' || images.length > 0);
  return turn && { text: turn.prompt, images: turn.images };
}

const isSent = (prompt: WaitingPrompt) => prompt.isSent === true;
const isOwn = (prompt: WaitingPrompt) => !isSent(prompt);
const toOwn = ({ isSent: _, ...prompt }: WaitingPrompt): WaitingPrompt => prompt;

function toMessage({ id, text, images }: WaitingPrompt): SDKUserMessage {
  return {
    type: 'user',
    uuid: id,
    message: { role: 'user', content: toContent(text, images) },
    parent_tool_use_id: null,
  };
}

/** Images come first, as the API recommends. */
function toContent(text: string, images: readonly ImageBlock[]): string | readonly UserBlock[] {
  if (images.length === 0) return text;
  return text === '' ? images : [...images, { type: 'text', text }];
}
