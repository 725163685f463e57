// Holds the open permission questions of a session. `canUseTool` and `AgentSession.answer` may both
// answer a question; the first answer counts. Used by open-session.ts.
import { createChildController } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import type { CanUseTool, PermissionResult } from '../../core/permissions/permission.ts';
import { explainBadAnswer } from './check-answer.ts';

/** One for each open session. */
export interface AnswerDesk {
  /**
   * Asks the session's own `canUseTool`, if it has one, and also accepts an answer by
   * {@link answer}. If `canUseTool` gives null, the question stays open for {@link answer}.
   */
  readonly canUseTool: CanUseTool;
  /** Waits only for {@link answer}. Gives null if `signal` was aborted. */
  wait(requestId: string, signal: AbortSignal): Promise<PermissionResult | null>;
  /** Registers a listener that is called when a question opens or ends. */
  onChange(listener: () => void): void;
  /** The ids of the open questions, oldest first. */
  open(): readonly string[];
  /** @throws SdkError `bad-usage` if the question isn't open, or `result` isn't a valid answer. */
  answer(requestId: string, result: PermissionResult): void;
}

/** Starts without open questions. */
export function createAnswerDesk(given: CanUseTool | undefined): AnswerDesk {
  const waiting = new Map<string, (result: PermissionResult) => void>();
  let tell: () => void = () => undefined;

  /** `ask`: a second source of the answer. It may reject. */
  async function wait(
    requestId: string,
    outer: AbortSignal,
    ask: (signal: AbortSignal) => Promise<PermissionResult | null | undefined>,
  ): Promise<PermissionResult | null> {
    const asked = createChildController(outer);
    const { signal } = asked;
    try {
      return await new Promise<PermissionResult | null>((resolve, reject) => {
        waiting.set(requestId, resolve);
        tell();
        if (signal.aborted) resolve(null);
        signal.addEventListener('abort', () => resolve(null), { once: true });
        ask(signal).then((result) => result && resolve(result), reject);
      });
    } finally {
      waiting.delete(requestId);
      tell();
      // Viewers that show the question remove it when this signal is aborted.
      asked.abort();
      asked[Symbol.dispose]();
    }
  }

  return {
    canUseTool: (toolName, input, options) =>
      wait(options.requestId, options.signal, async (signal) =>
        given?.(toolName, input, { ...options, signal }),
      ),
    wait: (requestId, signal) => wait(requestId, signal, () => Promise.resolve(null)),
    onChange: (listener) => void (tell = listener),
    open: () => [...waiting.keys()],
    answer(requestId, result) {
      const resolve = waiting.get(requestId);
      if (!resolve) throw notOpen(requestId, [...waiting.keys()]);
      const fault = explainBadAnswer(result);
      if (fault !== undefined) throw new SdkError('bad-usage', fault, {});
      // Removed at once, so that the second of two simultaneous answers is rejected as too late.
      waiting.delete(requestId);
      resolve(result);
    },
  };
}

function notOpen(requestId: string, open: readonly string[]): SdkError {
  const those = open.length === 0 ? 'None does.' : `Those that do: ${open.join(', ')}.`;
  return new SdkError(
    'bad-usage',
    `No question ${requestId} waits for an answer: it was answered, or withdrawn. ${those}`,
    { data: { requestId } },
  );
}
