// The scenario that the conformance suite has started this process for, and the person of its logins. Node only.
import type { McpLoginOptions } from '../../src/core/mcp/mcp-login.ts';
import type { Scenario } from './play-scenario.ts';

interface GivenContext extends NonNullable<Scenario['context']> {
  readonly client_id?: string;
  readonly client_secret?: string;
}

const redirectUrl = 'http://localhost:3000/callback';
const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';

/** Of the command line and the environment. */
export async function readScenario(): Promise<Scenario> {
  const name = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const url = process.argv.at(-1) ?? '';
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as GivenContext;
  return {
    name,
    url,
    context,
    login: name.startsWith('auth/') ? await toLogin(name, url, context) : undefined,
  };
}

async function toLogin(name: string, url: string, context: GivenContext): Promise<McpLoginOptions> {
  const clients = await registered(url, context);
  return name.includes('client-credentials')
    ? { clients }
    : { redirectUrl, clientMetadataUrl, clients };
}

/** The client of the scenario's, if it has registered one. */
async function registered(
  url: string,
  { client_id: clientId, client_secret: clientSecret }: GivenContext,
): Promise<NonNullable<McpLoginOptions['clients']>> {
  if (clientId === undefined) return [];
  const path = new URL(url).pathname;
  const metadata = (await (
    await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, url))
  ).json()) as { readonly authorization_servers: readonly [string] };
  const [issuer] = metadata.authorization_servers;
  return [{ issuer, clientId, ...(clientSecret !== undefined && { clientSecret }) }];
}

/** A person who says yes to every login. */
export async function approve(page: string): Promise<string> {
  const answer = await fetch(page, { redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}
