// The search of the files region. It runs again after a pause in typing, and after files have changed.
import type { BrowserHost, FoundFile } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';

/** The typed text, and its options. */
export interface SearchQuestion {
  readonly text: string;
  readonly isPattern: boolean;
  readonly matchCase: boolean;
}

export interface SearchSnapshot {
  readonly kind: 'idle' | 'searching' | 'done' | 'stopped' | 'failed';
  readonly files: readonly FoundFile[];
  readonly lineCount: number;
  /** The number of searched files, and the total. */
  readonly searched: number;
  readonly total: number;
  /** False if there are more lines than are shown. */
  readonly isComplete: boolean;
  /** Of a failed search: what to do. */
  readonly message: string;
}

export interface FileSearch extends Disposable {
  getSnapshot(): SearchSnapshot;
  subscribe(listener: () => void): () => void;
  /** Replaces the question before. A question without text ends the search. */
  ask(question: SearchQuestion): void;
  /** Stops the search. The found lines stay. */
  stop(): void;
}

// Longer than between two keys of a person who types.
const pauseMs = 150;

/** More than anyone reads. The list says that there are more. */
export const maxLines = 1000;

const idle: SearchSnapshot = {
  kind: 'idle',
  files: [],
  lineCount: 0,
  searched: 0,
  total: 0,
  isComplete: true,
  message: '',
};

/** Searches the files below `root` as Grep does, without files that ignore files exclude. */
export function createFileSearch(
  { workspace, searchFiles }: Pick<BrowserHost, 'workspace' | 'searchFiles'>,
  root: string,
): FileSearch {
  const listeners = new Set<() => void>();
  let snapshot = idle;
  let question: SearchQuestion | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;

  const publish = (next: SearchSnapshot) => {
    snapshot = next;
    for (const listener of listeners) listener();
  };
  const cancel = () => {
    clearTimeout(timer);
    running?.abort();
    running = undefined;
  };
  const schedule = () => {
    cancel();
    timer = setTimeout(() => void run(), pauseMs);
  };

  async function run(): Promise<void> {
    if (!question) return;
    const { text, isPattern, matchCase } = question;
    const controller = new AbortController();
    running = controller;
    const files: FoundFile[] = [];
    let found = { ...idle, files };
    // The earlier results stay until there are new ones, because a flashing list can't be read.
    publish({ ...snapshot, kind: 'searching', searched: 0, message: '' });
    try {
      const { isComplete } = await searchFiles(
        {
          pattern: isPattern ? text : escapePattern(text),
          directory: root,
          ignoreCase: !matchCase,
        },
        {
          signal: controller.signal,
          maxLines,
          onFile(file) {
            files.push(file);
            found = { ...found, lineCount: found.lineCount + file.lines.length };
          },
          onProgress(searched, total) {
            found = { ...found, kind: 'searching', searched, total, files: [...files] };
            if (files.length > 0) publish(found);
            else publish({ ...snapshot, searched, total });
          },
        },
      );
      if (running === controller) publish({ ...found, kind: 'done', isComplete });
    } catch (error) {
      if (controller.signal.aborted) return;
      const message = messageOf(error);
      publish({ ...found, kind: 'failed', message });
    }
  }

  const following = workspace.onChange(({ root: changed }) => {
    if (changed === 'main' && question && snapshot.kind !== 'stopped') schedule();
  });

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ask(next) {
      cancel();
      question = next.text === '' ? undefined : next;
      if (question) schedule();
      else publish(idle);
    },
    stop() {
      if (snapshot.kind !== 'searching') return;
      cancel();
      publish({ ...snapshot, kind: 'stopped', isComplete: false });
    },
    [Symbol.dispose]() {
      cancel();
      following[Symbol.dispose]();
      listeners.clear();
    },
  };
}

/** A pattern that matches the text itself. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
