// Tool workers that a test plays: it sees what the executor sends, and says what a worker would.
import type {
  ConnectToolWorker,
  ToolWorkerListeners,
  ToolWorkerOrder,
  ToolWorkerReport,
} from '../../src/hosts/browser/pool/tool-worker-connection.ts';

/** Workers that are driven by hand: what the executor sent to each, and its listeners. */
export function connectByHand() {
  const workers: {
    sent: ToolWorkerOrder[];
    listeners: ToolWorkerListeners;
    isEnded: boolean;
    say(report: ToolWorkerReport): void;
  }[] = [];
  const connect: ConnectToolWorker = (listeners) => {
    const worker = {
      sent: [] as ToolWorkerOrder[],
      listeners,
      isEnded: false,
      say: (report: ToolWorkerReport) => listeners.onMessage(report),
    };
    workers.push(worker);
    return {
      send: (message) => worker.sent.push(structuredClone(message)),
      end: () => void (worker.isEnded = true),
    };
  };
  return { connect, workers };
}
