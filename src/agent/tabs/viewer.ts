// A session that another tab runs, as it is followed from here: by its journal, read entry by entry, and by what
// the runner tells. It never appends. Used by open-session.ts.
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

/** What a viewer needs. */
export interface ViewerPorts {
  readonly id: string;
  readonly workspace: Workspace;
  /** The viewer's to dispose. */
  readonly channel: SessionChannel;
  /** Where the questions wait here, too. */
  readonly desk: AnswerDesk;
  /** Gets what is kept, entry by entry, and between the entries what isn't. Must not throw. */
  readonly emit: (message: SDKMessage) => void;
  readonly includePartialMessages: boolean;
  readonly forwardSubagentText: boolean;
  /** The state, or the questions, may have changed. */
  readonly onChange: () => void;
  /** The journal can't be read any more. */
  readonly onError: (error: unknown) => void;
}

/** One session as a viewer has it. */
export interface Viewer {
  /** Resolves when a runner has told how things stand. */
  readonly whenTold: Promise<void>;
  /** What is known by now. After a {@link startAnew} another one. */
  fold(): SessionFold;
  /** The runner's. Only once it has told. */
  init(): SDKSystemMessage;
  state(): SessionState;
  readonly requests: RunnerRequests;
  /** Resolves when the answer to a question that waits at the desk is recorded. */
  whenAnswered(requestId: string): Promise<void>;
  /**
   * Nobody runs the session any more: takes the questions back, and reads what is left of the journal. Nothing more
   * is followed.
   */
  stop(): Promise<void>;
  /** Reads the journal from its beginning, where the fold has what isn't recorded. */
  startAnew(): Promise<void>;
  /** This tab runs it: what has no answer is asked of `here`. */
  handOver(here: RunnerRequests): void;
  /** Leaves it to the others. What has no answer is rejected. `moved`: it runs in another place, as that error says. */
  close(moved?: SdkError): void;
}

/** Resolves when it has read what there is. Rejects as `loadJournal`. */
export async function openViewer(ports: ViewerPorts): Promise<Viewer> {
  const { id, workspace, desk, emit, onChange, onError } = ports;
  const stream = toJournalId(id);
  const teller = { id, ids: { next: createId } };
  const source = createEntrySource(workspace, id);
  let fold = new SessionFold(undefined, source);
  let readNext = createJournalReader(workspace, id);
  /** The newest entry that was told. */
  let told = 0;
  let reading: Promise<void> = Promise.resolve();
  let isDue = false;
  let isStopped = false;
  let runner: string | undefined;
  let init: SDKSystemMessage | undefined;
  let state: SessionState = 'idle';
  /** The newest entry whose messages were emitted, or that has none. */
  let shown = 0;
  /** The newest entry that ended a turn. */
  let ended = 0;
  /** The replies of the session's agent, and of each sub-agent by its call. */
  const replies = new Map<string | null, StreamedReply>();
  /** What was told of a journal that is longer than what was read by now. */
  let news: readonly (RunnerNews | RunnerTransient)[] = [];
  let tellWhen: () => void = () => undefined;
  const whenTold = new Promise<void>((resolve) => (tellWhen = resolve));
  /** By its requestId, each question that waits at the runner's. */
  const asking = new Map<string, Asking>();

  /** One after the other; what comes meanwhile needs only one more. */
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

  /** The channel may be slower than the journal: what is over by now would stand there twice, or for ever. */
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
      // Whoever answers here is told by `whenAnswered`.
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
      // Security: who can't be asked here has said nothing. The question waits on, for whoever answers it by its id.
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

  /** Of an answer that was sent to a runner which has gone: it may be recorded. */
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

  const client = createRunnerClient(id, ports.channel, (next) => {
    // What another one has said of entries that never landed would be waited for in vain.
    news = [...news.filter((one) => one.runner === next.runner), next];
    if (next.n > shown) follow();
    else takeNews();
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

/** The session was left, and somebody has opened it again since: nobody goes on elsewhere. */
function isUndoneReset(message: SDKMessage, { moved }: SessionFold): boolean {
  return message.type === 'conversation_reset' && message.new_conversation_id !== moved?.to;
}

/** What was told of somebody's replies. */
interface StreamedReply {
  /** The entry that ended the newest one. */
  readonly endedAt: number;
  /** The beginning of one was told since. */
  readonly isStreaming: boolean;
}

type QuestionOf = NonNullable<ReturnType<SessionFold['questions']['get']>>['question']['question'];

interface Asking {
  readonly controller: AbortController;
  /** Resolves when its answer, if it was given here, is recorded; or when it was answered elsewhere. */
  readonly answered: Promise<void>;
}

function answeredElsewhere(): SdkError {
  return new SdkError('bad-usage', 'The question was answered in another tab before.', {});
}
