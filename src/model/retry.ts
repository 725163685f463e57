// Decides whether a failed request is retried, and the backoff before it. Only a request without
// output is retried, because the agent may have acted on output.
import { isAbortError } from '../core/async/abort.ts';
import { SdkError, toSerializedError } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { ModelEvent } from '../core/messages/messages.ts';
import type { Clock } from '../core/tool/ports.ts';
import type { ModelRetry } from './model.ts';
import { wait } from './wait.ts';

/** Failures that may pass by themselves. A refused key or a bad request stays refused. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'model-network',
  'model-overloaded',
  'model-rate-limited',
  'model-server',
  'model-stream-cut',
]);

// 0.5 s and 8 s: the waits of Anthropic's own client.
const firstDelayMs = 500;
const longestDelayMs = 8_000;
// 60 s: a person sees a countdown that long as waiting. A longer one is better reported, and ended.
const longestRetryAfterMs = 60_000;

/**
 * The number of retries, and the chance in their delays. Both are given, so that a test can foresee
 * every delay.
 */
export interface RetryPolicy {
  readonly maxRetries: number;
  /** A number from 0 to 1, evenly distributed. */
  readonly random: () => number;
}

/**
 * Milliseconds to wait before the try after `attempt` (1 for the first retry); null when it is no use.
 *
 * Doubles from 0.5 s to 8 s, less up to a quarter at random, so that clients which failed together
 * don't come back together. A server's `retry-after` (`data.retryAfterMs`) counts instead, up to
 * 60 s; `data.retryable: false` forbids it.
 */
export function retryDelay(error: unknown, attempt: number, policy: RetryPolicy): number | null {
  if (attempt > policy.maxRetries || !SdkError.isInstance(error) || !passing.has(error.code)) {
    return null;
  }
  const { retryAfterMs, retryable } = error.data;
  if (retryable === false) return null;
  if (typeof retryAfterMs === 'number') {
    return retryAfterMs <= longestRetryAfterMs ? retryAfterMs : null;
  }
  const delayMs = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return Math.round(delayMs * (1 - policy.random() / 4));
}

/** The policy, and the parts that a wait needs. */
export interface RetryOptions extends RetryPolicy {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Called before each wait. */
  readonly onRetry?: ((retry: ModelRetry) => void) | undefined;
}

/**
 * The events of the first try that begins a reply.
 *
 * `start` makes one try. It is called again while the reply has no content, as an overloaded server
 * may fail right after it has begun a message. So `message_start` comes with what follows it.
 * Throws the last try's error, or `aborted` when the signal cuts a wait.
 */
export async function* retryUntilBegun(
  start: () => AsyncIterable<ModelEvent>,
  options: RetryOptions,
): AsyncGenerator<ModelEvent, void> {
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    let held: ModelEvent | undefined;
    try {
      for await (const event of start()) {
        if (!begun && event.type === 'message_start') {
          held = event;
          continue;
        }
        // A ping only says that the server lives: after it the message can still begin again.
        begun ||= event.type !== 'ping';
        if (begun && held) {
          yield held;
          held = undefined;
        }
        yield event;
      }
      if (held) yield held;
      return;
    } catch (error) {
      const delayMs = begun || isAbortError(error) ? null : retryDelay(error, attempt, options);
      if (delayMs === null) throw error;
      options.onRetry?.({
        attempt,
        maxRetries: options.maxRetries,
        delayMs,
        status: statusOf(error),
        error: toSerializedError(error),
      });
      await wait(options.clock, delayMs, options.signal);
    }
  }
}

function statusOf(error: unknown): number | null {
  const status = SdkError.isInstance(error) ? error.data['status'] : undefined;
  return typeof status === 'number' ? status : null;
}
