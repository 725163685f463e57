// Moves the conversation that is shown into the cloud, or back into this tab. It shows what moves along, the
// progress, a button to stop, and what to do if the move fails.
import { useEffect, useId, useRef, useState } from 'react';
import { SdkError } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import { useModal } from '../layout/use-modal.ts';
import { messageOf } from '../message-of.ts';
import type { Conversation } from '../agent/conversation.ts';
import type { OpenConversations } from '../sessions/open-conversations.ts';
import type { Cloud } from './cloud.ts';
import { bringToTab, goOnInCloud } from './move-conversation.ts';

export interface MoveDialogProps {
  readonly host: BrowserHost;
  readonly cloud: Cloud;
  /** The conversation to move. It stays the same object while the dialog is open. */
  readonly session: Conversation;
  readonly title: string;
  readonly conversations: OpenConversations;
  /** Called with the conversation's id at its new place, where it is opened. */
  readonly onMoved: (id: string) => void;
  readonly onClose: () => void;
}

type State =
  | { readonly kind: 'asking'; readonly problem: string }
  | {
      readonly kind: 'moving';
      readonly bytes: number;
      readonly isStopping: boolean;
    };

export function MoveDialog(props: MoveDialogProps) {
  const { session, onClose } = props;
  const dialogRef = useModal();
  const running = useRef<AbortController | null>(null);
  const [state, setState] = useState<State>({ kind: 'asking', problem: '' });
  const titleId = useId();
  const isBack = session.cloud !== null;
  const name = isBack ? 'Bring back' : 'Go on in the cloud';
  useEffect(() => () => running.current?.abort(), []);

  const stop = () => {
    running.current?.abort();
    setState((now) => (now.kind === 'moving' ? { ...now, isStopping: true } : now));
  };
  const move = async () => {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'moving', bytes: 0, isStopping: false });
    const problem = await run(props, controller.signal, (bytes) =>
      setState((now) => (now.kind === 'moving' ? { ...now, bytes } : now)),
    );
    running.current = null;
    if (problem === undefined) onClose();
    else setState({ kind: 'asking', problem });
  };

  return (
    <dialog
      ref={dialogRef}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (!running.current) return;
        event.preventDefault();
        stop();
      }}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void move();
        }}
      >
        <h2 id={titleId}>{isBack ? 'Bring the conversation back' : name}</h2>
        {isBack ? <AboutBack /> : <AboutCloud />}
        {state.kind === 'moving' && (
          <div className="move-progress">
            <progress aria-label="Moving the conversation" />
            <span className="note" role="status">
              {state.isStopping ? 'Stopping…' : describeProgress(state.bytes)}
            </span>
            <button type="button" aria-disabled={state.isStopping} onClick={stop}>
              Stop
            </button>
          </div>
        )}
        {state.kind === 'asking' && state.problem !== '' && (
          <p className="bar bar-danger" role="alert">
            {state.problem}
          </p>
        )}
        <div className="dialog-actions">
          <button
            type="button"
            aria-disabled={state.kind === 'moving'}
            onClick={() => state.kind === 'asking' && onClose()}
          >
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={state.kind === 'moving'}>
            {state.kind === 'asking' && state.problem !== '' ? 'Try again' : name}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function AboutCloud() {
  return (
    <>
      <p>
        The conversation, its variables, the project’s files and your instructions are sent there.
        It goes on at once, also while this page is closed; what runs or asks now is taken up there.
      </p>
      <p className="note">
        Folders become copies. MCP servers, this page’s model and its key, and what you have allowed
        stay here. The cloud has its own model. It asks as much as this tab does, and asks again
        what you have allowed here.
      </p>
    </>
  );
}

function AboutBack() {
  return (
    <>
      <p>
        The conversation and its files come into the project that is open here. It goes on in this
        tab at once; what runs or asks now is taken up here.
      </p>
      <p className="note">
        What only one side has changed is taken as it is there. Files that both have changed refuse
        the move.
      </p>
    </>
  );
}

/** Moves the conversation. Returns sentences about the failure, or undefined if it has arrived. */
async function run(
  { host, cloud, session, title, conversations, onMoved }: MoveDialogProps,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<string | undefined> {
  const { id } = session;
  const how = { host, cloud, signal, onProgress };
  conversations.moving.add(id);
  const leave = async () => {
    // After a failed attempt it is another object.
    const waiting = conversations.find(id)?.waiting.getSnapshot() ?? [];
    if (waiting.length > 0) conversations.left.set(id, waiting);
    await conversations.close(id);
  };
  try {
    if (session.cloud) {
      const back = await bringToTab(session.cloud.url, how);
      await leave();
      onMoved(back);
    } else {
      await goOnInCloud({ id, title }, how);
      await leave();
      onMoved(id);
    }
    return undefined;
  } catch (error) {
    // It was stopped for the move. When it is opened again, it continues or says where it is.
    if ((conversations.find(id) ?? session).isEnded()) {
      await leave();
      onMoved(id);
    }
    return explain(error, signal);
  } finally {
    conversations.moving.delete(id);
  }
}

function explain(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'You stopped it. The conversation is where it was.';
  const message = messageOf(error);
  const isUnsure = SdkError.isInstance(error) && error.data['isUnsure'] === true;
  return isUnsure
    ? 'The cloud has not said whether the conversation arrived. Try again: it is asked first, and nothing is done twice.'
    : message;
}

function describeProgress(bytes: number): string {
  if (bytes === 0) return 'Asking the cloud…';
  const size =
    bytes < 1024 * 1024
      ? `${Math.ceil(bytes / 1024)} kB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return `${size} have crossed`;
}
