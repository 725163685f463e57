// Decides whether a failed request is retried, and the backoff before it. Only a request without
// output is retried, because the agent may have acted on output.
import { isAbortError } from '../core/async/abort.ts';
import { SdkError, toSerializedError } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { ModelEvent } from '../core/messages/messages.ts';
import type { Clock } from '../core/tool/ports.ts';
import type { ModelRetry } from './model.ts';
import { wait } from './wait.ts';

/** Temporary failures. A wrong key or an invalid request fails again. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'model-network',
  'model-overloaded',
  'model-rate-limited',
  'model-server',
  'model-stream-cut',
]);

// 0.5 s and 8 s: the delays of Anthropic's own client.
const firstDelayMs = 500;
const longestDelayMs = 8_000;
// 60 s: a person accepts a countdown of this length. A longer delay is reported as an error.
const longestRetryAfterMs = 60_000;

/** The number of retries, and the random source of their delays. Tests set both. */
export interface RetryPolicy {
  readonly maxRetries: number;
  /** A number from 0 to 1, evenly distributed. */
  readonly random: () => number;
}

/**
 * The delay in milliseconds before the retry `attempt` (1 for the first one); null if a retry is
 * useless.
 *
 * Doubles from 0.5 s to 8 s, less up to a quarter at random, so that clients don't retry at the
 * same time. A server's `retry-after` (`data.retryAfterMs`) is used instead, up to 60 s;
 * `data.retryable: false` forbids a retry.
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
 * The events of the first attempt that begins a reply.
 *
 * `start` makes one attempt. It is called again as long as the reply has no content, because an
 * overloaded server may fail right after `message_start`. So `message_start` is given together with
 * the next event. Throws the last attempt's error, or `aborted` if the signal ends a wait.
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
        // A ping isn't content: after it the message can still start again.
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
