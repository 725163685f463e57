// Lists the conversations of the project that this browser has, and those that only its cloud has.
import { getSessionInfo } from 'rockpool/browser';
import type { BrowserHost, SDKSessionInfo } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import type { ConversationActivity } from '../sessions/open-conversations.ts';
import type { Cloud, CloudSession } from './cloud.ts';
import type { Place } from './find-conversation.ts';

export interface ListedConversation extends Pick<
  SDKSessionInfo,
  'sessionId' | 'summary' | 'lastModified' | 'problem'
> {
  readonly place: Place;
  /** The activity that the cloud reports; `idle` for one that runs here. */
  readonly activity: ConversationActivity;
  readonly isKeptHere: boolean;
  readonly isKeptInCloud: boolean;
}

const halfDeleted = 'Not deleted completely: delete it again.';

export interface ListPlaces {
  readonly host: BrowserHost;
  readonly cloud: Cloud | null;
  /** How many of this browser's conversations were listed at most. */
  readonly limit: number;
}

/**
 * This browser's conversations and the cloud's, the newest first. `cloudProblem`: why the cloud's are missing; empty
 * if they aren't.
 */
export async function addCloudOnes(
  kept: readonly SDKSessionInfo[],
  { host, cloud, limit }: ListPlaces,
): Promise<{ readonly sessions: readonly ListedConversation[]; readonly cloudProblem: string }> {
  let cloudProblem = '';
  const there = await (cloud?.list() ?? Promise.resolve([])).catch(
    (error: unknown): readonly CloudSession[] => {
      cloudProblem = messageOf(error);
      return [];
    },
  );
  const byId = new Map(there.map((session) => [session.id, session]));
  const here = kept.map((info): ListedConversation => {
    const inCloud = byId.get(info.sessionId);
    const isAway = info.movedAway !== undefined;
    byId.delete(info.sessionId);
    return {
      ...info,
      lastModified: isAway ? (inCloud?.updatedAt ?? info.lastModified) : info.lastModified,
      place: isAway ? 'cloud' : 'tab',
      activity: isAway && inCloud ? toActivity(inCloud) : 'idle',
      isKeptHere: true,
      isKeptInCloud: inCloud !== undefined,
      ...(inCloud?.isHalfDeleted && { problem: halfDeleted }),
    };
  });
  // The limit may also leave out some of this browser's conversations.
  if (kept.length >= limit) {
    for (const id of byId.keys()) if (await getSessionInfo(id, { host })) byId.delete(id);
  }
  const onlyThere = [...byId.values()].map((session): ListedConversation => ({
    sessionId: session.id,
    summary: session.title,
    lastModified: session.updatedAt,
    place: 'cloud',
    activity: toActivity(session),
    isKeptHere: false,
    isKeptInCloud: true,
    ...(session.isHalfDeleted && { problem: halfDeleted }),
  }));
  const sessions = [...here, ...onlyThere].toSorted(
    (one, other) => other.lastModified - one.lastModified,
  );
  return { sessions, cloudProblem };
}

function toActivity({ isAsking, isRunning }: CloudSession): ConversationActivity {
  if (isAsking) return 'asking';
  return isRunning ? 'working' : 'idle';
}
