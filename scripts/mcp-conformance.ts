/**
 * `npm run mcp:conformance`: the client scenarios that two revisions of MCP require, and those of
 * its skills, from the protocol's own suite. They run against our client in Node and in Chromium,
 * there by our MCP worker, through our proxy. Needs no network. Prints a line a scenario, and fails
 * where one that is required fails. Arguments, such as `node` or `2026-07-28`, choose.
 */
import {
  runRevision,
  runScenario,
  type Client,
  type SuiteAnswer,
} from '../test/conformance/run-suite.ts';
import { withPage } from '../test/conformance/start-page.ts';

const revisions = ['2026-07-28', '2025-11-25'];
const skills = ['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'];

const leftOut = `Left out, as they aren't built (they are extensions, which no revision requires):
  auth/dpop, auth/dpop-nonce: tokens bound to a key (DPoP)
  auth/wif-jwt-bearer: logins by a workload's identity
  auth/client-credentials-jwt: clients that prove themselves by a signed JWT
  auth/enterprise-managed-authorization: logins that a company's identity provider hands out`;

const chosen = process.argv.slice(2);
const isChosen = (name: string, of: readonly string[]) =>
  !of.some((one) => chosen.includes(one)) || chosen.includes(name);

const red: string[] = [];

function report(what: string, { isGreen, printed }: SuiteAnswer): void {
  const summary = printed.indexOf('=== SUITE SUMMARY');
  console.log(`${what}\n${isGreen && summary < 0 ? '✓' : printed.slice(Math.max(0, summary))}`);
  if (!isGreen) red.push(what);
}

async function runAll(client: Client): Promise<void> {
  for (const revision of revisions.filter((name) => isChosen(name, revisions))) {
    report(`MCP ${revision}, ${client.where}`, await runRevision(client, revision));
  }
  const answers = skills.map(async (name) => {
    const scenario = `sep-2640-client-${name}`;
    return { scenario, answer: await runScenario(client, scenario) };
  });
  for (const { scenario, answer } of await Promise.all(answers)) {
    report(`${scenario}, ${client.where}`, answer);
  }
}

const places = ['node', 'page'];
if (isChosen('node', places)) await runAll({ where: 'node' });
if (isChosen('page', places)) {
  await withPage((address) => runAll({ where: 'page', address }));
}
console.log(leftOut);
if (red.length > 0) console.error(`Not conformant: ${red.join('; ')}`);
process.exitCode = red.length === 0 ? 0 : 1;
