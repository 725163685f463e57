// The other ways to a worker and back: a bare port, and comlink on the worker itself.
import { expose } from 'comlink';
import { results, type ResultName } from './results.ts';

const peers = {
  call: (name: ResultName) => results[name](),
  /** Answers each number that comes with the same number and the result. */
  listen(port: MessagePort): void {
    port.onmessage = ({ data }: MessageEvent<{ id: number; name: ResultName }>) => {
      port.postMessage({ id: data.id, result: results[data.name]() });
    };
  },
};

export type Peers = typeof peers;
expose(peers);
