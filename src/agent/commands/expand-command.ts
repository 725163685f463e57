// Converts a command's text to a prompt: inserts the arguments, appends files that it names by
// `@path`, and adds a note that shell lines aren't run. Called by take-command.ts.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, describeThrown } from '../../core/errors.ts';
import { fillArguments } from '../../core/commands/fill-arguments.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import type { CallFiles } from '../../core/tool/call-files.ts';
import { readInstructionText } from '../context/instruction-files.ts';

/** The prompt for the model. */
export interface ExpandedCommand {
  readonly text: string;
  /** Its shell lines, which aren't run. */
  readonly shellLines: readonly string[];
}

// 20 files and 100 000 characters in total: for more files, the model should read them itself.
const maxFiles = 20;
const maxChars = 100_000;
// 1 MB: of a longer file at most a tenth could be shown.
const maxFileBytes = 1024 * 1024;

/**
 * Rejects with nothing: a file that can't be shown is a sentence.
 *
 * Security: `files` judges each path as a call that reads, links followed. A file that a rule denies, or asks
 * about, isn't shown, and what is shown can't pass for the agent's own reminders.
 */
export async function expandCommand(
  body: string,
  args: string,
  files: Pick<CallFiles, 'readFile' | 'stat'>,
): Promise<ExpandedCommand> {
  const { text, shellLines } = nameShellLines(body);
  const asked = fillArguments(text, args).trim();
  const { imports } = readInstructionText(asked, false);
  const shown: string[] = [];
  let room = maxChars;
  for (const path of imports.slice(0, maxFiles)) {
    const { content, note } = await readNamed(path, files, room);
    if (content !== undefined) {
      room -= content.length;
      shown.push(`The file ${path}:\n\n${content}`);
    }
    if (note !== undefined) shown.push(note);
  }
  if (imports.length > maxFiles) {
    shown.push(`${imports.length - maxFiles} more files that are named aren't shown. Read them.`);
  }
  return { text: quoteForReminder([asked, ...shown].join('\n\n')), shellLines };
}

/** There is no shell here. The note prevents the model from taking the line for its output. */
function nameShellLines(body: string): {
  readonly text: string;
  readonly shellLines: readonly string[];
} {
  const shellLines: string[] = [];
  const text = body.replace(/(?<=^|\s)!`(?<line>[^`\n]+)`/gu, (_, line: string) => {
    shellLines.push(line);
    return `(The shell line \`${line}\` was not run: there is no shell here.)`;
  });
  return { text, shellLines };
}

interface NamedFile {
  readonly content?: string;
  readonly note?: string;
}

async function readNamed(
  path: string,
  files: Pick<CallFiles, 'readFile' | 'stat'>,
  room: number,
): Promise<NamedFile> {
  try {
    const stats = await files.stat(path);
    if (!stats.isFile()) return { note: `${path} is a directory, so it isn't shown.` };
    if (stats.size > maxFileBytes || room <= 0) {
      return { note: `${path} is too long to be shown. Read what you need of it.` };
    }
    const whole = await files.readFile(path, 'utf8');
    if (whole.includes('\0')) return { note: `${path} is no text, so it isn't shown.` };
    const content = clipText(whole, room);
    const isCut = content.length < whole.length;
    return {
      content,
      ...(isCut && {
        note: `Of ${path} only the first ${content.length} characters are shown. Read the rest.`,
      }),
    };
  } catch (error) {
    return { note: `${path} isn't shown: ${explain(error)}` };
  }
}

/** A missing file and a denied file must have the same message. */
function explain(error: unknown): string {
  if (!SdkError.isInstance(error)) return describeThrown(error);
  if (error.code === 'ENOENT') return 'there is no such file that you may read.';
  if (error.code === 'EACCES') {
    return 'it is outside the workspace, or a person must be asked first. Call Read for it.';
  }
  return error.message;
}
