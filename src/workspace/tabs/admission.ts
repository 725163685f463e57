// The leader's side of other tabs' commits: each tab's are taken in the order of their numbers, each
// once, however often and in whatever order they arrive. So the writer can tell by a tab's last
// number what became of those before.
import { maxOpenCommits } from '../state.ts';
import type { TabAnswer, TabRequest } from './tab-message.ts';

/** A commit as it arrived. */
export interface SentCommit {
  readonly number: number;
  readonly oldest: number;
  readonly request: TabRequest;
}

interface Client {
  next: number;
  /** Came before their turn. */
  readonly held: Map<number, TabRequest>;
  /** Until the client says that it has them. */
  readonly answers: Map<number, TabAnswer>;
}

/** For one leadership: a new leader asks the tabs anew. */
export class Admission {
  readonly #clients = new Map<string, Client>();

  /** The number that the client should send next, given that all below `oldest` are settled. */
  next(id: string, oldest: number): number {
    return this.#clientOf(id, oldest).next;
  }

  /** Those whose turn it is now, in order: none, this one, or this one and those that waited for it. */
  admit(id: string, { number, oldest, request }: SentCommit): [number, TabRequest][] {
    const client = this.#clientOf(id, oldest);
    // Security: a tab that counts wildly must not fill the leader's memory.
    if (number < client.next || number >= client.next + maxOpenCommits) return [];
    client.held.set(number, request);
    const admitted: [number, TabRequest][] = [];
    for (;;) {
      const ready = client.held.get(client.next);
      if (!ready) return admitted;
      admitted.push([client.next, ready]);
      client.held.delete(client.next);
      client.next += 1;
    }
  }

  keep(id: string, answer: TabAnswer): void {
    this.#clients.get(id)?.answers.set(answer.number, answer);
  }

  answersFor(id: string): TabAnswer[] {
    return [...(this.#clients.get(id)?.answers.values() ?? [])];
  }

  forget(id: string): void {
    this.#clients.delete(id);
  }

  #clientOf(id: string, oldest: number): Client {
    const client = this.#clients.get(id) ?? { next: oldest, held: new Map(), answers: new Map() };
    this.#clients.set(id, client);
    client.next = Math.max(client.next, oldest);
    for (const number of client.held.keys()) if (number < client.next) client.held.delete(number);
    for (const number of client.answers.keys()) if (number < oldest) client.answers.delete(number);
    return client;
  }
}
