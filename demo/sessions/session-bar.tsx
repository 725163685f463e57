// The line above the conversation: what it is called, the list of the others, a new one.
import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { getSessionInfo } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import type { Conversation } from '../agent/conversation.ts';
import { focusRegion } from '../layout/use-regions.ts';
import type { OpenConversations } from './open-conversations.ts';
import type { SessionAddress } from './session-address.ts';
import { SessionList } from './session-list.tsx';

export interface SessionBarProps {
  readonly host: BrowserHost;
  readonly address: SessionAddress;
  readonly conversations: OpenConversations;
  /** Null until it is open. */
  readonly session: Conversation | null;
  /** The one that is shown was closed, and wasn't deleted. */
  readonly onReopen: () => void;
}

export function SessionBar(props: SessionBarProps) {
  const { host, address, conversations, session } = props;
  const menuId = useId();
  const menuRef = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [title, readTitle] = useTitle(host, address.id);
  const firstPrompt = useFirstPrompt(session);
  const name = title ?? (firstPrompt === '' ? 'New conversation' : firstPrompt);
  const leave = (show: () => void) => {
    menuRef.current?.hidePopover();
    show();
    // The list goes: one goes on by writing.
    requestAnimationFrame(() => focusRegion('agent'));
  };
  return (
    <div className="session-bar">
      <button
        type="button"
        className="session-button"
        popoverTarget={menuId}
        aria-expanded={isOpen}
        title={name}
      >
        <span className="rp-hidden">Conversations. This one: </span>
        <span className="session-name">{name}</span>
      </button>
      <span role="status">
        {useIsElsewhere(session) && (
          <span
            className="session-elsewhere"
            title="The agent works in another tab, with that tab’s model. What you send or answer here goes there; when that tab closes, this one goes on."
          >
            Runs in another tab
          </span>
        )}
      </span>
      <button type="button" className="session-new" onClick={() => leave(address.showNew)}>
        New conversation
      </button>
      <div
        id={menuId}
        ref={menuRef}
        popover="auto"
        className="menu session-menu"
        role="dialog"
        aria-label="Conversations"
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {/* Read anew each time, and only while somebody looks at it. */}
        {isOpen && (
          <SessionList
            host={host}
            currentId={address.id}
            conversations={conversations}
            onShow={(id) => leave(() => address.show(id))}
            onDeleted={(id) => id === address.id && address.showNew()}
            onNotDeleted={(id) => id === address.id && props.onReopen()}
            onRenamed={readTitle}
          />
        )}
      </div>
    </div>
  );
}

/** As far as it is known by now; empty in a new conversation. */
function useFirstPrompt(session: Conversation | null): string {
  const subscribe = useCallback(
    (listener: () => void) => session?.store.subscribe(listener) ?? (() => undefined),
    [session],
  );
  const read = () => session?.store.getSnapshot().turns.find(({ prompt }) => prompt !== '')?.prompt;
  return useSyncExternalStore(subscribe, read) ?? '';
}

function useIsElsewhere(session: Conversation | null): boolean {
  const subscribe = useCallback(
    (listener: () => void) => session?.store.subscribe(listener) ?? (() => undefined),
    [session],
  );
  return useSyncExternalStore(subscribe, () => session?.store.getSnapshot().role === 'viewer');
}

/** The title that a person gave it, and what reads it again. */
function useTitle(host: BrowserHost, id: string): readonly [string | undefined, () => void] {
  const [title, setTitle] = useState<string>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    getSessionInfo(id, { host }).then(
      (info) => isCurrent && setTitle(info?.customTitle),
      // The list says what is wrong with it.
      () => isCurrent && setTitle(undefined),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, id, version]);
  return [title, () => setVersion((current) => current + 1)];
}
