// Detects and parses commands in prompts. loop.ts calls it for every prompt of a person, so it is
// fast and doesn't know the commands.
import { isTextBlock } from '../../core/messages/blocks.ts';
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';

/** A prompt that begins with a slash. */
export interface CommandLine {
  /** Without the slash. */
  readonly name: string;
  /** The text after the name, trimmed. */
  readonly args: string;
  /** The prompt's other content after its first text, such as pictures. */
  readonly rest: readonly UserBlock[];
}

type Prompt = Extract<MessageParam, { role: 'user' }>;

/** A path has a second slash, so `/workspace/a.ts is broken` isn't a command. */
const form = /^\s*\/(?<name>[\w.:-]+)(?:\s+(?<args>[\s\S]*))?$/u;

/** Returns undefined if the prompt isn't a command. Only its first text is checked. */
export function readCommandLine({ content }: Prompt): CommandLine | undefined {
  const blocks: readonly UserBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  // A picture may come before it.
  const first = blocks.find(isTextBlock);
  const groups = first && form.exec(first.text)?.groups;
  if (!groups) return undefined;
  const rest = blocks.filter((block) => block !== first);
  return { name: groups['name'] ?? '', args: groups['args']?.trim() ?? '', rest };
}
