// The frame that every call is shown in: state, title, and a body that folds away. All states look
// alike in every tool because they are drawn here.
import { createContext, use } from 'react';
import type { ReactNode } from 'react';
import type { CallState, ViewedCall } from '../../core/tool/call-state.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tools } from '../../core/tool/tool.ts';
import { readMarks } from '../../trace/call-display.ts';
import { explain } from '../../trace/explain.ts';
import { CodeBlock } from './code-block.tsx';
import { Collapsible } from './collapsible.tsx';
import { revealControls } from './reveal-controls.ts';

/** The label of each state, for people. */
const stateLabels: Readonly<Record<CallState, string>> = {
  'input-streaming': 'Preparing',
  'input-queued': 'Waiting for its turn',
  'input-available': 'Running',
  'approval-requested': 'Waiting for your answer',
  'approval-responded': 'Allowed, running',
  'output-available': 'Done',
  'output-error': 'Failed',
  'output-denied': 'Refused',
  'output-stopped': 'Stopped',
};

/** The labels of a call whose task runs in the background. The call's own state shows only the start of the task. */
const taskLabels: Readonly<Record<NonNullable<ViewedCall['task']>['status'], string>> = {
  running: 'Running in the background',
  completed: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
};

/** The call's line and what unfolds below it. */
export interface CallFrameProps {
  readonly call: Pick<
    ViewedCall,
    | 'toolName'
    | 'state'
    | 'input'
    | 'resultText'
    | 'elapsedSeconds'
    | 'task'
    | 'decision'
    | 'denial'
  >;
  /** "Reading", "Edited": the action, worded by state. */
  readonly title: string;
  /** The object of the action: a path, a pattern. */
  readonly detail?: ReactNode;
  /** Figures at the end of the line: "42 lines", "+3 -1". Shown while a person is asked, and once the call is done. */
  readonly meta?: ReactNode;
  /** Unfolded at first. */
  readonly isOpen?: boolean;
  /** False if the body itself says why the call failed. Default: true. */
  readonly showsFailure?: boolean;
  readonly children?: ReactNode;
}

/**
 * The tools whose calls are shown. A call's line has the name and the tag that they give it, and a call without a view
 * is described in their words.
 */
export const ToolsContext = createContext<Tools>([]);

/** True within the question about a call: there its whole input is shown, and can't be folded away. */
export const QuestionContext = createContext(false);

/**
 * What every view returns: one line with the call's state and title, and its children folded below.
 * A call that failed or was stopped also shows, unfolded, what the model was told. One that was
 * refused shows why, and what the person said to it.
 */
export function CallFrame(props: CallFrameProps) {
  const { call, title, detail, meta, isOpen = false, showsFailure = true, children } = props;
  const { state, task } = call;
  // The task's decision is the later one: at the task's start nobody knew what it would change.
  const decision = task?.decision ?? call.decision;
  const isQuestion = use(QuestionContext);
  const { color, tag } = readMarks(findToolByName(use(ToolsContext), call.toolName), call.input);
  // The result's text tells the model how to continue after a refusal. A person wants to know who refused the call,
  // and why.
  const refusal = state === 'output-denied' ? decision : undefined;
  const hasFailed = state === 'output-error' || (state === 'output-denied' && !refusal);
  const isQuiet = state === 'output-available' || task?.agent !== undefined;
  return (
    <section className="rp-call" data-state={state} data-task={task?.status}>
      <Collapsible
        // While the question shows the call, the transcript needn't show it too.
        isOpenByDefault={isOpen && state !== 'approval-requested'}
        isForcedOpen={isQuestion}
        summary={
          <span className="rp-call-line">
            <span className="rp-call-mark" aria-hidden="true" />
            <span className="rp-call-title" data-color={color ?? undefined}>
              {revealControls(title)}
            </span>
            {detail && (
              <span className="rp-call-detail">
                {typeof detail === 'string' ? revealControls(detail) : detail}
              </span>
            )}
            {tag && <span className="rp-call-tag">{tag}</span>}
            {meta && (state === 'output-available' || state === 'approval-requested') && (
              <span className="rp-call-meta">{meta}</span>
            )}
            <span className={isQuiet || isQuestion ? 'rp-hidden' : 'rp-call-state'}>
              {task && !task.agent ? taskLabels[task.status] : stateLabels[state]}
              {isRunning(state) && call.elapsedSeconds >= 1 && (
                <span aria-hidden="true"> · {Math.floor(call.elapsedSeconds)} s</span>
              )}
            </span>
          </span>
        }
      >
        {children}
        {decision && !refusal && <p className="rp-note">{explain(decision)}</p>}
      </Collapsible>
      {refusal && (
        <div className="rp-call-failure">
          <p className="rp-note">{explain(refusal)}</p>
          {call.denial !== undefined && <p className="rp-denial">“{call.denial}”</p>}
        </div>
      )}
      {state === 'output-stopped' && showsFailure && call.resultText !== '' && (
        <p className="rp-note rp-call-failure">{call.resultText}</p>
      )}
      {hasFailed && showsFailure && call.resultText !== '' && (
        <div className="rp-call-failure">
          <CodeBlock text={call.resultText} wraps />
        </div>
      )}
    </section>
  );
}

/** True if the call runs at present. */
function isRunning(state: CallState): boolean {
  return state === 'input-available' || state === 'approval-responded';
}

/** True if the person who allowed the call has changed its input. */
export function isChangedByPerson({ decision }: Pick<ViewedCall, 'decision'>): boolean {
  return decision?.reason.type === 'user' && decision.reason.changedInput === true;
}

/** "Reading" while the call runs, "Read" before and after. */
export function wordFor(state: CallState, doing: string, done: string): string {
  return isRunning(state) || state === 'input-streaming' ? doing : done;
}
