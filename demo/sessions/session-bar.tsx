// The line above the conversation: its title, where it runs, the list of the others, and a button for a new one.
import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { getSessionInfo } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import type { CloudPart, Conversation } from '../agent/conversation.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { MoveDialog } from '../cloud/move-dialog.tsx';
import { focusRegion } from '../layout/use-regions.ts';
import type { OpenConversations } from './open-conversations.ts';
import type { SessionAddress } from './session-address.ts';
import { SessionList } from './session-list.tsx';
import { useAsking } from './use-asking.ts';

export interface SessionBarProps {
  readonly host: BrowserHost;
  /** Null if the page has no cloud. */
  readonly cloud: Cloud | null;
  readonly address: SessionAddress;
  readonly conversations: OpenConversations;
  /** Null until the conversation is open. */
  readonly session: Conversation | null;
  /** Called when the shown conversation was closed and should be opened again where it runs. */
  readonly onReopen: () => void;
}

export function SessionBar(props: SessionBarProps) {
  const { host, cloud, address, conversations, session } = props;
  const menuId = useId();
  const menuRef = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  /** The conversation whose move dialog is open. */
  const [moving, setMoving] = useState<Conversation | null>(null);
  const isElsewhere = useIsViewer(session) && !session?.cloud;
  const asking = useAsking(cloud, conversations, address.id);
  const connection = useConnection(session);
  const reconnect = async (id: string) => {
    await conversations.close(id);
    props.onReopen();
    // The button is removed, so the focus moves to the prompt field.
    requestAnimationFrame(() => focusRegion('agent'));
  };
  const [title, readTitle] = useTitle(host, address.id);
  const firstPrompt = useFirstPrompt(session);
  const name = title ?? (firstPrompt === '' ? 'New conversation' : firstPrompt);
  const leave = (show: () => void) => {
    menuRef.current?.hidePopover();
    show();
    // The list is removed, so the focus moves to the prompt field.
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
        <span className="session-name" dir="auto">
          {name}
        </span>
        {asking > 0 && (
          <span
            className="count-badge session-asking"
            title={`${describeAsking(asking)} for your answer.`}
          >
            <span aria-hidden="true">{asking}</span>
            <span className="rp-hidden">. {describeAsking(asking)} for your answer.</span>
          </span>
        )}
      </button>
      <span role="status">
        {isElsewhere && (
          <span
            className="session-elsewhere"
            title="The agent works in another tab, with that tab’s model. What you send or answer here goes there; when that tab closes, this one goes on."
          >
            Runs in another tab
          </span>
        )}
        {session?.cloud && <CloudMark connection={connection} url={session.cloud.url} />}
      </span>
      {session?.cloud && connection === 'closed' && (
        <button type="button" className="session-new" onClick={() => void reconnect(session.id)}>
          Connect again
        </button>
      )}
      {session && cloud && firstPrompt !== '' && !isElsewhere && (
        <button type="button" className="session-new" onClick={() => setMoving(session)}>
          {session.cloud ? 'Bring back' : 'Go on in the cloud'}
        </button>
      )}
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
            cloud={cloud}
            currentId={address.id}
            conversations={conversations}
            onShow={(id) => leave(() => address.show(id))}
            onDeleted={(id) => id === address.id && address.showNew()}
            onNotDeleted={(id) => id === address.id && props.onReopen()}
            onRenamed={readTitle}
          />
        )}
      </div>
      {moving && cloud && (
        <MoveDialog
          host={host}
          cloud={cloud}
          session={moving}
          title={name}
          conversations={conversations}
          onMoved={(id) => {
            address.show(id);
            props.onReopen();
          }}
          onClose={() => {
            setMoving(null);
            requestAnimationFrame(() => focusRegion('agent'));
          }}
        />
      )}
    </div>
  );
}

function describeAsking(count: number): string {
  return count === 1 ? 'Another one waits' : `${count} others wait`;
}

type Connection = ReturnType<CloudPart['connection']> | undefined;

/** Shows where the conversation runs, and whether this page is connected. */
function CloudMark({ connection, url }: { readonly connection: Connection; readonly url: string }) {
  return (
    <span
      className="session-elsewhere"
      title={`The agent works at ${url}. It goes on while this page is closed.`}
    >
      In the cloud
      {connection === 'waiting' && ': connecting…'}
      {connection === 'closed' && ': not connected'}
    </span>
  );
}

// 1 s: soon enough for a person who watches it.
const lookMs = 1_000;

/** Undefined if the conversation isn't in the cloud. */
function useConnection(session: Conversation | null): Connection {
  const cloud = session?.cloud;
  const [found, setFound] = useState<Connection>();
  useEffect(() => {
    const look = () => setFound(cloud?.connection());
    look();
    if (!cloud) return;
    const timer = setInterval(look, lookMs);
    return () => clearInterval(timer);
  }, [cloud]);
  return found;
}

/** The first prompt, if it is known. Empty in a new conversation. */
function useFirstPrompt(session: Conversation | null): string {
  const subscribe = useCallback(
    (listener: () => void) => session?.store.subscribe(listener) ?? (() => undefined),
    [session],
  );
  const read = () => session?.store.getSnapshot().turns.find(({ prompt }) => prompt !== '')?.prompt;
  return useSyncExternalStore(subscribe, read) ?? '';
}

function useIsViewer(session: Conversation | null): boolean {
  const subscribe = useCallback(
    (listener: () => void) => session?.store.subscribe(listener) ?? (() => undefined),
    [session],
  );
  return useSyncExternalStore(subscribe, () => session?.store.getSnapshot().role === 'viewer');
}

/** The title that a person has given, and a function that reads it again. */
function useTitle(host: BrowserHost, id: string): readonly [string | undefined, () => void] {
  const [title, setTitle] = useState<string>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    getSessionInfo(id, { host }).then(
      (info) => isCurrent && setTitle(info?.customTitle),
      // The list of conversations reports the error.
      () => isCurrent && setTitle(undefined),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, id, version]);
  return [title, () => setVersion((current) => current + 1)];
}
