// Tool workers that a test plays: it sees what the executor sends, and says what a worker would.
import type {
  ConnectToolWorker,
  ToolWorkerListeners,
} from '../../../src/hosts/browser/pool/worker-connection.ts';
import type { FromToolWorker, ToToolWorker } from '../../../src/hosts/browser/wire/protocol.ts';

/** Workers that are driven by hand: what the executor sent to each, and its listeners. */
export function connectByHand() {
  const workers: {
    sent: ToToolWorker[];
    listeners: ToolWorkerListeners;
    isEnded: boolean;
    /** It booted, and its tools of these names yield the thread. */
    ready(yieldingTools?: readonly string[]): void;
    say(message: FromToolWorker): void;
  }[] = [];
  const connect: ConnectToolWorker = (listeners) => {
    const worker = {
      sent: [] as ToToolWorker[],
      listeners,
      isEnded: false,
      ready: (yieldingTools: readonly string[] = []) => listeners.onReady({ yieldingTools }),
      say: (message: FromToolWorker) => listeners.onMessage(message),
    };
    workers.push(worker);
    return {
      send: (message) => worker.sent.push(structuredClone(message)),
      end: () => void (worker.isEnded = true),
    };
  };
  return { connect, workers };
}
