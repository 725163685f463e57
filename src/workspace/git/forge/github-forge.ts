// GitHub as a forge, through its REST API: polls changes of a pull request by etags, and opens pull
// requests. A host passes it as `options.forge`.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { SdkError } from '../../../core/errors.ts';
import type { FetchPort } from '../../../core/host-ports/fetch-port.ts';
import type {
  Forge,
  ForgeEvent,
  ForgePoll,
  PullRequestName,
} from '../../../core/host-ports/forge.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { GitCredentialSource } from '../remote/network.ts';
import { GitHubRequests } from './github-requests.ts';

/** How GitHub is reached, and with which credentials. */
export interface GitHubForgeOptions {
  /** May refuse any request. Requests go to `api` only, and redirects aren't followed. */
  readonly fetch: FetchPort;
  /**
   * Asked at each poll for `github.com`, or for the host of `api`. Left out: only public data is
   * read.
   */
  readonly credentials?: GitCredentialSource;
  /** @defaultValue `https://api.github.com` */
  readonly api?: string;
}

type Item = Readonly<Record<string, unknown>>;

/** The state of a page at its last reading. */
interface PageCursor {
  readonly page: number;
  readonly etag?: string | undefined;
  readonly count: number;
  /**
   * The ids of the listed items. A review that isn't submitted yet is left out, so that it is
   * reported once it is.
   */
  readonly ids: readonly number[];
}

/**
 * The last two pages of a list that begins with its oldest items. The greatest id isn't enough: a
 * review gets its id when it is started, but is listed when it is submitted.
 */
interface ListCursor {
  readonly pages: readonly PageCursor[];
}

type Cursor = {
  readonly pull: {
    readonly etag?: string | undefined;
    readonly title: string;
    readonly state: ForgePoll['state'];
    readonly head: string;
  };
  readonly lists: Readonly<Record<string, ListCursor>>;
  readonly checks: {
    readonly etag?: string | undefined;
    readonly head: string;
    readonly done: readonly string[];
  };
};

/** The lists of a pull request: their paths below the repository, and how an item is read. */
const lists: Readonly<
  Record<
    string,
    { path(number: number): string; toEvent(item: Item): Omit<ForgeEvent, 'id'> | null }
  >
> = {
  comment: {
    path: (number) => `/issues/${number}/comments`,
    toEvent: (item) => ({ kind: 'comment', ...authorOf(item), text: textOf(item['body']) }),
  },
  reviewComment: {
    path: (number) => `/pulls/${number}/comments`,
    toEvent(item) {
      const line = item['line'] ?? item['original_line'];
      const place = `${textOf(item['path'])}${typeof line === 'number' ? `:${line}` : ''}`;
      return { kind: 'comment', ...authorOf(item), text: `${place}\n${textOf(item['body'])}` };
    },
  },
  review: {
    path: (number) => `/pulls/${number}/reviews`,
    toEvent(item) {
      const state = textOf(item['state']).toLowerCase().replaceAll('_', ' ');
      const body = textOf(item['body']);
      // A review with only comments isn't reported, because each comment is.
      if (state === 'commented' && body === '') return null;
      return { kind: 'review', ...authorOf(item), text: body === '' ? state : `${state}\n${body}` };
    },
  },
};

// 10: a thousand new comments between two polls. The rest comes with the next poll.
const maxPages = 10;
const perPage = 100;

/**
 * Sends no request before it is used. @throws SdkError `bad-usage` for an invalid address of an API
 */
export function createGitHubForge(options: GitHubForgeOptions): Forge {
  checkOptionNames('createGitHubForge', options, knownOptions);
  const api = checkApi(options.api ?? 'https://api.github.com');
  const { fetch, credentials } = options;
  const open = (signal: AbortSignal) => new GitHubRequests({ fetch, credentials, api, signal });
  return {
    async poll(name, { cursor, signal }) {
      const path = toPath(name.repository);
      const requests = open(signal);
      // The cast is safe: it is the cursor that an earlier poll returned.
      const before = cursor as Cursor | undefined;
      const pull = await pollPull(requests, path, name, before?.pull);
      const events: ForgeEvent[] = [];
      const listed: Record<string, ListCursor> = {};
      for (const [key, { path: listPath, toEvent }] of Object.entries(lists)) {
        // A cursor of an older version has less data, so existing items are counted again.
        const known = before?.lists[key]?.pages ? before.lists[key] : undefined;
        const list = await pollList(requests, `${path}${listPath(name.number)}`, known);
        listed[key] = list.cursor;
        for (const item of list.items) {
          const event = known && toEvent(item);
          if (event) events.push({ id: `${key}-${String(item['id'])}`, ...event });
        }
      }
      const checks = await pollChecks(requests, path, pull.head, before?.checks);
      if (before) events.push(...checks.events);
      if (before && before.pull.state !== pull.state) {
        const text = `The pull request is ${pull.state} now.`;
        events.push({
          id: `state-${pull.state}-${pull.head}`,
          kind: 'state',
          author: 'GitHub',
          text,
        });
      }
      const next: Cursor = { pull, lists: listed, checks: checks.cursor };
      return {
        title: pull.title,
        state: pull.state,
        counts: {
          comments: countOf(listed['comment']) + countOf(listed['reviewComment']),
          reviews: countOf(listed['review']),
          checks: checks.cursor.done.length,
        },
        events,
        cursor: { ...next },
        waitMs: requests.waitMs,
      };
    },
    async propose({ repository, branch, base, title, body }, { signal }) {
      const path = toPath(repository);
      const requests = open(signal);
      const into = base ?? textOf(recordOf((await requests.get(path)).data)['default_branch']);
      const { data } = await requests.post(`${path}/pulls`, {
        title,
        head: branch,
        base: into,
        body,
      });
      const { number, html_url: url } = recordOf(data);
      if (typeof number !== 'number' || typeof url !== 'string') throw noPullRequest();
      return { type: 'made', number, url };
    },
  };
}

async function pollPull(
  requests: GitHubRequests,
  path: string,
  { number }: PullRequestName,
  known: Cursor['pull'] | undefined,
): Promise<Cursor['pull']> {
  const { data, etag } = await requests.get(`${path}/pulls/${number}`, known?.etag);
  if (data === undefined && known) return known;
  const { title, state, merged, head } = recordOf(data);
  const sha = recordOf(head)['sha'];
  if (typeof title !== 'string' || typeof sha !== 'string') throw noPullRequest();
  const isOpen = state === 'open';
  return { etag, title, state: isOpen ? 'open' : merged === true ? 'merged' : 'closed', head: sha };
}

/** Without a cursor, reads to the end and returns nothing, because existing items aren't new. */
async function pollList(
  requests: GitHubRequests,
  path: string,
  known: ListCursor | undefined,
): Promise<{ readonly cursor: ListCursor; readonly items: readonly Item[] }> {
  const told = new Set(known?.pages.flatMap(({ ids }) => ids));
  const oldest = known?.pages[0];
  // Items before the oldest known one were read before and forgotten. After deletions they may
  // appear again.
  const floor = oldest === undefined || oldest.page === 1 ? 0 : (oldest.ids[0] ?? 0);
  const isNews = (id: number) => id > floor && !told.has(id);
  const items: Item[] = [];
  const pages: PageCursor[] = [];
  let page = Math.max(1, (known?.pages.at(-1)?.page ?? 1) - 1);
  for (let count = 0; count < maxPages; count += 1) {
    const before = known?.pages.find((one) => one.page === page);
    const answer = await requests.get(`${path}?per_page=${perPage}&page=${page}`, before?.etag);
    let { next } = answer;
    if (answer.data === undefined && before) {
      pages.push(before);
      // An unchanged full page doesn't tell whether later pages have changed.
      if (before.count >= perPage) next ??= page + 1;
    } else {
      const listed = listOf(answer.data);
      if (listed.length === 0 && page > 1) {
        if (pages.length > 0) break;
        // Deletions have moved the remaining items to earlier pages.
        page -= 1;
        continue;
      }
      const shown = listed.filter((item) => item['state'] !== 'PENDING');
      const ids = shown.map((item) => Number(item['id']));
      items.push(...shown.filter((_, at) => isNews(ids[at] ?? 0)));
      pages.push({ page, etag: answer.etag, count: listed.length, ids });
    }
    if (next === undefined || next <= page) break;
    page = known ? next : Math.max(next, (answer.last ?? 0) - 1);
  }
  return { cursor: { pages: pages.slice(-2) }, items: known ? items : [] };
}

/** Returns the number of items, computed from the last page. */
function countOf(list: ListCursor | undefined): number {
  const last = list?.pages.at(-1);
  return last ? (last.page - 1) * perPage + last.count : 0;
}

async function pollChecks(
  requests: GitHubRequests,
  path: string,
  head: string,
  known: Cursor['checks'] | undefined,
): Promise<{ readonly cursor: Cursor['checks']; readonly events: readonly ForgeEvent[] }> {
  const isSame = known?.head === head;
  const { data, etag } = await requests.get(
    `${path}/commits/${encodeURIComponent(head)}/check-runs?per_page=${perPage}`,
    isSame ? known.etag : undefined,
  );
  if (data === undefined && isSame) return { cursor: known, events: [] };
  const runs = listOf(recordOf(data)['check_runs']).filter((run) => run['status'] === 'completed');
  const idOf = (run: Item) => `${String(run['id'])}-${textOf(run['conclusion'])}`;
  const told = new Set(isSame ? known.done : []);
  const events = runs
    .filter((run) => !told.has(idOf(run)))
    .map((run): ForgeEvent => {
      const { title } = recordOf(run['output'] ?? {});
      const more = typeof title === 'string' && title !== '' ? `\n${title}` : '';
      const text = `${textOf(run['name'])}: ${textOf(run['conclusion'])}${more}`;
      const author = textOf(recordOf(run['app'] ?? {})['name']) || 'a check';
      return { id: `check-${idOf(run)}`, kind: 'check', author, text, ...urlOf(run) };
    });
  return { cursor: { etag, head, done: runs.map(idOf) }, events };
}

function authorOf(item: Item): { author: string; url?: string } {
  return { author: textOf(recordOf(item['user'] ?? {})['login']) || 'somebody', ...urlOf(item) };
}

function urlOf(item: Item): { url?: string } {
  const url = item['html_url'];
  return typeof url === 'string' ? { url } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function recordOf(value: unknown): Item {
  if (isRecord(value)) return value;
  throw noPullRequest();
}

function listOf(value: unknown): readonly Item[] {
  if (Array.isArray(value) && value.every(isRecord)) return value;
  throw noPullRequest();
}

function noPullRequest(): SdkError {
  return new SdkError(
    'tool-failed',
    "GitHub answered with something else than what was asked for. Check the API's address.",
  );
}

/** Security: the name becomes part of a URL. @throws SdkError `invalid-input` */
function toPath(repository: string): string {
  if (/^[\w.-]+\/[\w.-]+$/u.test(repository) && !/(?:^|\/)\.{1,2}(?:\/|$)/u.test(repository)) {
    return `/repos/${repository}`;
  }
  throw new SdkError(
    'invalid-input',
    'A repository is named by its owner and its name: owner/name.',
  );
}

function checkApi(api: string): string {
  const url = URL.canParse(api) ? new URL(api) : undefined;
  const isPlain = url && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return url.href.replace(/\/+$/u, '');
  }
  throw new SdkError(
    'bad-usage',
    "api is the address of GitHub's REST API, as https://api.github.com.",
  );
}

const knownOptions = {
  fetch: true,
  credentials: true,
  api: true,
} satisfies Record<keyof GitHubForgeOptions, true>;
