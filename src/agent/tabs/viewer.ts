// Follows a session that another tab runs. It reads the journal entry by entry, and gets the
// runner's broadcasts. It never appends. Used by open-session.ts.
import { createDeferred } from '../../core/async/deferred.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { AnswerRecord } from '../../core/session/journal.ts';
import type { PermissionResult } from '../../core/permissions/permission.ts';
import type { SDKMessage, SDKSystemMessage } from '../../core/messages/sdk-message.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { SessionState } from '../agent-session.ts';
import { SessionFold } from '../journal/fold.ts';
import { toKeptMessages } from '../journal/kept-messages.ts';
import {
  createEntrySource,
  createJournalReader,
  isRewind,
  toJournalId,
} from '../journal/stored-journal.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { AnswerDesk } from '../permissions/answer-desk.ts';
import { createRunnerClient } from './runner-client.ts';
import type { OpenRequest } from './runner-client.ts';
import type { RunnerRequests } from './runner-requests.ts';
import type { RunnerNews, RunnerTransient, TransientMessage } from './session-message.ts';
import type { SessionChannel } from './session-tabs.ts';

/** The dependencies of a viewer. */
export interface ViewerPorts {
  readonly id: string;
  readonly workspace: Workspace;
  /** The viewer disposes it. */
  readonly channel: SessionChannel;
  /** Holds the session's open questions in this tab. */
  readonly desk: AnswerDesk;
  /**
   * Gets the recorded messages entry by entry, and the unrecorded ones between them. Must not
   * throw.
   */
  readonly emit: (message: SDKMessage) => void;
  readonly includePartialMessages: boolean;
  readonly forwardSubagentText: boolean;
  /** Called when the state or the open questions may have changed. */
  readonly onChange: () => void;
  /** Called when the journal can't be read any more. */
  readonly onError: (error: unknown) => void;
  /** Called if another tab is about to delete the session. */
  readonly onLeave: () => void;
}

/** A viewer of one session. */
export interface Viewer {
  /** Resolves after the runner's first broadcast of its state. */
  readonly whenTold: Promise<void>;
  /** The fold of the entries so far. After {@link startAnew} it is a new object. */
  fold(): SessionFold;
  /** The runner's init message. Available after its first broadcast. */
  init(): SDKSystemMessage;
  state(): SessionState;
  readonly requests: RunnerRequests;
  /** Resolves when the answer to an open question is recorded. */
  whenAnswered(requestId: string): Promise<void>;
  /**
   * Called when no tab runs the session any more. It withdraws the questions, and reads the rest of
   * the journal. Nothing is followed afterwards.
   */
  stop(): Promise<void>;
  /**
   * Reads the journal again from its beginning, because the fold has entries that aren't recorded.
   */
  startAnew(): Promise<void>;
  /** This tab now runs the session. Unanswered requests go to `here`. */
  handOver(here: RunnerRequests): void;
  /**
   * Stops following the session. Unanswered requests are rejected. `moved`: the error if the
   * session runs in another place.
   */
  close(moved?: SdkError): void;
}

/** Resolves when it has read all present entries. Rejects like `loadJournal`. */
export async function openViewer(ports: ViewerPorts): Promise<Viewer> {
  const { id, workspace, desk, emit, onChange, onError } = ports;
  const stream = toJournalId(id);
  const teller = { id, ids: { next: createId } };
  const source = createEntrySource(workspace, id);
  let fold = new SessionFold(undefined, source);
  let readNext = createJournalReader(workspace, id);
  /** The newest entry by the runner's broadcasts. */
  let told = 0;
  let reading: Promise<void> = Promise.resolve();
  let isDue = false;
  let isStopped = false;
  let runner: string | undefined;
  let init: SDKSystemMessage | undefined;
  let state: SessionState = 'idle';
  /** The newest entry whose messages were emitted, or that has no messages. */
  let shown = 0;
  /** The newest entry that ended a turn. */
  let ended = 0;
  /** The streaming replies: the main agent's, and each sub-agent's by the id of its call. */
  const replies = new Map<string | null, StreamedReply>();
  /** Broadcasts about entries that haven't been read yet. */
  let news: readonly (RunnerNews | RunnerTransient)[] = [];
  const { promise: whenTold, resolve: tellWhen } = createDeferred();
  /** The runner's open questions, by requestId. */
  const asking = new Map<string, Asking>();

  /** Reads one after the other. All requests that come meanwhile need only one more read. */
  function readOn(): Promise<void> {
    if (isDue) return reading;
    isDue = true;
    reading = reading
      .catch(() => undefined)
      .then(async () => {
        isDue = false;
        const messages: SDKMessage[] = [];
        for await (const entry of readNext()) {
          if (isRewind(entry)) await fold.recall(entry.to);
          fold.apply(entry);
          fold.letGo(entry.n);
          if (entry.n <= told) continue;
          told = entry.n;
          messages.push(...toKeptMessages(entry, fold, id));
        }
        for (const message of messages) if (!isUndoneReset(message, fold)) emitKept(message);
        shown = fold.length;
        takeNews();
      });
    return reading;
  }

  const follow = () => {
    if (!isStopped) readOn().catch((error: unknown) => isStopped || onError(error));
  };

  function takeNews(): void {
    while (!isStopped) {
      const [next, ...rest] = news;
      if (!next || next.n > shown) return;
      news = rest;
      const isOther = next.runner !== runner;
      if (next.type === 'transient') {
        if (!isOther) emitTransient(next.message, next.n);
        continue;
      }
      runner = next.runner;
      init = next.init ?? init;
      ({ state } = next);
      if (isOther) client.askAgain(findAnswer);
      if (isOther) for (const event of next.reply ?? []) emitTransient(event, next.n);
      followQuestions(next.questions);
      onChange();
      if (init) tellWhen();
    }
  }

  function emitKept(message: SDKMessage): void {
    const { n = 0 } = message;
    if (message.type === 'assistant') {
      replies.set(message.parent_tool_use_id, { endedAt: n, isStreaming: false });
    } else if (message.type === 'result') {
      ended = n;
      replies.set(null, { endedAt: n, isStreaming: false });
    }
    emit(message);
  }

  /**
   * The channel may be slower than the journal. A message about a finished reply would appear
   * twice, or stay forever.
   */
  function emitTransient(message: TransientMessage, n: number): void {
    if (message.type !== 'stream_event') {
      const mayEnd = message.type === 'system' && message.subtype === 'status';
      if (mayEnd || n >= ended) emit(message);
      return;
    }
    const { event, parent_tool_use_id: of } = message;
    if (!ports.includePartialMessages || (of !== null && !ports.forwardSubagentText)) return;
    const { endedAt = 0, isStreaming = false } = replies.get(of) ?? {};
    const isNow = event.type === 'message_start' ? n >= endedAt : isStreaming;
    replies.set(of, { endedAt, isStreaming: isNow });
    if (isNow) emit(message);
  }

  function followQuestions(open: readonly string[]): void {
    for (const requestId of asking.keys()) if (!open.includes(requestId)) withdraw(requestId);
    for (const requestId of open) {
      const asked = fold.findQuestion(requestId);
      if (!asked || asking.has(requestId)) continue;
      const controller = new AbortController();
      const answered = ask(requestId, asked.question.question, controller.signal);
      asking.set(requestId, { controller, answered });
      // The caller that answers gets the result from `whenAnswered`.
      answered.catch(() => undefined);
    }
  }

  async function ask(
    requestId: string,
    { toolName, input, ...rest }: QuestionOf,
    signal: AbortSignal,
  ): Promise<void> {
    let result: PermissionResult | null;
    try {
      result = await desk.canUseTool(toolName, input, { ...rest, requestId, signal });
    } catch (error) {
      // Security: a failure to ask in this tab isn't an answer. The question stays open, and can be
      // answered by its id.
      const message = `${toolName} could not be asked about here: ${describeThrown(error)}. The question still waits.`;
      emit(toNoticeMessage(teller, message, 'warning'));
      result = await desk.wait(requestId, signal);
    }
    if (result) await client.requests.answer(requestId, result);
  }

  function withdraw(requestId: string): void {
    asking.get(requestId)?.controller.abort();
    asking.delete(requestId);
  }

  /** Waits for an answer that was sent to a runner which has gone, because it may be recorded. */
  function findAnswer({ method, parameters }: OpenRequest): (() => Promise<void>) | undefined {
    if (method !== 'answer') return undefined;
    const [requestId, result] = parameters;
    const recorded = fold.entries.findLast(
      (entry): entry is typeof entry & AnswerRecord =>
        entry.type === 'answer' && entry.requestId === requestId && entry.result !== null,
    );
    if (!recorded) return undefined;
    return async () => {
      if (JSON.stringify(recorded.result) !== JSON.stringify(result)) throw answeredElsewhere();
    };
  }

  const client = createRunnerClient(id, ports.channel, {
    onNews(next) {
      // Broadcasts of an earlier runner may be about entries that were never recorded, so they are
      // dropped.
      news = [...news.filter((one) => one.runner === next.runner), next];
      if (next.n > shown) follow();
      else takeNews();
    },
    onLeave: ports.onLeave,
  });
  const listening = workspace.streams.onAppend((appended) => {
    if (appended.stream === stream) follow();
  }, onError);

  function stopFollowing(): void {
    isStopped = true;
    listening[Symbol.dispose]();
    for (const requestId of asking.keys()) withdraw(requestId);
  }

  function close(moved?: SdkError): void {
    stopFollowing();
    client.close(moved);
  }

  try {
    await readOn();
  } catch (error) {
    close();
    throw error;
  }
  return {
    whenTold,
    fold: () => fold,
    init() {
      if (!init) throw new TypeError('No runner has told how things stand.');
      return init;
    },
    state: () => state,
    requests: client.requests,
    whenAnswered: async (requestId) => asking.get(requestId)?.answered,
    async stop() {
      stopFollowing();
      await reading.catch(() => undefined);
      await readOn();
    },
    async startAnew() {
      fold = new SessionFold(undefined, source);
      readNext = createJournalReader(workspace, id);
      await readOn();
      told = Math.min(told, fold.length);
    },
    handOver(here) {
      client.askAgain(findAnswer, here);
      client[Symbol.dispose]();
    },
    close,
  };
}

/**
 * The session was replaced by `/clear`, and has been opened again since. So the replacement doesn't
 * apply.
 */
function isUndoneReset(message: SDKMessage, { moved }: SessionFold): boolean {
  return message.type === 'conversation_reset' && message.new_conversation_id !== moved?.to;
}

/** The state of an agent's streaming replies. */
interface StreamedReply {
  /** The entry that ended the newest reply. */
  readonly endedAt: number;
  /** The beginning of a new reply was emitted since. */
  readonly isStreaming: boolean;
}

type QuestionOf = NonNullable<ReturnType<SessionFold['questions']['get']>>['question']['question'];

interface Asking {
  readonly controller: AbortController;
  /** Resolves when the answer from this tab is recorded, or when another tab has answered. */
  readonly answered: Promise<void>;
}

function answeredElsewhere(): SdkError {
  return new SdkError('bad-usage', 'The question was answered in another tab before.', {});
}
