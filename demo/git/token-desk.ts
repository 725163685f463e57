// The tokens that a person has entered for git servers: in this page's memory, each for one host, and nowhere
// else. Git asks here; where there is none, or it was refused, the person is asked.
import type { GitCredentials, GitCredentialSource } from 'rockpool/git';

/** What the person is asked. */
export interface TokenQuestion {
  readonly id: string;
  readonly host: string;
  /** The server has just refused the one that it was given. */
  readonly wasRefused: boolean;
  /** Undefined: the person gives none, and git says so. */
  readonly answer: (token: string | undefined) => void;
}

export interface TokenDesk extends GitCredentialSource {
  /** For the host of that address, from now on. */
  enter(host: string, token: string): void;
  getSnapshot(): readonly TokenQuestion[];
  subscribe(listener: () => void): () => void;
}

export function createTokenDesk(): TokenDesk {
  const tokens = new Map<string, string>();
  /** By the command that asks: what it was given last. */
  const given = new WeakMap<AbortSignal, string>();
  const listeners = new Set<() => void>();
  let questions: readonly TokenQuestion[] = [];
  const show = (next: readonly TokenQuestion[]) => {
    questions = next;
    for (const listener of listeners) listener();
  };

  function ask(
    host: string,
    wasRefused: boolean,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      const answer = (token: string | undefined) => {
        signal?.removeEventListener('abort', stop);
        show(questions.filter((each) => each !== question));
        resolve(token);
      };
      const stop = () => answer(undefined);
      const id = crypto.randomUUID();
      const question: TokenQuestion = { id, host, wasRefused, answer };
      signal?.addEventListener('abort', stop);
      show([...questions, question]);
    });
  }

  return {
    enter: (host, token) => void tokens.set(host, token),
    async credentials(host, { signal }): Promise<GitCredentials | undefined> {
      const refused = signal && given.get(signal);
      if (refused !== undefined && tokens.get(host) === refused) tokens.delete(host);
      const token = tokens.get(host) ?? (await ask(host, refused !== undefined, signal));
      if (token === undefined) return undefined;
      tokens.set(host, token);
      if (signal) given.set(signal, token);
      return { token };
    },
    getSnapshot: () => questions,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
