// The conversation of the open project, made anew when project, model or conversation change.
import { useEffect, useRef, useState } from 'react';
import type { BrowserHost, PermissionMode } from 'rockpool/browser';
import { createAgentSession } from './agent-session.ts';
import type { AgentSession } from './agent-session.ts';
import { createModel } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

export interface AgentSessionParameters {
  readonly host: BrowserHost;
  readonly model: ModelChoice;
  readonly permissionMode: PermissionMode;
  readonly conversation: number;
}

export type AgentSessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly session: AgentSession }
  | { readonly kind: 'failed'; readonly message: string };

export function useAgentSession(parameters: AgentSessionParameters): AgentSessionState {
  const { host, model: choice, permissionMode, conversation } = parameters;
  const [state, setState] = useState<AgentSessionState>({ kind: 'starting' });
  const mode = useRef(permissionMode);

  useEffect(() => {
    let session: AgentSession | undefined;
    let isCurrent = true;
    setState({ kind: 'starting' });
    createModel(choice).then(
      (model) => {
        if (!isCurrent) return;
        session = createAgentSession({ host, model, permissionMode: mode.current });
        setState({ kind: 'ready', session });
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        if (isCurrent) setState({ kind: 'failed', message });
      },
    );
    return () => {
      isCurrent = false;
      session?.[Symbol.dispose]();
    };
  }, [host, choice, conversation]);

  // A change of mode holds from the next call on: it needs no new conversation.
  useEffect(() => {
    mode.current = permissionMode;
    if (state.kind === 'ready') state.session.setPermissionMode(permissionMode);
  }, [state, permissionMode]);

  return state;
}
