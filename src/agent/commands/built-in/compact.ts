// `/compact` summarizes the conversation on a person's request.
import { measureContext } from '../../context/context-size.ts';
import type { CommandRun } from '../built-in-commands.ts';
import { formatCount } from './format.ts';

export async function runCompact({ session, args, compact }: CommandRun): Promise<string> {
  const { fold } = session.journal;
  const before = measureContext(fold);
  await compact(args === '' ? undefined : args);
  const after = measureContext(fold);
  return `The conversation is summed up: from about ${formatCount(before)} tokens to ${formatCount(after)}.`;
}
