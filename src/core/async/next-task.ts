// Yields one turn of the event loop, without the 4 ms of nested timers.

/**
 * A function whose promise resolves after the messages that wait now were delivered. The FS worker
 * gives it to its writer as `gather`, so that commits which arrived during a flush share the next.
 */
export function createNextTask(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  // One channel for all: messages arrive in the order of sending, so the first waits longest.
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}

/** Once: leaves no channel open, as one that is heard keeps Node from ending. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
