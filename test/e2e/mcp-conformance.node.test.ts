// A sample of MCP's conformance suite, against our client in Node and in a page: the whole is `npm run mcp:conformance`.
// Each scenario stands for a mechanism of ours that the others use, too.
import { expect, it } from 'vitest';
import { runScenario, type Client } from '../conformance/run-suite.ts';
import { withPage } from '../conformance/start-page.ts';

const now = '2026-07-28';

/** The scenarios that aren't green, each with what the suite has printed. */
async function findRed(client: Client, scenarios: readonly (readonly [string, string])[]) {
  const answers = scenarios.map(async ([scenario, revision]) => {
    const { isGreen, printed } = await runScenario(client, scenario, revision);
    return isGreen ? [] : [`${scenario}: ${printed}`];
  });
  return (await Promise.all(answers)).flat();
}

it('holds in Node: input in the midst of a call, a login that is refused', async () => {
  const red = await findRed({ where: 'node' }, [
    ['sep-2322-client-request-state', now],
    ['auth/iss-wrong-issuer', now],
  ]);
  expect(red).toEqual([]);
});

it('holds in a page: headers of an input, and further rights by the protocol of before', async () => {
  const red = await withPage((address) =>
    findRed({ where: 'page', address }, [
      ['http-custom-headers', now],
      ['auth/scope-step-up', '2025-11-25'],
    ]),
  );
  expect(red).toEqual([]);
});
