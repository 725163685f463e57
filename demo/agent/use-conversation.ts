// The conversation over the open project, made anew when the project changes or a new one is begun.
import { useEffect, useRef, useState } from 'react';
import type { BrowserHost, PermissionMode } from 'rockpool/browser';
import { createConversation } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { createModel } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

export interface ConversationParameters {
  readonly host: BrowserHost;
  /** Another one holds from the next request on; for a new conversation the number changes too. */
  readonly model: ModelChoice;
  readonly permissionMode: PermissionMode;
  /** Another number is another conversation. */
  readonly conversation: number;
}

export type ConversationState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly session: Conversation; readonly model: ModelChoice }
  | { readonly kind: 'failed'; readonly message: string };

export function useConversation(parameters: ConversationParameters): ConversationState {
  const { host, model: choice, permissionMode, conversation } = parameters;
  const [state, setState] = useState<ConversationState>({ kind: 'starting' });
  const current = useRef({ choice, permissionMode });
  // Before the effects that read it.
  useEffect(() => {
    current.current = { choice, permissionMode };
  });

  useEffect(() => {
    let session: Conversation | undefined;
    let isCurrent = true;
    const { choice: model } = current.current;
    setState({ kind: 'starting' });
    createModel(model).then(
      (made) => {
        if (!isCurrent) return;
        const mode = current.current.permissionMode;
        session = createConversation({ host, model: made, permissionMode: mode });
        setState({ kind: 'ready', session, model });
      },
      (error: unknown) => {
        if (isCurrent) setState({ kind: 'failed', message: toMessage(error) });
      },
    );
    return () => {
      isCurrent = false;
      session?.[Symbol.dispose]();
    };
  }, [host, conversation]);

  // The same model with another key: the conversation goes on.
  useEffect(() => {
    if (state.kind !== 'ready' || state.model === choice) return;
    let isCurrent = true;
    // Where a new conversation has begun meanwhile, that is the one that stays.
    const change = (next: ConversationState) => {
      if (isCurrent) setState((now) => (now === state ? next : now));
    };
    createModel(choice).then(
      (model) => {
        if (isCurrent) state.session.setModel(model);
        change({ ...state, model: choice });
      },
      (error: unknown) => change({ kind: 'failed', message: toMessage(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [state, choice]);

  // A change of mode holds from the next call on: it needs no new conversation.
  useEffect(() => {
    if (state.kind === 'ready') state.session.setPermissionMode(permissionMode);
  }, [state, permissionMode]);

  return state;
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
