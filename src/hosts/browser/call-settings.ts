// What a session's calls have in common crosses to a tool worker once, ahead of the first of them: it
// is the larger part of a request, and a worker took longer to receive it than to open the call's view.
import { isSameData } from '../../core/same-data.ts';
import type { WorkRequest } from '../../core/ports.ts';

/** Counts for every call that is started after it, until others come. */
export type CallSettings = Pick<
  WorkRequest,
  'sessionId' | 'access' | 'cwd' | 'limits' | 'network' | 'tools'
>;

/** What is a call's own. */
export type OwnRequest = Omit<WorkRequest, keyof CallSettings>;

/** Inverse: {@link joinRequest}. */
export function splitRequest(request: WorkRequest): { settings: CallSettings; own: OwnRequest } {
  const { sessionId, access, cwd, limits, network, tools, ...own } = request;
  const settings: CallSettings = {
    sessionId,
    access,
    cwd,
    limits,
    ...(network && { network }),
    ...(tools && { tools }),
  };
  return { settings, own };
}

/** Inverse: {@link splitRequest}. */
export function joinRequest(settings: CallSettings, own: OwnRequest): WorkRequest {
  return { ...own, ...settings };
}

/** What one worker was told last. */
export class SentSettings {
  #sent: CallSettings | undefined;

  /** Must these be said before a call that has them? From here on they count as said. */
  isNews(settings: CallSettings): boolean {
    const isKnown = this.#sent !== undefined && isSameData(settings, this.#sent);
    this.#sent = settings;
    return !isKnown;
  }
}
