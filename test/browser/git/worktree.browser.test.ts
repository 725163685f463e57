// A work tree in a tab: git runs in a real tool worker, and the files land in the FS worker's log.
import { expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { openSession } from '../../../src/agent/open-session.ts';
import { createBrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';
import {
  enters,
  leaves,
  makeProject,
  placeOf,
  reads,
  writes,
} from '../../support/turns/worktree-turns.ts';

it('is entered, worked in and left, with what may not be read left out', async () => {
  await using host = await createBrowserHost({
    workspace: `worktree-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  await makeProject(host);
  const model = listModel('list', [
    ...[enters(), writes('b.txt', 'b'), reads('src/secret.txt')],
    ...[leaves({ action: 'remove' }, 'no'), leaves({ action: 'keep' }), says('Done.')],
  ]);
  await using session = await openSession({
    ...{ host, model, worktrees: true, toolSearch: false, permissionMode: 'bypassPermissions' },
    disallowedTools: ['Read(src/secret.txt)'],
  });
  const { n } = await session.send('Go.');
  const told = await readUntil(session, isResult, n);
  expect(told.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  const { fs } = host.workspace;
  expect(await fs.readFile(`${placeOf('fix')}/b.txt`, 'utf8')).toBe('b');
  expect(await fs.readFile(`${placeOf('fix')}/a.txt`, 'utf8')).toBe('a\n');
  await expect(fs.stat(`${placeOf('fix')}/src/secret.txt`)).rejects.toThrow('ENOENT');
  expect(JSON.stringify(told)).toContain("holds 1 file that isn't committed.");
  expect(JSON.stringify(told)).not.toContain('the secret');
});
