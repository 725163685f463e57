// Servers that lie, break off or aren't git at all: each a sentence, and a workspace as it was.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPageFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import { gitText, makeRepository, openEmptyView } from '../../support/git/real-git.ts';
import { openRemoteGit } from '../../support/git/remote-git.ts';

let directory: string;
let server: GitServer;
let url: string;
/** What the real server answers to a clone, so that it runs once. */
let recorded: { readonly list: Buffer; readonly result: Buffer };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'servers-'));
  server = await startGitServer(directory);
  url = `${server.url}/origin`;
  makeRepository(join(directory, 'origin'), 6);
  const bodies: Buffer[] = [];
  server.rewrite = (body) => {
    bodies.push(body);
    return body;
  };
  await openRemoteGit(await openEmptyView()).clone(url);
  const [list = Buffer.alloc(0), result = Buffer.alloc(0)] = bodies;
  recorded = { list, result };
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, maxRetries: 5 });
});
beforeEach(() => {
  server.intercept = undefined;
});

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers the list of refs. */
const listing =
  (status: number, headers: Record<string, string>, body: string | Buffer): Intercept =>
  (request, response) => {
    if (request.method !== 'GET') return false;
    response.writeHead(status, headers).end(body);
    return true;
  };

const frame = (text: string | Buffer) =>
  Buffer.concat([Buffer.from((text.length + 4).toString(16).padStart(4, '0')), Buffer.from(text)]);
const flush = Buffer.from('0000');
const type = { 'content-type': 'application/x-git-upload-pack-advertisement' };

/** A list of refs with these names, all of one commit. */
function listOf(...names: string[]): Buffer {
  const oid = gitText(join(directory, 'origin'), 'rev-parse', 'HEAD');
  const abilities = 'side-band-64k shallow ofs-delta symref=HEAD:refs/heads/main';
  const refs = ['HEAD', 'refs/heads/main', ...names].map((name, index) =>
    frame(`${oid} ${name}${index === 0 ? `\0${abilities}` : ''}\n`),
  );
  return Buffer.concat([frame('# service=git-upload-pack\n'), flush, ...refs, flush]);
}

/** The recorded answer to the fetch, changed. */
const result =
  (change: (body: Buffer) => Buffer): Intercept =>
  (request, response) => {
    if (request.method === 'GET') return listing(200, type, recorded.list)(request, response);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
    response.end(change(Buffer.from(recorded.result)));
    return true;
  };

/** The server's pack replaced by another one. */
function otherPack(change: (pack: Buffer) => Buffer): Intercept {
  return result((body) => {
    const kept: Buffer[] = [];
    const pack: Buffer[] = [];
    for (let at = 0; at < body.length;) {
      const length = Math.max(Number.parseInt(body.toString('latin1', at, at + 4), 16), 4);
      const line = body.subarray(at + 4, at + length);
      if (line[0] === 1) pack.push(line.subarray(1));
      else if (line[0] !== 2 && line.length > 0) kept.push(frame(line));
      else if (line.length === 0 && pack.length === 0) kept.push(flush);
      at += length;
    }
    const changed = change(Buffer.concat(pack));
    const frames = [];
    for (let at = 0; at < changed.length; at += 60_000) {
      frames.push(frame(Buffer.concat([Buffer.from([1]), changed.subarray(at, at + 60_000)])));
    }
    return Buffer.concat([...kept, ...frames, flush]);
  });
}

function withChecksum(body: Buffer): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function onlyEntry(...parts: (number[] | Buffer)[]): Buffer {
  const header = Buffer.from('5041434b0000000200000001', 'hex');
  return withChecksum(Buffer.concat([header, ...parts.map((part) => Buffer.from(part))]));
}

const host = String.raw`127\.0\.0\.1:\d+`;
const html = '<html><body>Please sign in</body></html>';

describe('a clone from a bad server says why and changes nothing', () => {
  it.each<[string, { readonly intercept: Intercept }, string]>([
    [
      'HTML of a proxy',
      { intercept: listing(200, { 'content-type': 'text/html' }, html) },
      `^${host} answered, but not by git: perhaps a page to sign in at`,
    ],
    [
      'HTML under the type of git',
      { intercept: listing(200, type, html) },
      'answered by something else than git',
    ],
    [
      'a redirect',
      {
        intercept: listing(301, { location: 'https://example.com/b/origin/info/refs?token=x' }, ''),
      },
      `^${host} answered by a redirect to https://example\\.com/b/origin, which isn't followed`,
    ],
    [
      'no repository',
      { intercept: listing(404, { 'content-type': 'text/plain' }, 'Repository not found.') },
      `has no repository there \\(404\\).* It says: Repository not found\\.$`,
    ],
    ['no right', { intercept: listing(403, {}, '') }, `refuses access \\(403\\)`],
    [
      'a failure',
      { intercept: listing(502, { 'content-type': 'text/html' }, html) },
      `failed \\(502\\)`,
    ],
    ['nothing', { intercept: listing(200, type, '') }, 'cut off'],
    [
      'half a list',
      { intercept: (...it) => listing(200, type, listOf('refs/heads/a').subarray(0, -30))(...it) },
      'cut off',
    ],
    [
      'a list without an end',
      { intercept: (...it) => listing(200, type, listOf().subarray(0, -4))(...it) },
      'list of refs is cut off',
    ],
    [
      'an error in words',
      { intercept: listing(200, type, frame('ERR go away\n')) },
      'The server says: go away',
    ],
    [
      'a connection that breaks in the list',
      {
        intercept: (_request, response) => {
          response.writeHead(200, { ...type, 'content-length': '9999' });
          response.write('001e');
          setImmediate(() => response.destroy());
          return true;
        },
      },
      'broke the connection after',
    ],
    [
      'a pack that stops in the middle',
      {
        intercept: result((body) => body.subarray(0, body.length / 2)),
      },
      'cut off',
    ],
    [
      'half a pack in whole frames',
      { intercept: otherPack((pack) => pack.subarray(0, pack.length / 2)) },
      'checksum is wrong, so it is cut off',
    ],
    [
      'a wrong checksum',
      {
        intercept: otherPack((pack) => {
          pack.writeUInt8(pack.readUInt8(pack.length - 1) ^ 1, pack.length - 1);
          return pack;
        }),
      },
      'checksum is wrong',
    ],
    [
      'a changed pack',
      {
        intercept: otherPack((pack) => {
          pack.writeUInt8(pack.readUInt8(40) ^ 1, 40);
          return pack;
        }),
      },
      'checksum is wrong',
    ],
    ['no pack', { intercept: otherPack(() => Buffer.alloc(0)) }, 'sent no object'],
    [
      'an empty pack',
      { intercept: otherPack(() => withChecksum(Buffer.from('5041434b0000000200000000', 'hex'))) },
      'sent no object',
    ],
    [
      'a pack of something else',
      { intercept: otherPack(() => onlyEntry([0x35], deflateSync('hello'))) },
      'sent no object',
    ],
    [
      'an object smaller than it says',
      { intercept: otherPack(() => onlyEntry([0x3f], deflateSync('hello'))) },
      'holds 5 bytes and says 15',
    ],
    [
      'an object larger than it says',
      { intercept: otherPack(() => onlyEntry([0x31], deflateSync('hello'))) },
      'holds more than the 1 bytes',
    ],
    [
      'an object of 1 TB',
      {
        intercept: otherPack(() =>
          onlyEntry([0xbf, 0xff, 0xff, 0xff, 0xff, 0x7f], deflateSync('hello')),
        ),
      },
      'are the most here',
    ],
    [
      '4 billion objects',
      {
        intercept: otherPack((pack) => {
          pack.writeUInt32BE(0xffffffff, 8);
          return withChecksum(pack.subarray(0, -20));
        }),
      },
      'cut off',
    ],
    [
      'an error in the middle',
      {
        intercept: result(() => Buffer.concat([frame('NAK\n'), frame('\u0003out of memory')])),
      },
      `^${host} stopped: out of memory`,
    ],
    [
      'a name with ..',
      { intercept: (...it) => listing(200, type, listOf('refs/heads/../../config'))(...it) },
      'lists a ref with the name "refs/heads/../../config"',
    ],
    [
      'a name in .git',
      { intercept: (...it) => listing(200, type, listOf('refs/heads/x/.GIT/y'))(...it) },
      "which git doesn't allow",
    ],
    [
      'a name with control characters',
      { intercept: (...it) => listing(200, type, listOf('refs/heads/a\u001b[31m'))(...it) },
      String.raw`"refs/heads/a\\u001b\[31m"`,
    ],
    [
      'a name outside refs',
      { intercept: (...it) => listing(200, type, listOf('config'))(...it) },
      "which git doesn't allow",
    ],
  ])('%s', async (_what, bad, message) => {
    Object.assign(server, bad);
    const view = await openEmptyView();
    const error: unknown = await openRemoteGit(view)
      .clone(url, { directory: '/copy' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'SdkError',
      message: expect.stringMatching(new RegExp(message, 'su')),
    });
    expect(view.changeSet()).toBeNull();
  });

  it('1 000 000 refs', async () => {
    const line = frame(`${'1'.repeat(40)} refs/heads/branch-123456\n`).toString();
    const many = line.repeat(1_000_000);
    const list = listOf();
    server.intercept = listing(
      200,
      type,
      Buffer.concat([list.subarray(0, -4), Buffer.from(many), flush]),
    );
    const view = await openEmptyView();
    await expect(openRemoteGit(view).clone(url)).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('lists more branches and tags than can be taken in here'),
    });
    expect(view.changeSet()).toBeNull();
  });

  it('a server that is not there, as a page and as a server see it', async () => {
    const view = await openEmptyView();
    await expect(openRemoteGit(view).clone('http://127.0.0.1:9/a')).rejects.toThrow(
      "127.0.0.1:9 can't be reached.",
    );
    const page = createPageFetch(
      (target, { method, headers, signal }) =>
        fetch(target, { method, headers, signal, redirect: 'error' }),
      'example.com',
    );
    server.intercept = listing(301, { location: '/elsewhere' }, '');
    await expect(openRemoteGit(view, { fetch: page }).clone(url)).rejects.toThrow(
      /can't be reached from this page\..*\(CORS\).*redirect/u,
    );
    expect(view.changeSet()).toBeNull();
  });
});

it.each([200, 404])('a proxy that is not served where it should be, by %d', async (status) => {
  const fetch = createPageFetch(
    async () => new Response(html, { status, headers: { 'content-type': 'text/html' } }),
    'example.com',
  );
  const view = await openEmptyView();
  const proxy = { url: 'https://app.example.com/git-proxy?key=secret' };
  await expect(openRemoteGit(view, { fetch, proxy }).clone(url)).rejects.toThrow(
    /Or there is no git proxy at https:\/\/app\.example\.com\/git-proxy\.$/u,
  );
});

describe('a command that is stopped', () => {
  it('leaves everything as it was, at whatever it is stopped', async () => {
    const view = await openEmptyView();
    const phases: string[] = [];
    await openRemoteGit(view).clone(url, {
      directory: '/copy',
      full: true,
      onProgress: ({ phase }) => phases.push(phase),
    });
    view.rollback();
    for (const phase of new Set(phases)) {
      const controller = new AbortController();
      const onProgress = (told: { phase: string }) => {
        if (told.phase === phase) controller.abort();
      };
      const { signal } = controller;
      const cloning = openRemoteGit(view).clone(url, {
        directory: '/copy',
        full: true,
        signal,
        onProgress,
      });
      await expect(cloning).rejects.toMatchObject({ code: 'aborted' });
      expect(view.changeSet()).toBeNull();
    }
  });
});
