// The client that the conformance suite of MCP runs: our port to servers, in Node, doing what each scenario expects of
// a well-behaved client. Called as `node mcp-client.ts <server-url>`; scripts/mcp-conformance.ts starts the suite.
import { createServerFetch } from '../../src/core/fetch-port.ts';
import type { McpQuestionAnswer } from '../../src/core/tool/mcp-exchange.ts';
import type { McpLoginOptions } from '../../src/core/tool/mcp-login.ts';
import { fillInDefaults } from '../../src/core/elicited-form.ts';
import { SdkError } from '../../src/core/errors.ts';
import { defaultBounds } from '../../src/mcp/client/bounds.ts';
import type { Connection } from '../../src/mcp/client/connection.ts';
import { createRealm } from '../../src/mcp/client/create-realm.ts';
import { createConnect } from '../../src/mcp/client/known-eras.ts';
import type { RealmLogins } from '../../src/mcp/client/login/create-logins.ts';
import { toListeners } from '../support/mcp-listeners.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
};

const redirectUrl = 'http://localhost:3000/callback';
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
const { signal } = new AbortController();

// Servers on the loopback are the suite's own.
const fetchPort = createServerFetch((target, init) => fetch(target, init));

const login: McpLoginOptions = scenario.includes('client-credentials')
  ? { clients: await registered() }
  : { redirectUrl, clientMetadataUrl, clients: await registered() };

const realm = createRealm({
  fetch: fetchPort,
  bounds: defaultBounds,
  proxy: undefined,
  login: scenario.startsWith('auth/') ? login : undefined,
  now: Date.now,
});

/** The client of the scenario's, if it has registered one. */
async function registered(): Promise<NonNullable<McpLoginOptions['clients']>> {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (clientId === undefined) return [];
  const path = new URL(url).pathname;
  const metadata = (await (
    await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, url))
  ).json()) as { readonly authorization_servers: readonly [string] };
  const [issuer] = metadata.authorization_servers;
  return [{ issuer, clientId, ...(clientSecret !== undefined && { clientSecret }) }];
}

async function connect(): Promise<Connection> {
  return createConnect(realm)({ type: 'http', url }, listeners, signal);
}

const listeners = toListeners({
  async onQuestion(question): Promise<McpQuestionAnswer> {
    // A person who takes every default: the agent fills them in.
    if (question.type !== 'elicit') throw new Error(`Nobody answers ${question.type} here.`);
    return {
      type: 'elicited',
      result: { action: 'accept', content: fillInDefaults(question.requestedSchema, {}) },
    };
  },
});

/** A person who says yes to every login. */
async function logIn(logins: RealmLogins): Promise<void> {
  const { url: page } = await logins.begin(url, signal);
  if (page === undefined) return;
  const answer = await fetch(page, { redirect: 'manual' });
  await logins.complete(answer.headers.get('location') ?? '', signal);
}

const needsLogin = (error: unknown): boolean =>
  SdkError.isInstance(error) && error.data?.['needsAuth'] === true;

// Three: as often as a person would try.
const maxLogins = 3;

/** What a host does: where a login is wanted it is asked for, and the same is tried again. */
async function withLogin<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let logins = 0; ; logins += 1) {
    try {
      return await work();
    } catch (error) {
      if (!realm.logins || !needsLogin(error) || logins === maxLogins) throw error;
      await logIn(realm.logins);
    }
  }
}

const call = (connection: Connection, name: string, input: object = {}) =>
  connection.call(name, input as Readonly<Record<string, unknown>>, {
    signal,
    onProgress: () => undefined,
  });

const connection = await withLogin(connect);
const names = connection.offer.tools.map(({ name }) => name);

if (scenario.startsWith('auth/')) {
  await withLogin(() => call(connection, 'test-tool'));
} else if (scenario === 'tools_call') {
  await call(connection, names[0] ?? '', { a: 2, b: 3 });
} else if (scenario === 'json-schema-2020-12-preservation') {
  const seen = connection.offer.tools.find(({ name }) => name === 'json_schema_2020_12_tool');
  await call(connection, 'json_schema_echo', { schema: seen?.inputSchema });
} else if (context.toolCalls) {
  for (const { name, arguments: input } of context.toolCalls) await call(connection, name, input);
} else if (scenario !== 'json-schema-ref-no-deref') {
  for (const name of names) await call(connection, name).catch(() => undefined);
}
await connection.close();
