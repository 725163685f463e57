// The conversation that the page shows, over the open project: begun, or gone on with.
import { useEffect, useRef, useState } from 'react';
import { getSessionInfo, getSessionMessages } from 'rockpool/browser';
import type { BrowserHost, PermissionMode } from 'rockpool/browser';
import { createOpenConversations } from '../sessions/open-conversations.ts';
import type { OpenConversations } from '../sessions/open-conversations.ts';
import { createConversation } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { createModel } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

export interface ConversationParameters {
  readonly host: BrowserHost;
  /** Holds for the conversation that is shown, from the next request on. */
  readonly model: ModelChoice;
  /** In which a conversation begins. Later its own mode holds, which tools may set, too. */
  readonly permissionMode: PermissionMode;
  /** Of one that this browser keeps it goes on with what was said. */
  readonly sessionId: string;
}

export type ConversationState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'ready'; readonly session: Conversation }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * And all that are open, for as long as the project is; null before the first. The last one opens it anew, where it
 * was closed.
 */
export function useConversation(
  parameters: ConversationParameters,
): readonly [ConversationState, OpenConversations | null, () => void] {
  const { host, model: choice, permissionMode, sessionId } = parameters;
  const [state, setState] = useState<ConversationState>({ kind: 'opening' });
  const [all, setAll] = useState<OpenConversations | null>(null);
  const [opening, setOpening] = useState(0);
  const current = useRef({ choice, permissionMode });
  // Before the effects that read it.
  useEffect(() => {
    current.current = { choice, permissionMode };
  });

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
    const open = async () => {
      const isKept = (await getSessionInfo(sessionId, { host })) !== undefined;
      const kept = isKept ? await getSessionMessages(sessionId, { host }) : undefined;
      const model = await createModel(current.current.choice);
      if (!isCurrent) return;
      const mode = current.current.permissionMode;
      const session = createConversation({
        host,
        id: sessionId,
        kept,
        model,
        permissionMode: mode,
      });
      all.add(session);
      setState({ kind: 'ready', session });
    };
    open().catch((error: unknown) => {
      if (isCurrent) setState({ kind: 'failed', message: toMessage(error) });
    });
    return () => {
      isCurrent = false;
    };
  }, [host, all, sessionId, opening]);

  // Another model, or the same with another key: the conversation goes on with it.
  useEffect(() => {
    // Whoever chooses another model may have begun another conversation with it.
    if (state.kind !== 'ready' || state.session.id !== sessionId) return;
    let isCurrent = true;
    createModel(choice).then(
      (model) => {
        if (isCurrent) state.session.setModel(model);
      },
      (error: unknown) => {
        if (isCurrent) setState({ kind: 'failed', message: toMessage(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [state, choice, sessionId]);

  return [state, all, () => setOpening((count) => count + 1)];
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
