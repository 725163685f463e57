// The work of a sub-agent, below the call that has started it: one line, which unfolds to the agent's transcript.
import type { ReactNode } from 'react';
import { Collapsible } from '../kit/collapsible.tsx';
import type { CallTask, TaskAgent } from '../transcript.ts';
import { describeWork } from './describe-agent.ts';
import { TaskActions } from './task-actions.tsx';

export interface AgentWorkProps {
  readonly task: CallTask & { readonly agent: TaskAgent };
  /** The agent's task, in a few words. */
  readonly description: string;
  /** What the agent does now: "Reading src/app.ts". */
  readonly activity: string | undefined;
  /** Left out: the agent can't be stopped here. */
  readonly onStop: ((taskId: string) => void) | undefined;
  /** Left out: its call waits for it until it ends. */
  readonly onBackground: (() => void) | undefined;
  /** The agent's transcript. Without one there is nothing to unfold. */
  readonly children?: ReactNode;
}

const ends = { completed: 'Reported', failed: 'Failed', stopped: 'Stopped' } as const;

/** Folded at first, so that a person who watches several agents sees all of them. */
export function AgentWork(props: AgentWorkProps) {
  const { task, description, activity, onStop, onBackground, children } = props;
  const { status, agent, taskId } = task;
  const isRunning = status === 'running';
  const doing = activity ?? (agent.isBackground ? 'Working in the background' : 'Working');
  return (
    <section className="rp-agent" data-status={status} aria-label={`Agent: ${description}`}>
      <Collapsible
        summary={
          <span className="rp-agent-line">
            {isRunning && <span className="rp-spinner" aria-hidden="true" />}
            <span className="rp-agent-doing">{isRunning ? doing : ends[status]}</span>
            <span className="rp-agent-work">{describeWork(agent)}</span>
          </span>
        }
      >
        {children}
      </Collapsible>
      {isRunning && (
        <TaskActions
          label={`the agent: ${description}`}
          onBackground={agent.canBeBackgrounded ? onBackground : undefined}
          onStop={onStop && (() => onStop(taskId))}
        />
      )}
    </section>
  );
}
