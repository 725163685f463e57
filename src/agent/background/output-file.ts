// The output of a background task, as a growing file of the session that the model can Read.
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionFiles } from '../session/files/session-files.ts';

/** Its task owns it and finishes it exactly once. */
export interface OutputFile {
  /** The path in every view. */
  readonly path: string;
  /**
   * Writes the text to the file soon. Never throws: text that couldn't be written is retried with
   * the next.
   */
  append(text: string): void;
  /**
   * Finishes the file. `whole` replaces the content, `rest` is appended. Rejects if it can't be
   * written.
   */
  finish(end: { readonly whole: string } | { readonly rest: string }): Promise<void>;
}

// 1 s, plus a second for each 16 kB in the file. An append writes the whole content again, so a
// long file would otherwise fill the log. Nobody reads it more often.
const FLUSH_MS = 1_000;
const CHARS_PER_FLUSH_MS = 16;

/** Creates an empty file of that name among the session's files. Rejects like the workspace. */
export async function createOutputFile(
  name: string,
  { files, clock }: { readonly files: SessionFiles; readonly clock: Clock },
): Promise<OutputFile> {
  const path = await files.write(name, '');
  let pending = '';
  let written = 0;
  let timer: Disposable | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let isFinished = false;

  const schedule = () => {
    if (pending === '' || isFinished) return;
    timer ??= clock.after(FLUSH_MS + written / CHARS_PER_FLUSH_MS, () => {
      timer = undefined;
      writing = writing.then(flush).then(schedule);
    });
  };
  const flush = async () => {
    const text = pending;
    pending = '';
    try {
      if (text !== '') await files.append(name, text);
      written += text.length;
    } catch {
      // The disk may be full only temporarily. If the text can't be written in the end, `finish`
      // reports it.
      pending = text + pending;
    }
  };

  return {
    path,
    append(text) {
      pending += text;
      schedule();
    },
    async finish(end) {
      isFinished = true;
      timer?.[Symbol.dispose]();
      await writing;
      if ('whole' in end) await files.write(name, end.whole);
      else await files.append(name, pending + end.rest);
    },
  };
}
