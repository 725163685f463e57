// What a background task prints, as a file of the session that grows while it runs: the model Reads
// it like any other.
import type { Clock } from '../../core/tool/ports.ts';
import type { SessionFiles } from '../session/files/session-files.ts';

/** Owned by its task, which finishes it exactly once. */
export interface OutputFile {
  /** Where every view shows it. */
  readonly path: string;
  /** Goes to the file soon. Never throws: what couldn't be written is tried again with the next. */
  append(text: string): void;
  /**
   * The last word. `whole` replaces what was written, `rest` goes behind it. Rejects where it can't
   * be written.
   */
  finish(end: { readonly whole: string } | { readonly rest: string }): Promise<void>;
}

// 1 s: sooner nobody reads it again. Each 16 kB in the file add a second. An append writes the whole content again, so
// a long file would otherwise fill the log.
const FLUSH_MS = 1_000;
const CHARS_PER_FLUSH_MS = 16;

/** Makes the file, empty, by its name among the session's files. Rejects as the workspace does. */
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
      // The disk may be full only now. What doesn't get there in the end either is told by `finish`.
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
