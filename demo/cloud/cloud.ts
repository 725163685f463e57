// The cloud in which the page's conversations can continue: the Worker of demo/edge, on the page's own origin. The
// page has a cloud if a `<meta name="cloud">` names it; `npm start -- --edge` adds that.
import type { DirectoryEntry } from 'rockpool/edge';

/** The page's requests to its cloud. All methods reject with a sentence. */
export interface Cloud {
  /** The cloud's conversations, newest first, including those that were brought back. */
  list(): Promise<readonly CloudSession[]>;
  /** Creates the place for a conversation with that id, if there is none yet. */
  add(id: string, title: string): Promise<void>;
  /** Removes a conversation with its messages and files. */
  remove(id: string): Promise<void>;
  /** The address of a conversation's wire. */
  toUrl(id: string): string;
  isOwnUrl(url: string): boolean;
  ticket(url: string): Promise<string>;
}

export type CloudSession = Pick<
  DirectoryEntry,
  'id' | 'title' | 'updatedAt' | 'isRunning' | 'isAsking' | 'isHalfDeleted'
>;

/** Null if the page has no cloud. */
export function findCloud(): Cloud | null {
  const named = document.querySelector<HTMLMetaElement>('meta[name="cloud"]')?.content;
  return named === undefined ? null : createCloud(new URL(named, location.href).href);
}

function createCloud(base: string): Cloud {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(base + path, init).catch(() => {
      throw new Error('The cloud can’t be reached from here. Try again in a moment.');
    });
    if (answer.ok) return answer;
    const reason = (await answer.text()).trim();
    throw new Error(reason === '' ? `The cloud answered ${answer.status}.` : reason);
  };
  return {
    async list() {
      return (await ask('', { method: 'GET' })).json() as Promise<readonly CloudSession[]>;
    },
    async add(id, title) {
      const [line = ''] = title.trim().split('\n');
      await ask(`/${id}`, { method: 'PUT', body: line });
    },
    async remove(id) {
      await ask(`/${id}`, { method: 'DELETE' });
    },
    toUrl: (id) => `${base}/${id}/wire`,
    isOwnUrl: (url) => url.startsWith(`${base}/`),
    async ticket(url) {
      const { fetchTicket } = await import('rockpool/wire');
      return fetchTicket(url);
    },
  };
}
