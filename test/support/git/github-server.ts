// The part of GitHub's REST API about pull requests, on loopback: etags, pages, checks, limits. Tests control what
// happens.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAll } from './git-server.ts';

type Item = Record<string, unknown> & { readonly id: number };

/** The state of the server's one pull request, `ann/tides#7`. Tests change it like people. */
export interface PullRequestState {
  pull: Record<string, unknown>;
  comments: Item[];
  reviewComments: Item[];
  reviews: Item[];
  checkRuns: Item[];
}

export interface GitHubServer extends AsyncDisposable {
  /** The API's address. */
  readonly url: string;
  readonly state: PullRequestState;
  /** `GET /repos/…  304`, in order. */
  readonly answers: string[];
  /** Bodies of pull requests that were made. */
  readonly made: Record<string, unknown>[];
  /** The accepted token. Undefined: no token is needed. */
  token: string | undefined;
  /** Sent with each answer, in seconds. */
  pollInterval: number | undefined;
  /** True: a 304 doesn't list the pages. */
  hasBareRepeats: boolean;
  /** Answers in the server's place, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const comment = (id: number, body: string, login = 'bob') => ({
  id,
  body,
  user: { login },
  html_url: `https://github.com/ann/tides/pull/7#issuecomment-${id}`,
});

export const check = (id: number, name: string, status = 'completed', conclusion = 'success') => ({
  id,
  name,
  status,
  conclusion: status === 'completed' ? conclusion : null,
  app: { name: 'CI' },
  html_url: `https://github.com/ann/tides/runs/${id}`,
});

export async function startGitHubServer(): Promise<GitHubServer> {
  const state: PullRequestState = {
    pull: { number: 7, title: 'Round down', state: 'open', merged: false, head: { sha: 'aaa' } },
    comments: [],
    reviewComments: [],
    reviews: [],
    checkRuns: [],
  };
  const answers: string[] = [];
  const made: Record<string, unknown>[] = [];
  const below = '/repos/ann/tides';
  const listed = new Map<string, () => Item[]>([
    [`${below}/issues/7/comments`, () => state.comments],
    [`${below}/pulls/7/comments`, () => state.reviewComments],
    [`${below}/pulls/7/reviews`, () => state.reviews],
  ]);

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    value: unknown,
    status = 200,
  ) {
    const body = JSON.stringify(value);
    const etag = `"${createHash('sha1').update(body).digest('hex')}"`;
    const isSame = status === 200 && request.headers['if-none-match'] === etag;
    if (github.pollInterval !== undefined) {
      response.setHeader('x-poll-interval', String(github.pollInterval));
    }
    response.setHeader('etag', etag);
    if (isSame && github.hasBareRepeats) response.removeHeader('link');
    answers.push(`${request.method} ${request.url} ${isSame ? 304 : status}`);
    response.writeHead(isSame ? 304 : status).end(isSame ? undefined : body);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { authorization } = request.headers;
    if (github.token !== undefined && authorization !== `Bearer ${github.token}`) {
      return answer(request, response, { message: `Bad credentials: ${authorization}` }, 401);
    }
    if (request.method === 'POST' && url.pathname === `${below}/pulls`) {
      const body = JSON.parse((await readAll(request)).toString()) as Record<string, unknown>;
      if (made.some(({ head }) => head === body['head'])) {
        const errors = [
          { message: `A pull request already exists for ann:${String(body['head'])}.` },
        ];
        return answer(request, response, { message: 'Validation Failed', errors }, 422);
      }
      made.push(body);
      const html_url = 'https://github.com/ann/tides/pull/8';
      return answer(request, response, { number: 8, html_url }, 201);
    }
    const list = listed.get(url.pathname);
    if (list) {
      const size = Number(url.searchParams.get('per_page') ?? '30');
      const page = Number(url.searchParams.get('page') ?? '1');
      const pages = Math.max(1, Math.ceil(list().length / size));
      const link = (to: number, rel: string) =>
        `<http://localhost${url.pathname}?per_page=${size}&page=${to}>; rel="${rel}"`;
      if (page < pages)
        response.setHeader('link', `${link(page + 1, 'next')}, ${link(pages, 'last')}`);
      return answer(request, response, list().slice((page - 1) * size, page * size));
    }
    if (url.pathname === `${below}/pulls/7`) return answer(request, response, state.pull);
    if (url.pathname === below) return answer(request, response, { default_branch: 'main' });
    const { sha } = state.pull['head'] as { sha: string };
    if (url.pathname === `${below}/commits/${sha}/check-runs`) {
      return answer(request, response, { total_count: 1, check_runs: state.checkRuns });
    }
    answer(request, response, { message: 'Not Found' }, 404);
  }

  const server = createServer((request, response) => {
    if (github.intercept?.(request, response)) return;
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const github: GitHubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    answers,
    made,
    token: undefined,
    pollInterval: undefined,
    hasBareRepeats: false,
    intercept: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return github;
}
