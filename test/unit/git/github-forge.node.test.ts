// GitHub as a forge: what a poll finds, how little it asks for, and what it says of a server that refuses or lies.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import type { ForgePoll } from '../../../src/core/host-ports/forge.ts';
import { createGitHubForge } from '../../../src/workspace/git/forge/github-forge.ts';
import type { GitCredentials } from '../../../src/workspace/git/remote/network.ts';
import {
  check,
  comment,
  startGitHubServer,
  type GitHubServer,
} from '../../support/git/github-server.ts';

let server: GitHubServer;

beforeEach(async () => {
  server = await startGitHubServer();
});

afterEach(() => server[Symbol.asyncDispose]());

const name = { repository: 'ann/tides', number: 7 };
const { signal } = new AbortController();
const secret = 'a-token-of-mine';

function open(...given: readonly (GitCredentials | undefined)[]) {
  const asked: string[] = [];
  const forge = createGitHubForge({
    api: server.url,
    fetch: createServerFetch((url, init) => fetch(url, init)),
    ...(given.length > 0 && {
      credentials: {
        credentials: (host) => Promise.resolve(given[Math.min(asked.push(host), given.length) - 1]),
      },
    }),
  });
  return { forge, asked };
}

const poll = (after?: ForgePoll, { forge } = open()) =>
  forge.poll(name, { signal, ...(after && { cursor: after.cursor }) });

describe('a poll of a pull request', () => {
  it('counts what is there at first, then tells each comment, review and check once', async () => {
    server.state.comments.push(comment(1, 'old'));
    server.state.checkRuns.push(check(1, 'lint'), check(2, 'test', 'in_progress'));
    const first = await poll();
    expect(first).toMatchObject({
      title: 'Round down',
      state: 'open',
      counts: { comments: 1, reviews: 0, checks: 1 },
      events: [],
      waitMs: 60_000,
    });
    server.state.comments.push(comment(3, 'Why down?'));
    server.state.reviewComments.push({ ...comment(4, 'Typo.'), path: 'a.ts', line: 12 } as never);
    server.state.reviews.push(
      { ...comment(5, 'Please mend.', 'eve'), state: 'CHANGES_REQUESTED' } as never,
      { ...comment(6, ''), state: 'COMMENTED' } as never,
    );
    server.state.checkRuns[1] = check(2, 'test', 'completed', 'failure');
    const second = await poll(first);
    expect(second.events.map(({ id, kind, author, text }) => [id, kind, author, text])).toEqual([
      ['comment-3', 'comment', 'bob', 'Why down?'],
      ['reviewComment-4', 'comment', 'bob', 'a.ts:12\nTypo.'],
      ['review-5', 'review', 'eve', 'changes requested\nPlease mend.'],
      ['check-2-failure', 'check', 'CI', 'test: failure'],
    ]);
    server.state.pull = { ...server.state.pull, state: 'closed', merged: true };
    const third = await poll(second);
    expect(third.events.map(({ text }) => text)).toEqual(['The pull request is merged now.']);
    expect(third.state).toBe('merged');
  });

  it('asks by etags: where nothing changed each answer is a 304, and the cursor is the same', async () => {
    const first = await poll();
    server.answers.length = 0;
    const second = await poll(first);
    expect(server.answers.map((line) => line.slice(-3))).toEqual(
      Array.from({ length: 5 }, () => '304'),
    );
    expect(second.cursor).toEqual(first.cursor);
    server.pollInterval = 300;
    expect((await poll(second)).waitMs).toBe(300_000);
  });

  it('goes on at the last of many pages, also where earlier comments were deleted', async () => {
    server.state.comments = Array.from({ length: 250 }, (_, at) => comment(at + 1, `${at + 1}`));
    const first = await poll();
    expect(first.counts.comments).toBe(250);
    server.state.comments.push(...Array.from({ length: 120 }, (_, at) => comment(at + 300, 'new')));
    const second = await poll(first);
    expect(second.events).toHaveLength(120);
    server.state.comments = [...server.state.comments.slice(200), comment(900, 'last')];
    const third = await poll(second);
    expect(third.events.map(({ id }) => id)).toEqual(['comment-900']);
  });

  it('tells a review by when it is submitted: its id is from when it was begun', async () => {
    const review = (id: number, state: string, login: string) =>
      ({ ...comment(id, state, login), state }) as never;
    const nit = (id: number) => ({ ...comment(id, `${id}`), path: 'a.ts', line: 1 }) as never;
    const own = review(150, 'PENDING', 'me');
    server.state.reviews.push(own, review(201, 'COMMENTED', 'bot'));
    server.state.reviewComments.push(nit(110));
    const first = await poll();
    server.state.reviews = [
      review(150, 'APPROVED', 'me'),
      review(200, 'CHANGES_REQUESTED', 'ann'),
      review(201, 'COMMENTED', 'bot'),
    ];
    server.state.reviewComments = [nit(100), nit(110)];
    const second = await poll(first);
    const found = second.events.map(({ id }) => id);
    expect(found).toEqual(['reviewComment-100', 'review-150', 'review-200']);
    expect((await poll(second)).events).toEqual([]);
  });

  it('looks at the last two of many pages, and takes nothing for new that deletions moved there', async () => {
    const numbered = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => comment(from + at, 'old'));
    server.state.reviewComments = numbered(1, 401);
    const first = await poll();
    server.state.reviewComments.splice(260, 0, comment(1000, 'late'));
    const second = await poll(first);
    expect(second.events.map(({ id }) => id)).toEqual(['reviewComment-1000']);
    server.state.reviewComments = numbered(1, 250);
    const third = await poll(second);
    expect([third.events, third.counts.comments]).toEqual([[], 249]);
    server.state.reviewComments.push(comment(1001, 'last'));
    const fourth = await poll(third);
    expect(fourth.events.map(({ id }) => id)).toEqual(['reviewComment-1001']);
  });

  it('goes on behind a full page that stays the same', async () => {
    server.state.comments = Array.from({ length: 100 }, (_, at) => comment(at + 1, 'old'));
    server.hasBareRepeats = true;
    const first = await poll();
    server.state.comments.push(comment(101, 'next'));
    expect((await poll(first)).events.map(({ id }) => id)).toEqual(['comment-101']);
  });

  it('asks for credentials anew where they have run out, and shows them to nobody', async () => {
    server.token = secret;
    const renewing = open({ token: 'old' }, { token: secret });
    expect((await poll(undefined, renewing)).state).toBe('open');
    expect(renewing.asked).toHaveLength(2);
    const texts: string[] = [];
    for (const given of [[], [undefined], [{ token: 'wrong' }], [{ token: 'a\r\nb' }]]) {
      const error = (await poll(undefined, open(...given)).catch(
        (thrown: unknown) => thrown,
      )) as Error;
      expect(error).toMatchObject({ code: 'permission-denied' });
      texts.push(JSON.stringify(error) + error.message);
    }
    expect(texts.join('\n')).not.toMatch(/wrong.{0,9}token|Bearer|a-token/u);
    expect(texts.join('\n')).toContain('they are wrong or have run out. Renew them.');
  });
});

describe('a forge that refuses or fails', () => {
  const respond =
    (status: number, headers: Record<string, string>, body = '') =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end(body);
  const date = 'Mon, 23 Nov 2026 12:00:00 GMT';
  const reset = String(Date.parse(date) / 1000 + 90);

  it.each<[string, (response: ServerResponse) => void, object]>([
    [
      'a limit with Retry-After',
      respond(429, { 'retry-after': '30' }),
      { code: 'limit-exceeded', data: { retryAfterMs: 30_000 } },
    ],
    [
      'a second limit',
      respond(403, { 'retry-after': '120' }),
      { code: 'limit-exceeded', data: { retryAfterMs: 120_000 } },
    ],
    [
      'a spent limit',
      respond(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date }),
      { code: 'limit-exceeded', data: { retryAfterMs: 90_000 } },
    ],
    [
      'no right',
      respond(403, { 'x-ratelimit-remaining': '9' }),
      { code: 'permission-denied', message: expect.stringContaining('(403)') },
    ],
    [
      'nothing there',
      respond(404, {}, '{"message":"secret"}'),
      { code: 'ENOENT', message: expect.not.stringContaining('secret') },
    ],
    [
      'malformed JSON',
      respond(200, {}, '{"title":'),
      { code: 'tool-failed', message: expect.stringContaining('no JSON') },
    ],
    [
      'HTML',
      respond(200, { 'content-type': 'text/html' }, '<html>'),
      { code: 'tool-failed', message: expect.stringContaining('no JSON') },
    ],
    [
      'JSON of something else',
      respond(200, {}, '[1, 2]'),
      { code: 'tool-failed', message: expect.stringContaining('something else') },
    ],
    [
      'a redirect',
      respond(301, { location: 'https://elsewhere.example/x' }),
      { code: 'tool-failed', message: expect.stringContaining('redirect') },
    ],
    [
      'a failure',
      respond(502, {}),
      { code: 'tool-failed', message: expect.stringContaining('(502)') },
    ],
    [
      'a connection that breaks',
      (response) => void response.destroy(),
      { code: 'tool-failed', message: expect.stringContaining("can't be reached") },
    ],
  ])('%s is a sentence', async (_, answer, expected) => {
    server.intercept = (_request, response) => {
      answer(response);
      return true;
    };
    const error: unknown = await poll().catch((thrown: unknown) => thrown);
    const { data, ...rest } = expected as { data?: object };
    expect(error).toMatchObject({
      name: 'SdkError',
      ...rest,
      ...(data && { data: expect.objectContaining(data) }),
    });
  });

  it('is left at once when the poll is aborted', async () => {
    const controller = new AbortController();
    server.intercept = () => {
      controller.abort();
      return true;
    };
    await expect(open().forge.poll(name, { signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it.each(['ann', 'ann/../x', '../x', 'a/b/c', 'a b/c', ''])(
    'takes no repository %j',
    async (repository) => {
      await expect(open().forge.poll({ repository, number: 1 }, { signal })).rejects.toMatchObject({
        code: 'invalid-input',
      });
      expect(server.answers).toEqual([]);
    },
  );
});

describe('a proposal', () => {
  const proposal = {
    repository: 'ann/tides',
    branch: 'down',
    title: 'Round',
    body: 'Why',
    diff: '',
  };

  it('is made against the usual branch, and refused in the words of the forge', async () => {
    server.token = secret;
    const { forge } = open({ token: secret });
    expect(await forge.propose(proposal, { signal })).toEqual({
      type: 'made',
      number: 8,
      url: 'https://github.com/ann/tides/pull/8',
    });
    expect(server.made).toEqual([{ title: 'Round', head: 'down', base: 'main', body: 'Why' }]);
    await expect(forge.propose({ ...proposal, base: 'next' }, { signal })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(
        'Validation Failed; A pull request already exists for ann:down.',
      ),
    });
  });
});
