// `/context` describes what fills the model's window.
import { getContextUsage } from '../../context/context-usage.ts';
import type { CommandRun } from '../built-in-commands.ts';
import { formatCount } from './format.ts';

export function runContext({ session }: CommandRun): string {
  const { model, categories, totalTokens, maxTokens } = getContextUsage(session);
  const share = (tokens: number) =>
    maxTokens === undefined ? '' : ` (${Math.round((tokens / maxTokens) * 100)} %)`;
  const whole =
    maxTokens === undefined
      ? `The conversation takes about ${formatCount(totalTokens)} tokens; how many ${model} takes isn’t known.`
      : `The conversation takes about ${formatCount(totalTokens)} of the ${formatCount(maxTokens)} tokens of ${model}${share(totalTokens)}.`;
  return [
    whole,
    ...categories.map(
      ({ name, tokens }) => `${name}: about ${formatCount(tokens)}${share(tokens)}`,
    ),
    ...(session.journal.fold.usage.length === 0
      ? ['System prompt and tools are counted with the first reply.']
      : []),
  ].join('\n');
}
