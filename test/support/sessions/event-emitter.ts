// A host's event bus, as small as one can be.
import type { EventBus } from '../../../src/adapters/sema/event-bus.ts';

type Listener = Parameters<EventBus['on']>[1];

export class EventEmitter implements EventBus {
  readonly #listeners = new Map<string, Set<Listener>>();

  emit(event: string, data: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(data);
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  off(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener);
  }

  count(event: string): number {
    return this.#listeners.get(event)?.size ?? 0;
  }
}
