// The list of the project's conversations in this browser and in its cloud. Each can be shown and deleted, and those
// of this browser renamed.
import { useEffect, useReducer, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createSessionList, deleteSession, renameSession } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { addCloudOnes } from '../cloud/list-conversations.ts';
import type { ListedConversation } from '../cloud/list-conversations.ts';
import { describeTime } from './describe-time.ts';
import type { ConversationActivity, OpenConversations } from './open-conversations.ts';

export interface SessionListProps {
  readonly host: BrowserHost;
  readonly cloud: Cloud | null;
  readonly currentId: string;
  readonly conversations: OpenConversations;
  readonly onShow: (id: string) => void;
  readonly onDeleted: (id: string) => void;
  /**
   * Called if a conversation that was closed for its deletion couldn't be deleted, for example because another tab
   * doesn't close it.
   */
  readonly onNotDeleted: (id: string) => void;
  readonly onRenamed: () => void;
}

/** The number that is shown at first, and added by each click of a button. */
const pageSize = 30;

export function SessionList(props: SessionListProps) {
  const { host, cloud, conversations, onDeleted, onNotDeleted, onRenamed } = props;
  const [count, setCount] = useState(pageSize);
  const { sessions, readAt, problem, cloudProblem, setProblem, read } = useSessions(
    host,
    cloud,
    count + 1,
  );
  const activities = useSyncExternalStore(conversations.subscribe, conversations.getSnapshot);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [told, setTold] = useState('');
  const listRef = useRef<HTMLUListElement>(null);

  const run = (work: Promise<void>) => {
    setProblem('');
    work.then(read).catch((error: unknown) => {
      setProblem(messageOf(error));
    });
  };
  const endRenaming = () => {
    const row = listRef.current?.querySelector('.session-rename')?.closest('li');
    flushSync(() => setRenaming(null));
    // The form is removed, so the focus would be lost.
    row?.querySelector<HTMLElement>('.session-rename-button')?.focus();
  };
  const rename = (id: string, title: string) => {
    endRenaming();
    if (title === '') return;
    run(renameSession(id, title, { host }).then(onRenamed));
  };
  const remove = (session: ListedConversation) => {
    const { sessionId } = session;
    // Uses the browser's own question, which nothing can cover.
    if (!confirm(toDeleteQuestion(session, activities.get(sessionId) ?? session.activity))) return;
    const work = async () => {
      await conversations.close(sessionId);
      try {
        if (session.isKeptInCloud) await cloud?.remove(sessionId);
        if (session.isKeptHere) await deleteSession(sessionId, { host });
      } catch (error) {
        onNotDeleted(sessionId);
        throw error;
      }
      setTold(`Deleted: ${toName(session)}`);
      onDeleted(sessionId);
      // The row is removed, so the focus would be lost.
      listRef.current?.querySelector<HTMLElement>('.session-open')?.focus();
    };
    run(work());
  };

  return (
    <>
      <span className="rp-hidden" role="status">
        {told}
      </span>
      {problem !== '' && (
        <p className="bar bar-danger" role="alert">
          {problem}
        </p>
      )}
      {cloudProblem !== '' && (
        <p className="bar bar-warning" role="status">
          {cloudProblem} Those that only the cloud has aren’t listed.
        </p>
      )}
      {!sessions && problem === '' && (
        <p className="session-none note" role="status">
          Reading the conversations…
        </p>
      )}
      {sessions?.length === 0 && (
        <p className="session-none note">
          None yet. What you say to the agent is kept in this browser.
        </p>
      )}
      <ul className="sessions" ref={listRef} aria-label="Conversations">
        {sessions?.slice(0, count).map((session) => (
          <li key={session.sessionId}>
            {renaming === session.sessionId ? (
              <RenameForm
                name={toName(session)}
                onDone={(title) => rename(session.sessionId, title)}
                onCancel={endRenaming}
              />
            ) : (
              <Row
                session={session}
                isCurrent={session.sessionId === props.currentId}
                when={describeTime(session.lastModified, readAt)}
                activity={activities.get(session.sessionId) ?? session.activity}
                onShow={() => props.onShow(session.sessionId)}
                onRename={() => setRenaming(session.sessionId)}
                onDelete={() => remove(session)}
              />
            )}
          </li>
        ))}
      </ul>
      {sessions && sessions.length > count && (
        <button type="button" className="session-more" onClick={() => setCount(count + pageSize)}>
          Show older ones
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly session: ListedConversation;
  readonly isCurrent: boolean;
  readonly when: string;
  readonly activity: ConversationActivity;
  readonly onShow: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
}

function Row({ session, isCurrent, when, activity, onShow, onRename, onDelete }: RowProps) {
  const { problem, place } = session;
  const name = toName(session);
  return (
    <>
      <button
        type="button"
        className="session-open"
        title={name}
        aria-current={isCurrent}
        onClick={onShow}
      >
        <span className="session-name" dir="auto">
          {name}
        </span>
        <span className="note">
          {activity !== 'idle' && (
            <span className="session-activity" data-activity={activity}>
              {activity === 'asking' ? 'Asks you' : 'Working'}
              {' · '}
            </span>
          )}
          {place === 'cloud' && <span className="session-in-cloud">In the cloud · </span>}
          {problem ?? when}
        </span>
      </button>
      {problem === undefined && place === 'tab' && (
        <button
          type="button"
          className="session-act session-rename-button"
          aria-label={`Rename: ${name}`}
          onClick={onRename}
        >
          Rename
        </button>
      )}
      <button
        type="button"
        className="session-act danger"
        aria-label={`Delete: ${name}`}
        onClick={onDelete}
      >
        Delete
      </button>
    </>
  );
}

interface RenameFormProps {
  readonly name: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}

function RenameForm({ name, onDone, onCancel }: RenameFormProps) {
  const [title, setTitle] = useState(name);
  const inputRef = useRef<HTMLInputElement>(null);
  useEffect(() => {
    inputRef.current?.focus();
    inputRef.current?.select();
  }, []);
  return (
    <form
      className="session-rename"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(title.trim());
      }}
    >
      <input
        ref={inputRef}
        aria-label="Name of the conversation"
        maxLength={1_000}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
          // Escape ends the renaming, but must not close the list.
          event.preventDefault();
          event.stopPropagation();
          onCancel();
        }}
      />
      <button type="submit" className="session-act">
        Save
      </button>
    </form>
  );
}

/** The newest conversations, as they change. `read` reads the cloud's again. */
function useSessions(host: BrowserHost, cloud: Cloud | null, limit: number) {
  const [found, setFound] = useState<{
    readonly sessions: readonly ListedConversation[] | null;
    readonly cloudProblem: string;
    readonly readAt: number;
  }>({ sessions: null, cloudProblem: '', readAt: 0 });
  const [problem, setProblem] = useState('');
  const [readings, read] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const list = createSessionList({ host, limit });
    let isOver = false;
    const show = async () => {
      const { sessions, error } = list.getSnapshot();
      if (error !== null) throw error;
      const conversations = await addCloudOnes(sessions ?? [], { host, cloud, limit });
      const isNewest = !isOver && list.getSnapshot().sessions === sessions;
      if (isNewest) setFound({ ...conversations, readAt: Date.now() });
    };
    const unsubscribe = list.subscribe(() => {
      show().catch((error: unknown) => setProblem(messageOf(error)));
    });
    return () => {
      isOver = true;
      unsubscribe();
    };
  }, [host, cloud, limit, readings]);
  return { ...found, problem, setProblem, read };
}

function toName({ summary, sessionId }: ListedConversation): string {
  const [line = ''] = summary.trim().split('\n');
  return line === '' ? `Conversation ${sessionId.slice(0, 8)}` : line;
}

function toDeleteQuestion(session: ListedConversation, activity: ConversationActivity): string {
  const stops = activity !== 'idle' ? 'The agent is working, and will be stopped. ' : '';
  const files =
    session.place === 'cloud'
      ? 'Its files in the cloud are deleted, too.'
      : 'Tabs that have it open close it, and stop its agent. Changed files stay as they are.';
  return `${stops}Delete “${toName(session)}”? It can’t be undone. ${files}`;
}
