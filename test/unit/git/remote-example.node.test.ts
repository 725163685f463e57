// The examples of docs/git.md on servers do what they say.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contribute, createSiteProxy } from '../../../docs/examples/git-remotes.ts';
import { openForge } from '../../../docs/examples/git-forge.ts';
import { startGitHubServer } from '../../support/git/github-server.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { gitText, makeRepository, openEmptyView } from '../../support/git/real-git.ts';

it('clones, works and pushes with the token that it is given', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'example-'));
  await using server = await startGitServer(directory);
  makeRepository(join(directory, 'origin'), 2);
  server.authorize = (header) => header?.startsWith('Basic ') === true;
  const view = await openEmptyView();
  const ref = await contribute(view, `${server.url}/origin`, {
    askForToken: async () => 'token',
    work: (place) => view.fs.writeFile(`${place}/new.txt`, 'new\n'),
  });
  expect(ref).toBe('refs/heads/improve');
  expect(gitText(join(directory, 'origin'), 'show', 'improve:new.txt')).toBe('new');
  rmSync(directory, { recursive: true, maxRetries: 5 });
});

it('asks GitHub in the name of whoever has the token', async () => {
  await using server = await startGitHubServer();
  server.token = 'right';
  const forge = openForge(() => Promise.resolve('right'), server.url);
  const name = { repository: 'ann/tides', number: 7 };
  const { signal } = new AbortController();
  expect(await forge.poll(name, { signal })).toMatchObject({ title: 'Round down', state: 'open' });
});

it('answers nobody without a key', async () => {
  const proxy = createSiteProxy(async (key) => (key === 'right' ? 'ann' : null));
  const path = '/git-proxy/github.com/a/b/info/refs?service=git-upload-pack';
  const answer = await proxy(new Request(`https://app.example.org${path}`));
  expect([answer.status, await answer.text()]).toEqual([403, 'This proxy wants to know who asks.']);
});
