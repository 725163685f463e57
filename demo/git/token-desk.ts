// Holds the tokens that a person has entered for git servers, each for one host and only in this page's memory. Git
// requests tokens here. If there is none, or the server refused it, the person is asked.
import type { GitCredentials, GitCredentialSource } from 'rockpool/git';

/** The question to the person. */
export interface TokenQuestion {
  readonly id: string;
  readonly host: string;
  /** True if the server has just refused the last token. */
  readonly wasRefused: boolean;
  /** Undefined: the person gives no token, and git reports that. */
  readonly answer: (token: string | undefined) => void;
}

export interface TokenDesk extends GitCredentialSource {
  /** Sets the token for the host of that address. */
  enter(host: string, token: string): void;
  getSnapshot(): readonly TokenQuestion[];
  subscribe(listener: () => void): () => void;
}

export function createTokenDesk(): TokenDesk {
  const tokens = new Map<string, string>();
  /** The token that each command got last, by the command's signal. */
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
