// How full the model's window is.
import type { SDKControlGetContextUsageResponse } from '../../core/messages/sdk-message.ts';

/** What `useContextUsage` gives. */
export interface ContextMeterProps {
  readonly usage: SDKControlGetContextUsageResponse | undefined;
}

/**
 * "Context 12 %" and a bar; nothing while the window isn't known. Its title says what takes how much. Close to where the
 * conversation is summed up it says that.
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

/** From nine tenths of the way to a summary on. */
const nearEnd = 0.9;

const formatTokens = (count: number) => Math.round(count).toLocaleString('en');
