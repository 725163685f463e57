// Finds out where a conversation runs: in this browser, or in the cloud. Called each time that one is opened.
import { getSessionInfo } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';
import type { Cloud } from './cloud.ts';

/** Where conversations run. */
export type Place = 'tab' | 'cloud';

/** The place for new conversations that was chosen last. */
export function readNewIn(cloud: Cloud | null): Place {
  return cloud && readSetting('begins-in') !== 'tab' ? 'cloud' : 'tab';
}

export function rememberNewIn(place: Place): void {
  writeSetting('begins-in', place);
}

export type FoundConversation =
  /** `isKept`: the browser has messages of it. */
  | { readonly place: 'tab'; readonly isKept: boolean }
  | { readonly place: 'cloud'; readonly url: string; readonly isNew: boolean };

export interface FindConversationOptions {
  readonly host: BrowserHost;
  readonly cloud: Cloud | null;
  /** Where a new conversation begins. */
  readonly newIn: Place;
  /** True if this page has created the id, so that no other client knows it. */
  readonly isFresh: boolean;
}

/** Finds the place, and settles a move that was cut. Rejects with a sentence if the place can't be found out. */
export async function findConversation(
  id: string,
  { host, cloud, newIn, isFresh }: FindConversationOptions,
): Promise<FoundConversation> {
  const info = await getSessionInfo(id, { host });
  if (info && info.movedAway === undefined) return { place: 'tab', isKept: true };
  if (info) {
    const url = await settle(id, host, cloud);
    return url === undefined
      ? { place: 'tab', isKept: true }
      : { place: 'cloud', url, isNew: false };
  }
  if (!cloud) return { place: 'tab', isKept: false };
  const url = cloud.toUrl(id);
  const isThere = !isFresh && (await cloud.list()).some((session) => session.id === id);
  if (isThere) return { place: 'cloud', url, isNew: false };
  return newIn === 'cloud' ? { place: 'cloud', url, isNew: true } : { place: 'tab', isKept: false };
}

/** The conversation's address. Undefined: it is in this browser. */
async function settle(
  id: string,
  host: BrowserHost,
  cloud: Cloud | null,
): Promise<string | undefined> {
  // A tab that is moving the conversation handles the end of the move itself.
  const lease = await host.tabs?.hold(id, new AbortController().signal);
  lease?.[Symbol.dispose]();
  const { settleMove } = await import('rockpool/wire');
  const { isHere, url } = await settleMove(id, {
    host,
    ticket: (address) => needCloud(cloud, address).ticket(address),
  });
  if (isHere) return undefined;
  needCloud(cloud, url);
  return url;
}

function needCloud(cloud: Cloud | null, url: string | undefined): Cloud {
  if (cloud && url !== undefined && cloud.isOwnUrl(url)) return cloud;
  throw new Error(
    `This conversation was moved, and runs ${url === undefined ? 'elsewhere' : `at ${url}`}. This page doesn’t know that place: open the page that it was moved from, with its cloud (npm start -- --edge).`,
  );
}
