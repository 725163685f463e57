// Keeps whether the person trusts the rules in a project's files. A yes is stored for exactly these texts, a no until
// the page is closed.
import type { TrustWorkspace, WorkspaceTrustQuestion } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';

export interface WorkspaceTrust {
  /** For `trustWorkspace` of each conversation. */
  readonly ask: TrustWorkspace;
  subscribe(listener: () => void): () => void;
  /** The oldest open question. Null: none is open. */
  getSnapshot(): WorkspaceTrustQuestion | null;
  /** Answers the question with this hash. Does nothing if it isn't open any more. */
  answer(hash: string, isTrusted: boolean): void;
}

interface OpenQuestion {
  readonly question: WorkspaceTrustQuestion;
  readonly whoAsked: Set<(isTrusted: boolean) => void>;
}

// 100: a hash has 64 characters.
const maxKept = 100;

/** The one instance of the page. */
export const workspaceTrust = createWorkspaceTrust();

function createWorkspaceTrust(): WorkspaceTrust {
  /** By the hash of the files, because two conversations may ask about the same files. */
  const open = new Map<string, OpenQuestion>();
  /** The answers, also if the browser's storage is blocked. */
  const answers = new Map<string, boolean>();
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());

  return {
    ask(question, signal) {
      const { hash } = question;
      const known = answers.get(hash) ?? (readTrusted().includes(hash) ? true : undefined);
      if (known !== undefined) return known;
      return new Promise((resolve) => {
        const asked = open.get(hash) ?? { question, whoAsked: new Set() };
        asked.whoAsked.add(resolve);
        open.set(hash, asked);
        tell();
        // The conversation has ended. If no other conversation asks the same, the question is removed.
        const leave = () => {
          asked.whoAsked.delete(resolve);
          if (asked.whoAsked.size === 0 && open.get(hash) === asked) open.delete(hash);
          tell();
        };
        signal.addEventListener('abort', leave, { once: true });
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot() {
      const [first] = open.values();
      return first?.question ?? null;
    },
    answer(hash, isTrusted) {
      const asked = open.get(hash);
      if (!asked) return;
      const { whoAsked } = asked;
      open.delete(hash);
      if (isTrusted) writeSetting('trusted-files', [...readTrusted(), hash].slice(-maxKept));
      answers.set(hash, isTrusted);
      for (const settle of whoAsked) settle(isTrusted);
      tell();
    },
  };
}

function readTrusted(): readonly unknown[] {
  const stored = readSetting('trusted-files');
  return Array.isArray(stored) ? stored : [];
}
