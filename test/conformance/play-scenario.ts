// What a well-behaved host does in one scenario of MCP's conformance suite, by our port to servers.
// It is in Node (node-client.ts), or in a page whose MCP worker speaks with the servers
// (page/page.ts).
import { fillInDefaults } from '../../src/core/mcp/elicited-form.ts';
import { SdkError } from '../../src/core/errors.ts';
import type { McpQuestion, McpQuestionAnswer } from '../../src/core/mcp/mcp-exchange.ts';
import type { McpLoginOptions, McpLogins } from '../../src/core/mcp/mcp-login.ts';
import type { Connection } from '../../src/mcp/client/connection.ts';

/** One scenario, as plain data. */
export interface Scenario {
  readonly name: string;
  readonly url: string;
  /** What the suite tells its clients of it. */
  readonly context: {
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  };
  /** Undefined: nobody logs in. */
  readonly login: McpLoginOptions | undefined;
}

// A minute: all scenarios run at once, maybe on a machine that is busy with other things.
export const patience = { connectMs: 60_000, loginMs: 60_000 } as const;

/** What it is played with. */
export interface ScenarioMeans {
  connect(): Promise<Connection>;
  readonly logins: McpLogins | undefined;
  /** A person who says yes to every login. Gives the address that they come back to. */
  approve(page: string): Promise<string>;
}

/** A person who takes every default: the agent fills them in. */
export async function takeDefaults(question: McpQuestion): Promise<McpQuestionAnswer> {
  if (question.type !== 'elicit') throw new Error(`Nobody answers ${question.type} here.`);
  return {
    type: 'elicited',
    result: { action: 'accept', content: fillInDefaults(question.requestedSchema, {}) },
  };
}

// Three: as often as a person would try.
const maxLogins = 3;

/** Rejects where the client fails, which some scenarios want. */
export async function playScenario(scenario: Scenario, means: ScenarioMeans): Promise<void> {
  const { signal } = new AbortController();
  const { logins } = means;

  let connection: Connection | undefined;

  /** What a host does: where a login is wanted it is asked for, the server is connected anew, and the same is tried again. */
  async function withLogin(work: (connected: Connection) => Promise<unknown>): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        connection ??= await means.connect();
        await work(connection);
        return;
      } catch (error) {
        if (!logins || !needsLogin(error) || tries === maxLogins) throw error;
        const { url: page } = await logins.begin(scenario.url, signal);
        if (page !== undefined) await logins.complete(await means.approve(page), signal);
        await connection?.close();
        connection = undefined;
      }
    }
  }

  try {
    await withLogin((connected) => play(scenario, connected));
  } finally {
    await connection?.close();
  }
}

const needsLogin = (error: unknown): boolean =>
  SdkError.isInstance(error) && error.data?.['needsAuth'] === true;

async function play({ name, context }: Scenario, connection: Connection): Promise<void> {
  const { signal } = new AbortController();
  const call = (toolName: string, input: object = {}) =>
    connection.call(toolName, input as Readonly<Record<string, unknown>>, {
      signal,
      onProgress: () => undefined,
    });
  const names = connection.offer.tools.map((tool) => tool.name);

  if (name.startsWith('auth/')) {
    await call('test-tool');
  } else if (name.startsWith('sep-2640-')) {
    const [skill] = await connection.ask({ type: 'list-skills' }, signal);
    if (!skill) throw new Error('The server lists no skill.');
    if (name.endsWith('no-prefetch')) return;
    await connection.ask({ type: 'read-skill', uri: skill.uri }, signal);
    // Whoever takes the text goes on to what it names. The suite sees that.
    const uri = new URL('references/FORMS.md', skill.uri).href;
    await connection.ask({ type: 'read-resource', uri }, signal);
  } else if (name === 'tools_call') {
    await call(names[0] ?? '', { a: 2, b: 3 });
  } else if (name === 'json-schema-2020-12-preservation') {
    const seen = connection.offer.tools.find((tool) => tool.name === 'json_schema_2020_12_tool');
    await call('json_schema_echo', { schema: seen?.inputSchema });
  } else if (context.toolCalls) {
    for (const wanted of context.toolCalls) await call(wanted.name, wanted.arguments);
  } else if (name !== 'json-schema-ref-no-deref') {
    for (const tool of names) await call(tool).catch(() => undefined);
  }
}
