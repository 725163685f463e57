// Whether the person trusts what a project's files would allow. A yes is kept for exactly these files, a no for as long
// as the page is open.
import type { TrustWorkspace, WorkspaceTrustQuestion } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';

export interface WorkspaceTrust {
  /** For `trustWorkspace` of each conversation. */
  readonly ask: TrustWorkspace;
  subscribe(listener: () => void): () => void;
  /** The question that waits longest; null: none is open. */
  getSnapshot(): WorkspaceTrustQuestion | null;
  /** Of the question with this hash. Does nothing where it isn't open any more. */
  answer(hash: string, isTrusted: boolean): void;
}

interface OpenQuestion {
  readonly question: WorkspaceTrustQuestion;
  readonly whoAsked: Set<(isTrusted: boolean) => void>;
}

// 100: a hash has 64 characters.
const maxKept = 100;

/** The page's. */
export const workspaceTrust = createWorkspaceTrust();

function createWorkspaceTrust(): WorkspaceTrust {
  /** By the hash of its files: two conversations may ask about the same. */
  const open = new Map<string, OpenQuestion>();
  /** Also where the browser keeps nothing. */
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
        // Its conversation has ended: where no other asks, nobody need answer.
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
