// Runs a compaction: the model writes a summary, and one record replaces the summarised messages by
// it. make-room.ts loads it when a compaction is due, run-command.ts for `/compact`, and
// run-session.ts for `compact()`.
import { toSerializedError, SdkError } from '../../core/errors.ts';
import type { CompactedRecord, UsageRecord } from '../../core/session/journal.ts';
import { toCompactionPrompt } from '../../core/messages/compaction-messages.ts';
import { countMediaChars, withoutMedia } from '../../core/messages/media.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import { msSince } from '../../core/async/ms-since.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import {
  extractDiscoveredToolNames,
  toDiscoveredToolsMessage,
} from '../../core/tool/tool-catalog.ts';
import type { Model, ModelRequest } from '../../model/model.ts';
import {
  countReplies,
  planCompaction,
  readWrittenSummary,
  toSummaryMessages,
} from '../context/compact.ts';
import type { CompactionPlan } from '../context/compact.ts';
import { estimateTokens, measureContext } from '../context/context-size.ts';
import { listUsedSkills } from '../context/used-skills.ts';
import { prepareRequest, toBreakpoints } from './create-request.ts';
import type { PreparedRequest } from './create-request.ts';
import { toModelFailure } from './model-failure.ts';
import { toContext } from '../journal/record-context.ts';
import { collect } from '../messages/collect.ts';
import { closeServerCalls } from '../messages/kept-content.ts';
import { toRetryMessage, toStatusMessage } from '../messages/to-sdk-message.ts';
import { listReferences } from '../registry/prepare-pool.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { Session } from '../session/session.ts';

/** The trigger of a compaction, and the model that is asked. */
export interface CompactionOrder {
  readonly trigger: CompactedRecord['trigger'];
  /** A person's instructions for the summary. */
  readonly instructions?: string | undefined;
  readonly model: Model;
  /** Aborts the compaction. Then the conversation doesn't change. */
  readonly signal: AbortSignal;
}

/** The end of the compaction. Unless it is `compacted`, the conversation hasn't changed. */
export type CompactionEnd =
  | { readonly type: 'compacted' }
  /** There is nothing to summarise: all messages would stay. */
  | { readonly type: 'nothing' }
  | { readonly type: 'failed'; readonly error: SdkError };

/**
 * Compacts for a person, while no turn runs.
 *
 * Rejects with `bad-usage` if there is nothing to summarise. Rejects with the model's error, or
 * `aborted`, if it gave no summary. Rejects if the journal is broken. Then the conversation doesn't
 * change.
 */
export async function compactNow(
  session: Session,
  instructions?: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { model } = session;
  requireNonePutOff(session);
  const end = await compactSession(session, { trigger: 'manual', instructions, model, signal });
  if (end.type === 'failed') throw end.error;
  if (end.type === 'compacted') return;
  throw new SdkError(
    'bad-usage',
    'There is nothing to sum up yet: the newest part of a conversation, some 20 000 tokens, stays word for word.',
  );
}

/** The request would end with a call without a result, which every server refuses. */
function requireNonePutOff({ journal: { fold } }: Session): void {
  if (!fold.turn?.isPutOff) return;
  const message =
    'The conversation waits for a call that a hook has put off, so it can’t be summed up. Open the session again to have the hook asked again, or send a prompt, which withdraws the call.';
  throw new SdkError('bad-usage', message);
}

/**
 * Must not run at the same time as a turn's request or another compaction. Rejects only if the
 * journal is broken.
 */
export async function compactSession(
  session: Session,
  order: CompactionOrder,
): Promise<CompactionEnd> {
  const { journal, hooks, emit } = session;
  const { trigger, instructions, model, signal } = order;
  if (!planCompaction(journal.fold, model.contextWindow, trigger === 'overflow'))
    return { type: 'nothing' };
  emit(toStatusMessage(session, { status: 'compacting' }));
  const end = await tryToCompact(session, order);
  if (journal.broken.aborted) throw journal.broken.reason;
  emit(
    toStatusMessage(session, {
      status: null,
      compact_result: end.type === 'failed' ? 'failed' : 'success',
      ...(end.type === 'failed' && { compact_error: end.error.message }),
    }),
  );
  if (end.type === 'failed') return end;
  const context = await hooks?.afterCompaction(
    { trigger, instructions, model: model.name },
    end.summary,
    signal,
  );
  await journal.record(...toContext('hook', context));
  return { type: 'compacted' };
}

type Tried =
  | { readonly type: 'compacted'; readonly summary: string }
  | Extract<CompactionEnd, { type: 'failed' }>;

async function tryToCompact(session: Session, order: CompactionOrder): Promise<Tried> {
  const { journal, hooks, host, memory } = session;
  const { fold } = journal;
  const { trigger, instructions, model, signal } = order;
  try {
    const asked = { trigger, instructions, model: model.name };
    const refusal = await hooks?.beforeCompaction(asked, signal);
    if (refusal !== undefined) throw refused(refusal);
    const prepared = await prepareRequest(session, model);
    // The conversation now includes the entries that the preparation has recorded.
    const plan = planCompaction(fold, model.contextWindow, trigger === 'overflow');
    if (!plan) throw new TypeError('What was to be summed up is gone.');
    const preTokens = measureContext(fold);
    const startedAt = host.clock.now();
    const request = toRequest(session, prepared, plan, order, preTokens);
    const { message, error, usage } = await askWithin(session, order, request);
    const failure = signal.aborted ? aborted() : (error ?? findFault(message));
    if (failure !== undefined || !message) {
      await journal.record(...usage);
      throw failure;
    }
    const text = readWrittenSummary(message);
    const { messages } = session;
    memory.forget();
    // Not the model of a command, which applies only to its own turn.
    const { name } = session.agent ? model : session.models.ofSession();
    const told = await memory.beforePrompt(name);
    const gone = messages.slice(0, plan.first);
    const replies = countReplies(gone);
    const skills = listUsedSkills(gone, messages.slice(plan.first), model.contextWindow);
    const restored = [...told, ...skills, ...listRestored(session, prepared.pool)];
    const summary = toSummaryMessages({ text, replies }, plan.prompts, restored);
    const { system, tools } = prepared.request;
    const head = estimateTokens(system) + estimateTokens(tools);
    const before = head + estimateTokens(messages);
    const after = head + estimateTokens([...summary, ...messages.slice(plan.first)]);
    await journal.record(
      ...usage,
      {
        type: 'compacted',
        keepFrom: plan.keepFrom,
        summary,
        trigger,
        preTokens,
        // An estimate, scaled by the server's token count before the compaction.
        postTokens: Math.round((Math.max(preTokens, 1) * after) / before),
        durationMs: msSince(startedAt, host.clock),
      },
      { type: 'state', key: 'memory', value: memory.record },
    );
    return { type: 'compacted', summary: text };
  } catch (error) {
    return { type: 'failed', error: toSdkError(error) };
  }
}

/**
 * The next request's conversation with one message added, so that the prompt cache matches. If the
 * window is too small, the part that stays is left out. The part before it was sent with an earlier
 * request, so it fits.
 */
function toRequest(
  session: Session,
  { pool, request }: PreparedRequest,
  { first }: CompactionPlan,
  { trigger, instructions, model }: CompactionOrder,
  tokens: number,
): ModelRequest {
  const { contextWindow = Infinity } = model;
  const isTight = trigger === 'overflow' || contextWindow - tokens < contextWindow / 20;
  // The names of deferred tools may come before the conversation.
  const head = request.messages.length - session.messages.length;
  const sent = isTight ? request.messages.slice(0, head + first) : request.messages;
  const replies = sent.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const closed = closeServerCalls(sent.slice(replies)).flatMap((message) => message ?? []);
  const messages = [...sent.slice(0, replies), ...closed, toCompactionPrompt(instructions)];
  const { system } = request;
  return { ...request, messages, breakpoints: toBreakpoints(session, pool, { system, messages }) };
}

/**
 * If the server accepts no more bytes or images, the request is sent without images. The
 * conversation has described them.
 */
async function askWithin(
  session: Session,
  order: CompactionOrder,
  request: ModelRequest,
): Promise<Answer> {
  const answer = await ask(session, order, request);
  const isRefused =
    SdkError.isInstance(answer.error) && answer.error.code === 'model-context-window';
  if (!isRefused || request.messages.every((one) => countMediaChars(one) === 0)) return answer;
  const messages = request.messages.map((one) =>
    withoutMedia(one, (type) => `(Here was: ${type}.)`),
  );
  const { usage, ...second } = await ask(session, order, { ...request, messages });
  return { ...second, usage: [...answer.usage, ...usage] };
}

interface Answer {
  /** Undefined if there was no message. */
  readonly message: AssistantMessage | undefined;
  readonly error?: unknown;
  /** The usage to record. */
  readonly usage: readonly UsageRecord[];
}

/** Calls in the reply are never run. Never rejects. */
async function ask(
  session: Session,
  { model, signal }: CompactionOrder,
  request: ModelRequest,
): Promise<Answer> {
  const { host, ids, journal, trace } = session;
  const startedAt = host.clock.now();
  trace.record({ type: 'request-start', model: model.name });
  let message: AssistantMessage | undefined;
  let failed: { readonly error: unknown } | undefined;
  const fail = (error: unknown) => ({
    error: signal.aborted ? error : toModelFailure(model, error),
  });
  try {
    const onRetry: Parameters<Model['stream']>[1]['onRetry'] = (retry) =>
      session.emit(toRetryMessage(session, retry));
    const collection = collect(model.stream(request, { signal, onRetry }));
    try {
      for await (const item of collection) if (item.type === 'message') message = item.message;
    } catch (error) {
      failed = fail(error);
      message = collection.partial();
    }
  } catch (error) {
    failed = fail(error);
  }
  const { content: _, ...reply } = message ?? {};
  const code = failed && toSerializedError(failed.error).code;
  trace.record({ type: 'request-end', reply, error: code });
  const usage = message && {
    requestId: ids.of('compaction', journal.fold.length),
    purpose: 'compaction' as const,
    model: message.model,
    askedModel: model.name,
    usage: message.usage,
    apiMs: msSince(startedAt, host.clock),
  };
  return { message, ...failed, usage: usage ? [session.usage.add(usage)] : [] };
}

/** The reason why the reply can't be the summary. */
function findFault(message: AssistantMessage | undefined): SdkError | undefined {
  const fail = (why: string) =>
    new SdkError('model-protocol', `The conversation was not summed up: ${why}`, {
      data: { stopReason: message?.stop_reason ?? null },
    });
  switch (message?.stop_reason) {
    case 'refusal':
      return fail('the model refused to write a summary. Begin a new conversation.');
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return fail(
        'the summary was cut off. Raise the model’s maxTokens, or begin a new conversation.',
      );
    default:
      if (message && readWrittenSummary(message) !== '') return undefined;
      return fail('the model wrote no summary. Try again, or begin a new conversation.');
  }
}

function refused(reason: string): SdkError {
  const why = reason === '' ? 'a PreCompact hook refused it.' : reason;
  return new SdkError('permission-denied', `The conversation was not summed up: ${why}`);
}

function aborted(): SdkError {
  return new SdkError('aborted', 'The conversation was not summed up: it was stopped.');
}

function toSdkError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const { code, message, data } = toSerializedError(error);
  return new SdkError(code, message, { data, cause: error });
}

/**
 * What the model must know besides the summary: the tools that it has found, variables, tasks, and
 * the reminders of features.
 */
function listRestored({ journal: { fold } }: Session, { tools }: Pool): MessageParam[] {
  const { messages } = fold;
  const names = [...extractDiscoveredToolNames(messages), ...listReferences(messages)];
  const isThere = (name: string) => tools.some((tool) => tool.name === name);
  const found = [...new Set(names)].filter(isThere);
  const running = [...fold.tasks.values()].filter(({ status }) => status === 'running');
  const lines = running.map(
    ({ id, description, outputPath }) => `- ${id}: ${description} (its output is in ${outputPath})`,
  );
  const variables = [...fold.kept].filter(([, { names }]) => names.length > 0);
  const texts = [
    ...joinReminders(fold.reminders),
    ...variables.map(
      ([tool, kept]) => `Names that code in ${tool} still has: ${kept.names.join(', ')}`,
    ),
    ...(lines.length > 0
      ? [`These tasks run in the background. You are told when one ends.\n${lines.join('\n')}`]
      : []),
  ];
  return [
    ...(found.length > 0 ? [toDiscoveredToolsMessage(found)] : []),
    ...texts.map((text) => toSystemReminder(quoteForReminder(text))),
  ];
}

// 100: enough for the model to continue. The list's own tool shows the rest.
const MAX_LISTED_REMINDERS = 100;

/** Reminders with keys `name/part` form one list, with one line each. */
function joinReminders(reminders: ReadonlyMap<string, string>): string[] {
  const lists = new Map<string, string[]>();
  for (const [key, text] of reminders) {
    getOrMake(lists, key.split('/', 1).join(''), () => []).push(text);
  }
  return [...lists.values()].map((texts) => {
    const more = texts.length - MAX_LISTED_REMINDERS;
    const shown = texts.slice(0, MAX_LISTED_REMINDERS);
    return [...shown, ...(more > 0 ? [`(and ${more} more)`] : [])].join('\n');
  });
}
