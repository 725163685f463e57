// Turns a feed source's records and jumps into the change events that hosts and watchers see.
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
