// Shows how full the model's window is.
import type { SDKControlGetContextUsageResponse } from '../../core/messages/sdk-message.ts';

/** The usage that `useContextUsage` gives. */
export interface ContextMeterProps {
  readonly usage: SDKControlGetContextUsageResponse | undefined;
}

/**
 * "Context 12 %" and a bar, or nothing while the window isn't known. The title says which part
 * takes how much. The text says when a summary of the conversation is near.
 */
export function ContextMeter({ usage }: ContextMeterProps) {
  if (usage?.percentage === undefined || usage.maxTokens === undefined) return null;
  const { totalTokens, maxTokens, autoCompactThreshold = maxTokens, categories } = usage;
  const percent = Math.min(100, Math.round(usage.percentage));
  const isNearEnd = totalTokens >= autoCompactThreshold * nearEnd;
  const tokens = `${formatTokens(totalTokens)} of ${formatTokens(maxTokens)} tokens`;
  return (
    <span
      className="rp-context"
      data-near-end={isNearEnd}
      role="meter"
      aria-label="Context"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={`${percent} %, ${tokens}${isNearEnd ? ', summed up soon' : ''}`}
      title={[
        tokens,
        ...categories.map(({ name, tokens: count }) => `${name}: about ${formatTokens(count)}`),
      ].join('\n')}
    >
      Context {percent} %{isNearEnd && ', summed up soon'}
      <span className="rp-context-bar">
        <span style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
}

/** A summary counts as near from nine tenths of the threshold on. */
const nearEnd = 0.9;

const formatTokens = (count: number) => Math.round(count).toLocaleString('en');
