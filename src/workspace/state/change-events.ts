// All that happens to a source as the events that hosts and watchers see: its records, and its jumps.
import type { FeedSource } from '../feed/serve-feed.ts';
import type { ChangeEvent } from '../workspace.ts';

/** Calls the listener for each event, in order, until it is disposed. */
export function onChangeEvent(
  source: FeedSource,
  listener: (event: ChangeEvent) => void,
): Disposable {
  const records = source.onRecord(({ event }) => listener(event));
  const jumps = source.onJump?.((events) => {
    for (const event of events) listener(event);
  });
  return {
    [Symbol.dispose]() {
      records[Symbol.dispose]();
      jumps?.[Symbol.dispose]();
    },
  };
}
