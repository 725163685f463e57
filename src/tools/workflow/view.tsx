// The view of Workflow: its script, its phases with their agents as they come, and its result.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { workflowInputSchema, workflowOutputSchema } from './schema.ts';
import type { WorkflowInput, WorkflowOutput } from './schema.ts';

type Call = ParsedCall<WorkflowInput, WorkflowOutput>;

export const view = defineView(
  { input: workflowInputSchema, output: workflowOutputSchema },
  WorkflowView,
);

const taskWords = {
  running: 'Running the workflow',
  completed: 'Ran the workflow',
  failed: 'The workflow failed:',
  stopped: 'The workflow was stopped:',
} as const;

function WorkflowView({ call }: { readonly call: Call }) {
  const { input, output, state, task } = call;
  const isLaunched = output?.status === 'async_launched';
  const status = task?.status ?? 'running';
  const path = output?.scriptPath ?? input.scriptPath;
  const name = input.title ?? output?.workflowName ?? input.name ?? input.description;
  return (
    <CallFrame
      call={call}
      title={
        isLaunched
          ? taskWords[status]
          : wordFor(state, 'Running the workflow', output ? 'Ran the workflow' : 'Run the workflow')
      }
      detail={name ?? (path !== undefined && <FileLink path={path} />)}
      meta={isLaunched && status === 'running' && output.taskId}
      isOpen
    >
      {output !== undefined && <p className="rp-note">{output.summary}</p>}
      {input.script !== undefined && <CodeBlock text={input.script} label="Script" language="ts" />}
      {input.args !== undefined && (
        <CodeBlock text={JSON.stringify(input.args, null, 2)} label="Arguments" language="json" />
      )}
      {input.resumeFromRunId !== undefined && (
        <p className="rp-note">Goes on from the run {input.resumeFromRunId}.</p>
      )}
      <Phases call={call} />
      {output?.status === 'completed' && (
        <>
          <CodeBlock text={toText(output.result)} label="Result" wraps />
          <p className="rp-note">
            {output.agentCount} agents, {output.totalTokens.toLocaleString('en')} tokens
          </p>
        </>
      )}
      {isLaunched && task && task.summary !== '' && (
        <p className={status === 'completed' ? 'rp-note' : 'rp-warning'}>{task.summary}</p>
      )}
      {isLaunched && (
        <p className="rp-note">
          All of its output: <FileLink path={output.outputFile} />
        </p>
      )}
    </CallFrame>
  );
}

/**
 * Each phase with its agents, each as it was told last. The script's messages stand between them.
 */
function Phases({ call: { progress, droppedProgress } }: { readonly call: Call }) {
  const phases = toPhases(progress);
  return (
    <>
      {droppedProgress > 0 && <p className="rp-note">Earlier progress isn&apos;t shown.</p>}
      {[...phases].map(([title, lines]) => (
        <div key={title} role="group" aria-label={title || 'Agents'}>
          {title !== '' && <strong>{title}</strong>}
          <ul className="rp-list">
            {[...lines].map(([key, text]) => (
              <li key={key}>{text}</li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

const stateWords: Readonly<Record<string, string>> = {
  running: 'at work',
  completed: 'done',
  ended: 'came to nothing',
  refused: 'was refused',
  replayed: 'taken from the earlier run',
};

/** Security: the progress of a run crosses from a worker. */
function toPhases(progress: readonly unknown[]): Map<string, Map<string, string>> {
  const phases = new Map<string, Map<string, string>>();
  let current = '';
  const linesOf = (title: string) => {
    const lines = phases.get(title) ?? new Map<string, string>();
    phases.set(title, lines);
    return lines;
  };
  for (const [at, payload] of progress.entries()) {
    if (typeof payload !== 'object' || payload === null) continue;
    const { type, text, label, state, position, phase } = payload as Readonly<
      Record<string, unknown>
    >;
    if (type === 'phase') linesOf((current = String(text)));
    else if (type === 'log') linesOf(current).set(`log ${at}`, String(text));
    else if (type === 'agent') {
      const word = stateWords[String(state)] ?? '';
      const title = typeof phase === 'string' ? phase : '';
      linesOf(title).set(`agent ${String(position)}`, `${String(label)}: ${word}`);
    }
  }
  return phases;
}

function toText(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result, null, 2);
}
