// `/rewind` reverts to before the last prompt, the n-th prompt from the end, or the prompt with
// that uuid.
import { textOf } from '../../../core/messages/blocks.ts';
import { clipText } from '../../../core/text/clip-text.ts';
import { SdkError } from '../../../core/errors.ts';
import type { SessionFold } from '../../journal/fold.ts';
import type { CommandRun } from '../built-in-commands.ts';

export async function runRewind({ session, args, rewind }: CommandRun): Promise<string> {
  const prompts = await listPrompts(session.journal.fold);
  const prompt = choosePrompt(prompts, args);
  const { paths, kept, filesNote } = await rewind(prompt.uuid);
  // 20: enough to recognise the change.
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : '';
  const files =
    paths.length === 0
      ? 'No file has changed.'
      : `Files that are as they were then: ${paths.slice(0, 20).join(', ')}${more}.`;
  return [
    `The conversation is as it was before “${prompt.text}”.`,
    filesNote ?? files,
    ...(kept.length > 0 ? [`Left as they are: ${kept.join(', ')}.`] : []),
  ].join(' ');
}

interface RewindablePrompt {
  readonly uuid: string;
  readonly text: string;
}

function choosePrompt(prompts: readonly RewindablePrompt[], args: string): RewindablePrompt {
  if (prompts.length === 0) throw refuse('There is no prompt to go back to yet.');
  if (args === '') return prompts.at(-1) as RewindablePrompt;
  const named = prompts.find(({ uuid }) => uuid === args);
  if (named) return named;
  const count = /^\d+$/u.test(args) ? Number(args) : 0;
  const found = count > 0 ? prompts.at(-count) : undefined;
  if (found) return found;
  const many = prompts.length === 1 ? 'is 1 prompt' : `are ${prompts.length} prompts`;
  throw refuse(
    `There is nothing to go back to by “${clipText(args, 100)}”. There ${many}: write /rewind for the last one, a number up to ${prompts.length}, or a prompt’s uuid.`,
  );
}

/** The person's own prompts of the current conversation, oldest first. */
async function listPrompts(fold: SessionFold): Promise<RewindablePrompt[]> {
  const texts = new Map<string, string>();
  for await (const entry of fold.read()) {
    if (entry.type !== 'prompt' || entry.agent !== undefined || entry.origin) continue;
    // 80 characters: one line.
    texts.set(entry.uuid, clipText(textOf(entry.message.content, ' '), 80));
  }
  const path = new Set(fold.pathTo(fold.length));
  return fold.turns.flatMap(({ n, prompt, isBlocked }) => {
    const text = texts.get(prompt);
    return isBlocked || text === undefined || !path.has(n) ? [] : [{ uuid: prompt, text }];
  });
}

function refuse(message: string): SdkError {
  return new SdkError('bad-usage', message);
}
