// The open permission questions of a session, without React. The host gives `canUseTool` to
// query(); a card shows `getSnapshot()` and calls `answer`. The queue never answers by itself.
import { createAbortError } from '../core/async/abort.ts';
import type { FileChange } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
} from '../core/mcp/mcp-exchange.ts';
import type {
  CanUseTool,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
} from '../core/permissions/permission.ts';

/** One question as a person reads it. */
export interface PermissionQuestion {
  readonly id: string;
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: Record<string, unknown>;
  /**
   * The call that is asked about: "Edit src/app.ts", or the tool's name if the agent gave none.
   * With `changes` it is the question itself: "Keep what Repl changed?".
   */
  readonly title: string;
  readonly description: string;
  /** The sub-agent that asks. Undefined: the session's main agent. */
  readonly agentId?: string;
  /** Why the person is asked. */
  readonly reason: string;
  /** Whoever is asked may not change the input or the mode: such an answer is refused. */
  readonly asAsked?: true;
  /** The call can't be undone, so a card must not propose yes. */
  readonly defaultToNo: boolean;
  /** The rules that "allow for this session" would set. Empty: that can't be offered. */
  readonly suggestions: readonly PermissionUpdate[];
  /**
   * The changes of a call that has run: the question is whether they may be kept. Empty before the
   * call runs.
   */
  readonly changes: readonly FileChange[];
  /** What the call would change. Left out where that isn't known. */
  readonly proposedChanges?: readonly FileChange[];
  /**
   * The request of an MCP server, in place of a permission. Undefined: the question is about a
   * permission.
   */
  readonly elicitation?: ElicitationRequest;
}

/** A yes, and the data that comes with it. */
export interface FormAnswer {
  /** The input that the call is to run with, in place of the one that was asked about. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** The permission mode that holds from now on. */
  readonly mode?: PermissionMode;
}

/** What a person decides about one question. `allow-session` takes the question's suggestions. */
export type PermissionAnswer =
  | { readonly type: 'allow-once' }
  | { readonly type: 'allow-session' }
  /** A yes by a form, with the values that the tool's question asks for. */
  | ({ readonly type: 'allow-with' } & FormAnswer)
  /** `message` goes to the model. */
  | { readonly type: 'deny'; readonly message?: string };

/** The outcome of a question. Events come in the order in which they happened. */
export interface PermissionEvent {
  readonly type: 'asked' | 'allowed' | 'denied' | 'withdrawn';
  readonly question: PermissionQuestion;
  /** For a denial: the person's message, if there is one. */
  readonly message?: string;
}

/** The questions that wait for a person. The agent adds them by `canUseTool`, and a card answers them. */
export interface PermissionQueue {
  /**
   * For `query`'s options. Resolves when the person answers; rejects with `aborted` when the call is
   * cut meanwhile, and the question is then gone from the queue.
   */
  readonly canUseTool: CanUseTool;
  /**
   * For `query`'s options: what MCP servers ask. A yes with `updatedInput` is the form's content; no is `decline`.
   * Resolves with `cancel` when the call is cut meanwhile.
   */
  readonly onElicitation: OnElicitation;
  /** Oldest first. The same array until it changes. */
  getSnapshot(): readonly PermissionQuestion[];
  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Returns a function that ends the subscription. */
  onEvent(listener: (event: PermissionEvent) => void): () => void;
  /**
   * Answers one question. A question that isn't open any more was withdrawn, and is ignored.
   *
   * @throws SdkError `bad-usage` for `allow-session` if the question has no suggestions
   */
  answer(id: string, answer: PermissionAnswer): void;
}

interface Pending {
  readonly question: PermissionQuestion;
  readonly resolve: (result: PermissionResult) => void;
}

/**
 * The model gets this text if the person gave no reason. Without it, models try the same in another
 * way.
 */
const defaultDenial =
  'The user said no to this. Do not try it again in another way; ask what to do instead.';

/** A queue without a limit: every question is answered by a person, withdrawn, or stays open. */
export function createPermissionQueue(): PermissionQueue {
  const pending = new Map<string, Pending>();
  const listeners = new Set<() => void>();
  const eventListeners = new Set<(event: PermissionEvent) => void>();
  let snapshot: readonly PermissionQuestion[] = [];

  const changed = (event: PermissionEvent) => {
    snapshot = [...pending.values()].map((entry) => entry.question);
    for (const listener of eventListeners) listener(event);
    for (const listener of listeners) listener();
  };

  const canUseTool: CanUseTool = (toolName, input, options) =>
    new Promise((resolve, reject) => {
      const { signal } = options;
      const question: PermissionQuestion = {
        id: options.requestId,
        toolUseId: options.toolUseID,
        toolName,
        input,
        title: options.title ?? (options.changes ? `Keep what ${toolName} changed?` : toolName),
        description: options.description ?? '',
        ...(options.agentID !== undefined && { agentId: options.agentID }),
        reason: options.decisionReason ?? '',
        ...(options.asAsked && { asAsked: true }),
        defaultToNo: options.defaultToNo ?? false,
        suggestions: options.suggestions ?? [],
        changes: options.changes ?? [],
        ...(options.proposedChanges && { proposedChanges: options.proposedChanges }),
      };
      const withdraw = () => {
        pending.delete(question.id);
        changed({ type: 'withdrawn', question });
        reject(createAbortError(signal.reason));
      };
      if (signal.aborted) return reject(createAbortError(signal.reason));
      signal.addEventListener('abort', withdraw, { once: true });
      pending.set(question.id, {
        question,
        resolve: (result) => {
          signal.removeEventListener('abort', withdraw);
          resolve(result);
        },
      });
      changed({ type: 'asked', question });
    });

  const onElicitation: OnElicitation = (request, { signal }) =>
    new Promise((resolve) => {
      const question: PermissionQuestion = {
        id: createId(),
        toolUseId: '',
        toolName: '',
        input: { ...request },
        title: request.message,
        description: '',
        reason: '',
        defaultToNo: false,
        suggestions: [],
        changes: [],
        elicitation: request,
      };
      const withdraw = () => {
        pending.delete(question.id);
        changed({ type: 'withdrawn', question });
        resolve({ action: 'cancel' });
      };
      if (signal.aborted) return resolve({ action: 'cancel' });
      signal.addEventListener('abort', withdraw, { once: true });
      pending.set(question.id, {
        question,
        resolve(result) {
          signal.removeEventListener('abort', withdraw);
          if (result.behavior === 'deny') return resolve({ action: 'decline' });
          const content = result.updatedInput as ElicitationResult['content'];
          resolve({ action: 'accept', ...(content && { content }) });
        },
      });
      changed({ type: 'asked', question });
    });

  return {
    canUseTool,
    onElicitation,
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => void eventListeners.delete(listener);
    },
    answer(id, answer) {
      const entry = pending.get(id);
      if (!entry) return;
      const { question } = entry;
      const result = toResult(question, answer);
      pending.delete(id);
      const message = answer.type === 'deny' ? (answer.message?.trim() ?? '') : '';
      changed({
        type: result.behavior === 'allow' ? 'allowed' : 'denied',
        question,
        ...(message !== '' && { message }),
      });
      entry.resolve(result);
    },
  };
}

function toResult(question: PermissionQuestion, answer: PermissionAnswer): PermissionResult {
  if (answer.type === 'deny') {
    const message = answer.message?.trim();
    return {
      behavior: 'deny',
      message: message ? `The user said no: ${message}` : defaultDenial,
    };
  }
  if (answer.type === 'allow-once') return { behavior: 'allow' };
  if (answer.type === 'allow-with') {
    const { updatedInput, mode } = answer;
    return {
      behavior: 'allow',
      ...(updatedInput && { updatedInput: { ...updatedInput } }),
      ...(mode && { updatedPermissions: [{ type: 'setMode', mode, destination: 'session' }] }),
    };
  }
  if (question.suggestions.length === 0) {
    throw new SdkError('bad-usage', 'This question suggests no rule: answer allow-once or deny.', {
      data: { question: question.id },
    });
  }
  // Whatever destination was suggested, a click on "for this session" must hold only for the session.
  const updatedPermissions = question.suggestions.map((update): PermissionUpdate => ({
    ...update,
    destination: 'session',
  }));
  return { behavior: 'allow', updatedPermissions };
}
