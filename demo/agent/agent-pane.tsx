// The agent's region of the page: transcript, timeline, status, composer.
import { useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { listBuiltInCommands, readPromptImage } from 'rockpool/browser';
import type { BrowserHost, ImageBlock } from 'rockpool/browser';
import {
  RunningTasks,
  GoalLine,
  Composer,
  ContextMeter,
  McpAppsContext,
  StatusLine,
  TaskList,
  TimelineLanes,
  Transcript,
  taskListReaders,
  toolViews,
} from 'rockpool/react';
import {
  useContextUsage,
  usePermissionQuestions,
  useSession,
  useWaitingPrompts,
} from 'rockpool/react';
import type { Turn, WaitingPrompt } from 'rockpool/react';
import type { Place } from '../cloud/find-conversation.ts';
import { PlaceChoice } from '../cloud/place-choice.tsx';
import { appFrame } from '../project/app-frame.ts';
import { focusRegion } from '../layout/use-regions.ts';
import type { Conversation } from './conversation.ts';
import { isScripted } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';
import { LoginBar } from './login-bar.tsx';
import { InstructionsDialog } from './instructions-dialog.tsx';
import { emptyDraft, keepDraft, newDraft, readDraft } from './kept-draft.ts';
import { keepFile } from './keep-file.ts';
import { ServersDialog } from './servers-dialog.tsx';
import { useTools } from './use-tools.ts';

export interface AgentPaneProps {
  readonly host: BrowserHost;
  /** The files of the conversation's workspace. Absolute. */
  readonly paths: readonly string[];
  readonly session: Conversation;
  readonly model: ModelChoice;
  readonly isSample: boolean;
  /** Where a new conversation runs. Null if there is no choice. */
  readonly newIn: Place | null;
  /** The person has just chosen the place. */
  readonly wasChosen: boolean;
  readonly onNewIn: (place: Place) => void;
  readonly onNewConversation: () => void;
  /** Called if the conversation has ended: it is opened again and continues with these prompts. */
  readonly onOpenAgain: (prompts: readonly WaitingPrompt[]) => void;
  /** Called after `/clear`: the conversation continues in the session with that id. */
  readonly onGoneOn: (id: string) => void;
  readonly onChooseModel: () => void;
  /** Opens the field for the key. */
  readonly onMendKey: () => void;
}

/** The commands that are listed before the session has begun and sent its own list. */
const builtInCommands = listBuiltInCommands();

const samplePrompts = [
  'One test fails. Find out why and mend it.',
  'Plan how two weeks are shown, and ask me what is open.',
  'Two agents at once: one looks for untested functions, one adds the units to the README.',
  'On a branch: an agent explains the rounding, and I see the diff before it counts.',
];

export function AgentPane(props: AgentPaneProps) {
  const { session, model, isSample } = props;
  const { cloud } = session;
  const snapshot = useSession(session.store);
  // The key was lost with the page, so no request is sent before there is a key.
  const missingModel = model.kind === 'scripted' ? session.missingModel() : undefined;
  const questions = usePermissionQuestions(session.permissions);
  const waiting = useWaitingPrompts(session.waiting);
  const usage = useContextUsage(session);
  const [appText, setAppText] = useState<{ readonly text: string }>();
  const { askMcpApp } = session;
  const apps = useMemo(
    () => ({
      frameUrl: appFrame,
      ask: askMcpApp,
      onMessage(text: string) {
        setAppText({ text });
        focusRegion('agent');
      },
    }),
    [askMcpApp],
  );
  const { paths, host } = props;
  const files = useMemo(() => paths.map((path) => toRelative(host.cwd, path)), [paths, host]);
  const { turns } = snapshot;
  const prompts = useMemo(() => turns.flatMap(listPrompts), [turns]);
  const hasBegun = turns.length > 0;
  const draftOf = hasBegun || cloud?.isNew === false ? session.id : newDraft;
  const [draft] = useState(() => readDraft(draftOf));
  // A conversation in the cloud keeps its place and id after `/clear`.
  useGoneOn(session.id, cloud ? undefined : snapshot.init?.session_id, props.onGoneOn);
  const stop = () => {
    session.stop();
    // The button is removed with the turn, so the focus moves to the prompt field.
    focusRegion('agent');
  };
  const stopTask = (taskId: string) => {
    session.stopTask(taskId);
    // The same as for the turn's button.
    focusRegion('agent');
  };
  const backgroundTask = (toolUseId: string) => {
    session.backgroundTask(toolUseId);
    focusRegion('agent');
  };
  const clearGoal = () => {
    session.clearGoal();
    focusRegion('agent');
  };
  useEscape(snapshot.isRunning, stop);
  const tools = useTools(session);
  useTitle(questions.length > 0 ? '(!) ' : snapshot.isRunning ? '… ' : '');
  return (
    <div className="agent">
      {hasBegun ? (
        <McpAppsContext value={apps}>
          <Transcript
            turns={snapshot.turns}
            views={toolViews}
            tools={tools}
            onStopTask={stopTask}
            onBackgroundTask={backgroundTask}
            ending={<Ending {...props} turn={snapshot.turns.at(-1)} />}
          />
        </McpAppsContext>
      ) : (
        <Welcome {...props} />
      )}
      {missingModel !== undefined && (
        <div className="bar bar-warning" role="status">
          {isScripted(missingModel)
            ? 'This conversation was played by another script, such as the cloud’s. '
            : `This conversation was held with ${missingModel}, whose key this page doesn’t have. `}
          This page&apos;s script can&apos;t go on with it.
          <button type="button" onClick={props.onChooseModel}>
            Choose the model…
          </button>
        </div>
      )}
      <TaskList turns={snapshot.turns} readers={taskListReaders} />
      {hasBegun && !cloud && <TimelineFold session={session} />}
      <GoalLine goal={snapshot.goal} onClear={clearGoal} />
      <RunningTasks tasks={snapshot.tasks} onStop={stopTask} onBackground={backgroundTask} />
      {missingModel === undefined && (
        <StatusLine
          session={snapshot}
          openQuestions={questions.length}
          tools={tools}
          onStop={stop}
        />
      )}
      {hasBegun && !cloud && <LoginBar servers={session.servers} />}
      <Composer
        isBusy={snapshot.isRunning}
        initialText={draft.text}
        initialImages={draft.images}
        onWrite={(text, images) => keepDraft(draftOf, { text, images })}
        onSend={(...said) => {
          keepDraft(draftOf, emptyDraft);
          const [text, images = []] = said;
          if (session.isEnded()) props.onOpenAgain([toPrompt(text, images)]);
          else session.send(text, images);
        }}
        readImage={readPromptImage}
        {...(!cloud && { takeFile: (file: File) => keepFile(host, file) })}
        onStop={stop}
        waiting={waiting}
        onTakeBack={session.takeBack}
        onSendWaiting={session.sendWaiting}
        onSendNow={(text, images) => session.send(text, images, 'next')}
        draft={appText}
        placeholder="What should the agent do?"
        suggestions={hasBegun || !isSample || cloud ? [] : samplePrompts}
        commands={snapshot.commands ?? builtInCommands}
        onComplete={session.completeCommand}
        files={files}
        takesCells
        history={prompts}
      />
      <div className="agent-buttons">
        {cloud ? (
          <p className="cloud-agent-note note">
            MCP servers and the timeline are a tab’s.
            {hasBegun && ' Bring the conversation back to use them.'}
          </p>
        ) : (
          <AgentButtons host={props.host} session={session} />
        )}
        <ContextMeter usage={usage} />
      </div>
    </div>
  );
}

/** What the person has written, also what has joined the turn. */
function listPrompts({ prompt, entries }: Turn): string[] {
  const joined = entries.flatMap((entry) => (entry.kind === 'prompt' ? entry.text : []));
  return [prompt, ...joined].filter(Boolean);
}

function toPrompt(text: string, images: readonly ImageBlock[]): WaitingPrompt {
  return { id: crypto.randomUUID(), text, images };
}

function toRelative(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function AgentButtons({ host, session }: Pick<AgentPaneProps, 'host' | 'session'>) {
  const [open, setOpen] = useState<'servers' | 'instructions' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen('servers')}>
        MCP servers…
      </button>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen('instructions')}>
        Your instructions…
      </button>
      {open === 'servers' && <ServersDialog session={session} onClose={close} />}
      {open === 'instructions' && <InstructionsDialog host={host} onClose={close} />}
    </>
  );
}

/** Closed at first. It is for a person who wants to know what takes so long. */
function TimelineFold({ session }: { readonly session: Conversation }) {
  const [isOpen, setIsOpen] = useState(false);
  const bodyId = useId();
  return (
    <div className="timeline-fold">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={() => setIsOpen(!isOpen)}
      >
        Timeline
      </button>
      {/* Made only while it is open: it changes with each step of each call. */}
      <div id={bodyId}>{isOpen && <OpenTimeline session={session} />}</div>
    </div>
  );
}

function OpenTimeline({ session }: { readonly session: Conversation }) {
  const { subscribe, getSnapshot } = session.timeline;
  return <TimelineLanes timeline={useSyncExternalStore(subscribe, getSnapshot)} />;
}

interface EndingProps extends AgentPaneProps {
  readonly turn: Turn | undefined;
}

/** The buttons below a turn that has failed. */
function Ending({ turn, session, onMendKey, onNewConversation, onOpenAgain }: EndingProps) {
  if (!turn || turn.endedAt === null) return null;
  const { result } = turn;
  const isOwnWish = result?.terminal_reason?.startsWith('aborted') === true;
  const isFailure = result !== null && result.subtype !== 'success' && !isOwnWish;
  // What wasn't sent goes to the session that is opened next.
  const openAgain = () =>
    onOpenAgain(session.waiting.getSnapshot().flatMap(({ id }) => session.takeBack(id) ?? []));
  // The session itself has failed, so another prompt would get no answer.
  if (result === null || (session.isEnded() && !isFailure)) {
    return (
      <>
        <button type="button" onClick={openAgain}>
          Open it again
        </button>
        <button
          type="button"
          onClick={() => {
            onNewConversation();
            requestAnimationFrame(() => focusRegion('agent'));
          }}
        >
          New conversation
        </button>
      </>
    );
  }
  if (!isFailure) return null;
  return (
    <>
      {result.error_code === 'model-authentication' && (
        <button type="button" onClick={onMendKey}>
          Change the key…
        </button>
      )}
      <button
        type="button"
        onClick={() => {
          // The cut turn then continues without a prompt.
          if (session.isEnded()) return openAgain();
          session.sendAgain();
          // The button is removed, so the focus moves to the prompt field.
          focusRegion('agent');
        }}
      >
        Try again
      </button>
    </>
  );
}

/**
 * Reports the session with which the conversation continues after `/clear`. The address and the list show each
 * session separately.
 */
function useGoneOn(id: string, now: string | undefined, onGoneOn: (id: string) => void): void {
  const tell = useRef(onGoneOn);
  useEffect(() => {
    tell.current = onGoneOn;
  });
  useEffect(() => {
    if (now !== undefined && now !== id) tell.current(now);
  }, [id, now]);
}

/** Escape stops the agent, unless the element with the focus uses Escape. */
function useEscape(isRunning: boolean, stop: () => void): void {
  const onEscape = useRef(stop);
  useEffect(() => {
    onEscape.current = stop;
  });
  useEffect(() => {
    if (!isRunning) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      // The editor, the search and everything above the page use Escape themselves.
      const isElsewhere = document.activeElement?.closest('.region-files, .region-editor') !== null;
      if (isElsewhere || document.querySelector('dialog[open], :popover-open')) return;
      onEscape.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isRunning]);
}

function Welcome(props: AgentPaneProps) {
  const { cloud } = props.session;
  const { init } = useSession(props.session.store);
  if (cloud && !cloud.isNew && !init) {
    return (
      <div className="welcome">
        <p className="note" role="status">
          Fetching the conversation from the cloud…
        </p>
      </div>
    );
  }
  const isPlayed = props.model.kind === 'scripted' && !cloud;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
    <div className="welcome" role="region" aria-label="Welcome" tabIndex={0}>
      <h3>{cloud ? 'An agent in the cloud' : 'An agent in this tab'}</h3>
      {cloud ? (
        <p>
          It searches, reads, writes and runs code in an object of its own, which sleeps while
          nothing is to be done. Its files are there, and are shown here as they change. Without a
          key the cloud plays a script.
        </p>
      ) : (
        <p>
          It searches, reads, edits and runs the project&apos;s tests in workers of this page. The
          files are in this browser; nothing is uploaded but what the model is shown. Files and
          conversations stay when the page is closed, and a turn that was cut goes on.
        </p>
      )}
      {props.newIn && cloud?.isNew !== false && (
        <PlaceChoice place={props.newIn} wasChosen={props.wasChosen} onChoose={props.onNewIn} />
      )}
      {isPlayed && props.isSample && (
        <p className="bar bar-note">
          <strong>Scripted demo (no AI):</strong> it plays a fixed script, whatever you write.
          Tools, tests and edits are real. Choose a model above for a real agent; to see the script
          again, reset the sample.
        </p>
      )}
      {isPlayed && !props.isSample && (
        <p className="bar bar-warning">
          The scripted demo only knows the sample project. Choose a model above to work on this
          folder.
        </p>
      )}
      <p className="note">
        <kbd>F6</kbd> goes from files to editor to agent, and to an open question; <kbd>Escape</kbd>{' '}
        says no to it, and stops the agent. What you send while it works waits its turn.
      </p>
    </div>
  );
}

/** Sets the page's title, so that a person in another tab sees a question. */
function useTitle(prefix: string): void {
  useEffect(() => {
    document.title = `${prefix}Rockpool`;
  }, [prefix]);
}
