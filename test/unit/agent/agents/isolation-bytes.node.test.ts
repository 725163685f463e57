// An isolated agent's branch in conflict where no diff shows it.
import { expect, it } from 'vitest';
import {
  isolated,
  listBranches,
  main,
  runIsolated,
} from '../../../support/turns/isolated-agents.ts';
import { callTool, openHost, say } from '../../../support/turns/run-hooked.ts';

const path = '/workspace/image.bin';
const bytes = (...given: readonly number[]) => new Uint8Array([0, 255, ...given]);

it('has a turn for bytes that a person has changed, too, and is asked about once', async () => {
  await using host = await openHost();
  const { fs } = host.workspace;
  await fs.writeFile(path, bytes(1));
  const code = `await fs.promises.writeFile('image.bin', new Uint8Array([0, 255, 2]))`;
  const { asked, requests } = await runIsolated(
    host,
    {
      main: main(isolated('Paint it.')),
      'Paint it.': [callTool('Repl', { code }, 'call-b'), say('Painted.'), say('Theirs stays.')],
    },
    {
      before: async (who, count) => {
        if (who === 'Paint it.' && count === 2) await fs.writeFile(path, bytes(3));
      },
    },
  );
  expect(asked).toHaveLength(1);
  expect(requests.some((text) => text.includes('Nothing of your work is merged yet'))).toBe(true);
  expect(new Uint8Array(await fs.readFile(path))).toEqual(bytes(3));
  expect(await listBranches(host)).toEqual([]);
});
