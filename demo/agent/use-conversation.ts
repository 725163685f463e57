// The conversation that the page shows over the open project: a new one, or one that continues.
import { useCallback, useEffect, useRef, useState } from 'react';
import { getSessionInfo, getSessionMessages } from 'rockpool/browser';
import type { BrowserHost, PermissionMode } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { createCloudConversation } from '../cloud/cloud-conversation.ts';
import { findConversation } from '../cloud/find-conversation.ts';
import type { Place } from '../cloud/find-conversation.ts';
import { createOpenConversations } from '../sessions/open-conversations.ts';
import type { OpenConversations } from '../sessions/open-conversations.ts';
import type { SessionAddress } from '../sessions/session-address.ts';
import { createConversation } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { createModel } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

export interface ConversationParameters {
  readonly host: BrowserHost;
  /** The model for the shown conversation, from the next request on. */
  readonly model: ModelChoice;
  /** The mode in which a conversation begins. Later the conversation has its own mode, which tools may also set. */
  readonly permissionMode: PermissionMode;
  /** The session's id. If this browser or the cloud has the session, it continues with the stored messages. */
  readonly sessionId: string;
  readonly address: Pick<SessionAddress, 'isFresh' | 'markBegun'>;
  readonly cloud: Cloud | null;
  /** Where a new conversation begins. */
  readonly newIn: Place;
}

export type ConversationState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'ready'; readonly session: Conversation }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Returns the shown conversation, all open ones (null before the first), and a function that opens the shown one
 * again if it was closed.
 */
export function useConversation(
  parameters: ConversationParameters,
): readonly [ConversationState, OpenConversations | null, () => void] {
  const { host, model: choice, permissionMode, sessionId, address, cloud, newIn } = parameters;
  const { isFresh, markBegun } = address;
  const [state, setState] = useState<ConversationState>({ kind: 'opening' });
  const [all, setAll] = useState<OpenConversations | null>(null);
  const [opening, setOpening] = useState(0);
  const current = useRef({ choice, permissionMode, newIn });
  // This effect must come before the effects that read the value.
  useEffect(() => {
    current.current = { choice, permissionMode, newIn };
  });
  const reopen = useCallback(() => setOpening((count) => count + 1), []);

  useEffect(() => {
    const conversations = createOpenConversations();
    setAll(conversations);
    return () => conversations[Symbol.dispose]();
  }, [host]);

  useEffect(() => {
    if (!all) return;
    const found = all.find(sessionId);
    if (found) return setState({ kind: 'ready', session: found });
    let isCurrent = true;
    setState({ kind: 'opening' });
    const create = async (): Promise<() => Conversation> => {
      const given = { host, id: sessionId };
      const where = { host, cloud, newIn: current.current.newIn, isFresh: isFresh(sessionId) };
      const found = await findConversation(sessionId, where);
      if (found.place === 'cloud' && cloud) {
        const { permissionMode: mode } = current.current;
        return () =>
          createCloudConversation({
            ...given,
            ...found,
            cloud,
            permissionMode: mode,
            onBegin: () => markBegun(sessionId),
          });
      }
      const isKept = found.place === 'tab' && found.isKept;
      const kept = isKept ? await getSessionMessages(sessionId, { host }) : undefined;
      const model = await createModel(current.current.choice);
      const { permissionMode: mode } = current.current;
      return () => createConversation({ ...given, kept, model, permissionMode: mode });
    };
    const open = async () => {
      const make = await create();
      if (!isCurrent) return;
      const session = make();
      all.add(session);
      setState({ kind: 'ready', session });
      for (const { text, images } of all.left.get(sessionId) ?? []) session.send(text, images);
      all.left.delete(sessionId);
    };
    open().catch((error: unknown) => {
      if (isCurrent) setState({ kind: 'failed', message: messageOf(error) });
    });
    return () => {
      isCurrent = false;
    };
  }, [host, all, sessionId, isFresh, markBegun, cloud, opening]);

  // If another tab moves the conversation or brings it back, the page follows it to the new place.
  useEffect(() => {
    if (!all || state.kind !== 'ready') return;
    const { session } = state;
    let isOver = false;
    const look = async () => {
      if (isOver || all.moving.has(session.id) || all.find(session.id) !== session) return;
      const info = await getSessionInfo(session.id, { host });
      const isAway = info?.movedAway !== undefined;
      if (isOver || !info || isAway === (session.cloud !== null)) return;
      isOver = true;
      await all.close(session.id);
      reopen();
    };
    // If the place can't be found, the page shows the same as before.
    const lookSafely = () => void look().catch(() => undefined);
    if (!session.cloud) {
      void session.ended.then(lookSafely);
      return () => void (isOver = true);
    }
    // The conversation may have been brought back while another one was shown.
    lookSafely();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const following = host.workspace.streams.onAppend(
      () => {
        clearTimeout(timer);
        timer = setTimeout(lookSafely, 200);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
      following[Symbol.dispose]();
    };
  }, [host, all, state, reopen]);

  // The conversation continues with another model, or with another key.
  useEffect(() => {
    // By choosing another model the person may have begun another conversation.
    if (state.kind !== 'ready' || state.session.id !== sessionId) return;
    let isCurrent = true;
    createModel(choice).then(
      (model) => {
        if (isCurrent) state.session.setModel(model);
      },
      (error: unknown) => {
        if (isCurrent) setState({ kind: 'failed', message: messageOf(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [state, choice, sessionId]);

  return [toShown(state, sessionId, all), all, reopen];
}

/**
 * The conversation to show. Never the one before, because a prompt that is typed at once would go to it, or be lost
 * with it.
 */
function toShown(
  state: ConversationState,
  sessionId: string,
  all: OpenConversations | null,
): ConversationState {
  if (state.kind !== 'ready' || state.session.id === sessionId) return state;
  const session = all?.find(sessionId);
  return session ? { kind: 'ready', session } : { kind: 'opening' };
}
