// The deadline of a search whose pattern isn't the cause.
import { ToolError } from '../core/errors.ts';

/** Called now and then, it throws once the time is over: `limit-exceeded`, with what to do instead. */
export function createDeadline(timeoutMs: number, advice: string): () => void {
  const deadline = performance.now() + timeoutMs;
  return () => {
    if (performance.now() <= deadline) return;
    throw new ToolError(
      `The search took longer than ${timeoutMs / 1000} s and was stopped. ${advice}`,
      { code: 'limit-exceeded', data: { limitMs: timeoutMs } },
    );
  };
}
