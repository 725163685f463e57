// Runs code that needs a synchronous file system on top of an asynchronous one. Missing answers are
// fetched, and the code runs again.
import type { ModuleFiles } from '../../../repl/modules/module-resolver.ts';
import type { AppFiles } from './app-files.ts';

/** Cached answers about paths. Reopening a page clears them. */
export interface KnownFiles {
  /** Runs `look`, possibly several times, so it must have no effect other than reading files. */
  ask<Answer>(look: (files: ModuleFiles) => Answer): Promise<Answer>;
}

export function createKnownFiles(files: AppFiles): KnownFiles {
  const kinds = new Map<string, 'file' | 'directory' | 'none'>();
  const texts = new Map<string, string>();
  let missing: (() => Promise<void>) | undefined;

  const kindOf = (path: string) => {
    const kind = kinds.get(path);
    if (kind !== undefined) return kind;
    missing = async () => void kinds.set(path, await files.kindOf(path));
    throw notYet;
  };
  const known: ModuleFiles = {
    existsSync: (path) => kindOf(path) !== 'none',
    statSync: (path) => ({
      isFile: () => kindOf(path) === 'file',
      isDirectory: () => kindOf(path) === 'directory',
    }),
    readFileSync(path) {
      const text = texts.get(path);
      if (text !== undefined) return text;
      missing = async () => void texts.set(path, await files.readText(path));
      throw notYet;
    },
  };

  return {
    async ask(look) {
      for (;;) {
        missing = undefined;
        const answer = tryToAnswer(look, known);
        // The code has caught the error of a missing answer, so its result isn't reliable.
        if (missing === undefined && answer) return answer.value;
        await (missing as (() => Promise<void>) | undefined)?.();
      }
    },
  };
}

const notYet = new Error('This file is looked up.');

function tryToAnswer<Answer>(
  look: (files: ModuleFiles) => Answer,
  files: ModuleFiles,
): { readonly value: Answer } | undefined {
  try {
    return { value: look(files) };
  } catch (error) {
    if (error === notYet) return undefined;
    throw error;
  }
}
