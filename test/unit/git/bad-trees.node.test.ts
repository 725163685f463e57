// Commits whose names would leave the work tree, or stand for something else on another disk. Real
// git writes them, a real server serves them, and a clone changes nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import { openEmptyView, runGit } from '../../support/git/real-git.ts';
import { openRemoteGit } from '../../support/git/remote-git.ts';

let directory: string;
let server: GitServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'git-trees-'));
  server = await startGitServer(directory);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** What a bad tree is made of: ids of what real git has written, and entries of any name. */
interface Entries {
  readonly blob: string;
  link(target: string): string;
  tree(entries: Buffer): string;
  entry(mode: string, path: string, oid: string): Buffer;
}

describe('a clone says why, and changes nothing, of', () => {
  it.each<[string, (entries: Entries) => Buffer, RegExp]>([
    [
      'a name with ..',
      ({ blob, tree, entry }) => entry('40000', '..', tree(entry('100644', 'x', blob))),
      /would leave its directory/u,
    ],
    [
      'a directory .git',
      ({ blob, tree, entry }) => entry('40000', '.git', tree(entry('100644', 'config', blob))),
      /take it for git's own directory/u,
    ],
    [
      '.git as a disk may spell it',
      ({ blob, tree, entry }) => entry('40000', '.GIT', tree(entry('100644', 'config', blob))),
      /take it for git's own directory/u,
    ],
    [
      'control characters',
      ({ blob, entry }) => entry('100644', 'a\u0007b', blob),
      /it has control characters/u,
    ],
    [
      // To look for its end from each of its dots took the square of their number.
      'a name that is longer than any may be',
      ({ blob, entry }) => entry('100644', `a${'.'.repeat(200_000)}b`, blob),
      /has at most 255 bytes/u,
    ],
    [
      'more files than anybody has, out of a few trees',
      ({ blob, tree, entry }) => {
        const many = (mode: string, oid: string) =>
          Buffer.concat([...'abcdefghij'].map((name) => entry(mode, name, oid)));
        let entries = many('100644', blob);
        for (let level = 0; level < 10; level += 1) entries = many('40000', tree(entries));
        return entries;
      },
      /more than 1000000 files and directories/u,
    ],
    [
      'directories without an end',
      ({ blob, tree, entry }) => {
        let entries = entry('100644', 'a', blob);
        for (let level = 0; level < 50; level += 1) {
          entries = entry('40000', 'a'.repeat(100), tree(entries));
        }
        return entries;
      },
      /a path that is longer than 4095 bytes/u,
    ],
    [
      'names that differ by case alone',
      ({ blob, entry }) =>
        Buffer.concat([entry('100644', 'README', blob), entry('100644', 'readme', blob)]),
      /take for one name/u,
    ],
    [
      'a link out, and a file behind it',
      ({ blob, link, tree, entry }) =>
        Buffer.concat([
          entry('120000', 'out', link('../..')),
          entry('40000', 'out', tree(entry('100644', 'x', blob))),
        ]),
      /has the name "out" twice/u,
    ],
  ])('%s in a commit', async (_, build, why) => {
    const bad = join(directory, 'bad');
    rmSync(bad, { recursive: true, force: true, maxRetries: 5 });
    runGit(directory, ['init', '-q', 'bad']);
    const write = (kind: string, bytes: Buffer | string) =>
      runGit(bad, ['hash-object', '-t', kind, '-w', '--stdin', '--literally'], bytes)
        .toString()
        .trim();
    const tree = write(
      'tree',
      build({
        blob: write('blob', 'x'),
        link: (target) => write('blob', target),
        tree: (entries) => write('tree', entries),
        entry: (mode, path, oid) =>
          Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(oid, 'hex')]),
      }),
    );
    const commit = runGit(bad, ['commit-tree', tree], 'bad').toString().trim();
    runGit(bad, ['update-ref', 'refs/heads/main', commit]);
    const view = await openEmptyView();
    const error: unknown = await openRemoteGit(view)
      .clone(`${server.url}/bad`)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'SdkError', message: expect.stringMatching(why) });
    expect(view.changeSet()).toBeNull();
  });
});
