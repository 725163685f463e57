// Caches the web pages that a session has read, for 15 minutes.
import type { Clock } from '../../core/tool/ports.ts';
import { pageFreshMinutes } from '../../core/host-ports/web.ts';
import type { WebPage } from '../../core/host-ports/web.ts';

/**
 * The cached pages, for all agents of the session. They are in memory only, so a reload of the page
 * empties the cache.
 */
export interface PageCache {
  get(url: string): WebPage | undefined;
  set(url: string, page: WebPage): void;
}

const freshMs = pageFreshMinutes * 60_000;
// 4 million characters in all. The newest page is kept even if it is longer.
const maxKeptChars = 4_000_000;

export function createPageCache(clock: Clock): PageCache {
  const pages = new Map<string, { readonly page: WebPage; readonly readAt: number }>();
  const length = ({ page }: { readonly page: WebPage }) => page.text?.length ?? 0;
  return {
    get(url) {
      const kept = pages.get(url);
      if (kept && clock.now() - kept.readAt < freshMs) return kept.page;
      pages.delete(url);
      return undefined;
    },
    set(url, page) {
      pages.delete(url);
      pages.set(url, { page, readAt: clock.now() });
      let chars = [...pages.values()].reduce((sum, kept) => sum + length(kept), 0);
      for (const [oldest, kept] of pages) {
        if (chars <= maxKeptChars || oldest === url) break;
        pages.delete(oldest);
        chars -= length(kept);
      }
    },
  };
}
