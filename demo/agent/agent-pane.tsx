// The agent's side of the page: transcript, status, question, composer.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Tools } from 'rockpool/browser';
import {
  BackgroundTasks,
  Composer,
  StatusLine,
  TimelineLanes,
  Transcript,
  toolViews,
} from 'rockpool/react';
import { usePermissionQuestions, useSession } from 'rockpool/react';
import { focusRegion } from '../layout/use-regions.ts';
import type { AgentSession } from './agent-session.ts';
import type { ModelChoice } from './model-choice.ts';

export interface AgentPaneProps {
  readonly session: AgentSession;
  readonly model: ModelChoice;
  readonly isSample: boolean;
}

const samplePrompts = ['One test fails. Find out why and mend it.'];

export function AgentPane({ session, model, isSample }: AgentPaneProps) {
  const snapshot = useSession(session.store);
  const questions = usePermissionQuestions(session.permissions);
  const hasBegun = snapshot.turns.length > 0;
  const tools = useTools(session);
  useTitle(questions.length > 0 ? '(!) ' : snapshot.isRunning ? '… ' : '');
  return (
    <div className="agent">
      <h2 className="rp-hidden">Agent</h2>
      {hasBegun ? (
        <Transcript turns={snapshot.turns} views={toolViews} tools={tools} />
      ) : (
        <Welcome model={model} isSample={isSample} />
      )}
      <TimelineFold session={session} />
      <BackgroundTasks tasks={snapshot.tasks} onStop={(taskId) => session.stopTask(taskId)} />
      <StatusLine
        session={snapshot}
        openQuestions={questions.length}
        tools={tools}
        onStop={() => {
          session.stop();
          // The button goes with the turn: one goes on by writing.
          focusRegion('agent');
        }}
      />
      <Composer
        isBusy={snapshot.isRunning}
        onSend={(text) => session.send(text)}
        placeholder="What should the agent do?"
        suggestions={hasBegun || !isSample ? [] : samplePrompts}
      />
    </div>
  );
}

/** Shut to begin with: it is for whoever wonders what takes so long. */
function TimelineFold({ session }: { readonly session: AgentSession }) {
  const { subscribe, getSnapshot } = session.timeline;
  const timeline = useSyncExternalStore(subscribe, getSnapshot);
  if (!timeline.turn) return null;
  return (
    <details className="timeline-fold">
      <summary>Timeline</summary>
      <TimelineLanes timeline={timeline} />
    </details>
  );
}

/** None until they are loaded, and where they can't be: then their names are told. */
function useTools(session: AgentSession): Tools {
  const [tools, setTools] = useState<Tools>([]);
  useEffect(() => {
    let isOver = false;
    session.loadTools().then(
      (loaded) => {
        if (!isOver) setTools(loaded);
      },
      // The query says so, with its first message.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [session]);
  return tools;
}

function Welcome(props: { readonly model: ModelChoice; readonly isSample: boolean }) {
  const isScripted = props.model.kind === 'scripted';
  return (
    <div className="welcome">
      <h3>An agent in this tab</h3>
      <p>
        It searches, reads, edits and runs the project&apos;s tests in workers of this page. The
        files are in this browser; nothing is uploaded but what the model is shown. Files stay when
        the page is reloaded; the conversation doesn&apos;t yet.
      </p>
      {isScripted && props.isSample && (
        <p className="bar bar-note">
          <strong>Scripted demo (no AI):</strong> it plays a fixed script, whatever you write.
          Tools, tests and edits are real. Choose a model above for a real agent; to see the script
          again, reset the sample.
        </p>
      )}
      {isScripted && !props.isSample && (
        <p className="bar bar-warning">
          The scripted demo only knows the sample project. Choose a model above to work on this
          folder.
        </p>
      )}
      <p className="note">
        <kbd>F6</kbd> goes from files to editor to agent, and to an open question; <kbd>Escape</kbd>{' '}
        says no to it.
      </p>
    </div>
  );
}

/** A question must be seen from another tab too. */
function useTitle(prefix: string): void {
  useEffect(() => {
    document.title = `${prefix}Rockpool`;
  }, [prefix]);
}
