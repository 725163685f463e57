// `/cost` shows the session's usage by model.
import type { ModelUsage } from '../../../core/messages/sdk-message.ts';
import type { CommandRun } from '../built-in-commands.ts';
import { formatCount, formatUsd } from './format.ts';

export function runCost({ session }: CommandRun): string {
  const models = Object.entries(session.usage.modelUsage());
  if (models.length === 0) return 'Nothing was asked of a model yet, so nothing was spent.';
  const total = session.usage.totalCostUsd();
  return [
    `This session has cost ${formatUsd(total)} so far.`,
    ...models.map(([model, usage]) => `${model}: ${describeUsage(usage)}`),
  ].join('\n');
}

function describeUsage(usage: ModelUsage): string {
  const tokens = [
    `${formatCount(usage.inputTokens)} tokens in`,
    `${formatCount(usage.cacheCreationInputTokens)} written to the cache`,
    `${formatCount(usage.cacheReadInputTokens)} read from it`,
    `${formatCount(usage.outputTokens)} out`,
  ].join(', ');
  const price =
    usage.costBasis === 'unknown'
      ? 'its price isn’t known: give it by the option prices'
      : formatUsd(usage.costUSD);
  return `${tokens}; ${price}`;
}
