// The agent's side of the page: transcript, status, question, composer.
import { useEffect } from 'react';
import { Composer, StatusLine, Transcript, toolViews } from 'rockpool/react';
import { usePermissionQuestions, useSession } from 'rockpool/react';
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
  useTitle(questions.length > 0 ? '(!) ' : snapshot.isRunning ? '… ' : '');
  return (
    <div className="agent">
      {hasBegun ? (
        <Transcript turns={snapshot.turns} views={toolViews} />
      ) : (
        <Welcome model={model} isSample={isSample} />
      )}
      <StatusLine
        session={snapshot}
        openQuestions={questions.length}
        onStop={() => session.stop()}
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

function Welcome(props: { readonly model: ModelChoice; readonly isSample: boolean }) {
  const isScripted = props.model.kind === 'scripted';
  return (
    <div className="welcome">
      <h2>An agent in this tab</h2>
      <p>
        It searches, reads, edits and runs the project&apos;s tests in workers of this page. The
        files are in this browser; nothing is uploaded but what the model is shown.
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
    </div>
  );
}

/** A question must be seen from another tab too. */
function useTitle(prefix: string): void {
  useEffect(() => {
    document.title = `${prefix}Rockpool`;
  }, [prefix]);
}
