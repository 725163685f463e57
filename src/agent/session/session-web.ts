// Reads web pages for a session's calls. Recent pages are cached, and redirects are followed only
// within their host. The small model's usage counts for the session. Loaded with the first call
// that reads a page.
import type { HostAccess } from '../../core/access/host-access.ts';
import { createHostJudge } from '../../core/access/network-hosts.ts';
import { textOf } from '../../core/messages/blocks.ts';
import { SdkError, ToolError } from '../../core/errors.ts';
import {
  toPageUrl,
  type CallWeb,
  type SmallModel,
  type WebPage,
  type WebPort,
} from '../../core/host-ports/web.ts';
import type { Model } from '../../model/model.ts';
import { askAside, type Account } from './ask-aside.ts';
import type { Session } from './session.ts';

// The usual limit of redirects within a site.
const maxRedirects = 10;

/** The parts of the session that reading a page uses. */
export type WebSession = Account & Pick<Session, 'pages' | 'smallModel' | 'spending'>;

/** Reads pages for one call, from the hosts that `access` allows. */
export function createCallWeb(
  session: WebSession,
  port: WebPort,
  access: HostAccess | undefined,
): CallWeb {
  const { pages, smallModel } = session;
  return {
    async read(asked, signal) {
      const first = toPageUrl(asked).href;
      const kept = pages.get(first);
      // Security: a call gets no cached page of a host that it may not reach, even if another call
      // has read the page.
      if (kept && mayReach(first, access, port)) return kept;
      const page = await readPage(port, first, access, signal);
      // A page that failed or moved isn't cached: it may be there the next time.
      if (page.code < 300) pages.set(first, page);
      return page;
    },
    ...(smallModel && { smallModel: createSmallModel(session, smallModel) }),
  };
}

function mayReach(
  url: string,
  access: HostAccess | undefined,
  { ownHosts }: Pick<WebPort, 'ownHosts'>,
): boolean {
  return (
    access !== undefined && createHostJudge(access, new Set(ownHosts))(new URL(url)) === 'allow'
  );
}

/**
 * Security: each redirect's host is checked. Permission for one host doesn't include the hosts that
 * it redirects to.
 */
async function readPage(
  port: WebPort,
  first: string,
  access: HostAccess | undefined,
  signal: AbortSignal,
): Promise<WebPage> {
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const answer = await port.get(url, access, signal);
    if (answer.location === undefined) return { ...answer, url };
    const next = toPageUrl(answer.location, url);
    if (next.host !== new URL(url).host) return { ...answer, url, movedTo: next.href };
    url = next.href;
  }
  throw new ToolError(
    `${first} redirects more than ${maxRedirects} times, and is in a circle, it seems. Look for the page elsewhere.`,
    { code: 'invalid-input', data: { url: first } },
  );
}

function createSmallModel(session: WebSession, model: Model): SmallModel {
  return {
    name: model.name,
    async ask({ system, text, maxTokens }, signal) {
      if (session.spending.isSpent()) {
        throw new SdkError('limit-exceeded', 'The budget of the session is spent (maxBudgetUsd).');
      }
      const message = await askAside(
        session,
        model,
        {
          system: [{ type: 'text', text: system }],
          messages: [{ role: 'user', content: text }],
          tools: [],
          max_tokens: maxTokens,
        },
        signal,
      );
      const answer = textOf(message?.content ?? '', '').trim();
      if (answer === '') {
        const why = message?.stop_reason === 'refusal' ? ', as it refuses' : '';
        throw new ToolError(`${model.name} gave no answer${why}. Ask it something else.`);
      }
      return { text: answer, isCut: message?.stop_reason === 'max_tokens' };
    },
  };
}
