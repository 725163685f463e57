// The client that MCP's conformance suite runs for our port to servers in Node: `node node-client.ts <server-url>`.
import { createServerFetch } from '../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../src/mcp/client/bounds.ts';
import { createRealm } from '../../src/mcp/client/create-realm.ts';
import { createConnect } from '../../src/mcp/client/known-eras.ts';
import { toListeners } from '../support/mcp/mcp-listeners.ts';
import { patience, playScenario, takeDefaults } from './play-scenario.ts';
import { approve, readScenario } from './read-scenario.ts';

const scenario = await readScenario();
const realm = createRealm({
  // Servers on the loopback are the suite's own.
  fetch: createServerFetch((target, init) => fetch(target, init)),
  bounds: { ...defaultBounds, ...patience },
  proxy: undefined,
  login: scenario.login,
  now: Date.now,
});
const listeners = toListeners({ onQuestion: takeDefaults });
const { signal } = new AbortController();
await playScenario(scenario, {
  connect: () => createConnect(realm)({ type: 'http', url: scenario.url }, listeners, signal),
  logins: realm.logins,
  approve,
});
