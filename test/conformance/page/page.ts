// The page of the conformance suite. Each scenario has an MCP worker of its own. It reaches the
// suite's servers through our proxy, as they allow no page to read them.
import { createMcpWorkerClient } from '../../../src/hosts/browser/page/mcp-worker-client.ts';
import { startWorker } from '../../../src/hosts/browser/pool/start-worker.ts';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';
import { patience, playScenario, takeDefaults, type Scenario } from '../play-scenario.ts';

declare global {
  interface Window {
    /** Set when the page is ready. Gives why it has failed; empty: it hasn't. */
    play?(scenario: Scenario, proxy: string): Promise<string>;
    /** Of the test: see `ScenarioMeans`. */
    approve?(page: string): Promise<string>;
  }
}

function start() {
  return startWorker({
    asset: 'mcpWorker',
    create: () =>
      new Worker(new URL('../../../src/hosts/browser/mcp-worker/mcp.worker.ts', import.meta.url), {
        type: 'module',
      }),
  });
}

window.play = async (scenario, proxy) => {
  const { url, login } = scenario;
  using client = createMcpWorkerClient(start, systemClock, {
    proxy: { url: proxy },
    bounds: patience,
    ...(login && { login }),
  });
  const listeners = toListeners({ onQuestion: takeDefaults });
  const { signal } = new AbortController();
  try {
    await playScenario(scenario, {
      connect: () => client.connect({ type: 'http', url }, listeners, signal),
      logins: login && client.logins,
      approve: (page) => window.approve!(page),
    });
    return '';
  } catch (error) {
    return String(error);
  }
};
