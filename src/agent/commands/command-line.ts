// Tells whether a prompt is a command, and takes it apart. Asked by loop.ts of every prompt of a person's, so it
// is quick and knows no command.
import { isTextBlock } from '../../core/messages/blocks.ts';
import type { UserBlock } from '../../core/messages/blocks.ts';
import type { MessageParam } from '../../core/messages/messages.ts';

/** A prompt that begins with a slash. */
export interface CommandLine {
  /** Without the slash. */
  readonly name: string;
  /** What stands behind the name, without blanks around it. */
  readonly args: string;
  /** What the prompt has besides its first text: pictures, say. */
  readonly rest: readonly UserBlock[];
}

type Prompt = Extract<MessageParam, { role: 'user' }>;

/** A path has another slash, so `/workspace/a.ts is broken` is no command. */
const form = /^\s*\/(?<name>[\w.:-]+)(?:\s+(?<args>[\s\S]*))?$/u;

/** Undefined for a prompt that isn't a command. Only its first text is looked at. */
export function readCommandLine({ content }: Prompt): CommandLine | undefined {
  const blocks: readonly UserBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  // A picture may stand before it.
  const first = blocks.find(isTextBlock);
  const groups = first && form.exec(first.text)?.groups;
  if (!groups) return undefined;
  const rest = blocks.filter((block) => block !== first);
  return { name: groups['name'] ?? '', args: groups['args']?.trim() ?? '', rest };
}
