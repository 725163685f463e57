// The protocol's reference server, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { startEverything } from '../../support/everything-server.ts';
import { expectEverything, playEverything } from '../../support/play-everything.ts';
import { openHost } from '../../support/run-hooked.ts';

it('the reference server’s resources, prompts, forms and samplings work', async () => {
  await using host = await openHost();
  const server = await startEverything();
  onTestFinished(() => server[Symbol.dispose]());
  expectEverything(expect, await playEverything(host, server.url));
});
