// The client that MCP's conformance suite runs for a page: `node page-client.ts <server-url>`. It hands the scenario to
// the page that start-page.ts has opened, by the address in ROCKPOOL_CONFORMANCE_PAGE.
import { readScenario } from './read-scenario.ts';

const answer = await fetch(process.env['ROCKPOOL_CONFORMANCE_PAGE'] ?? '', {
  method: 'POST',
  body: JSON.stringify(await readScenario()),
});
const failure = await answer.text();
if (failure !== '') {
  console.error(failure);
  process.exitCode = 1;
}
