// The view of a cell: its code, its output as it comes, its value or error, its changes, and
// whether they were rolled back.
import type { ReactNode } from 'react';
import { clipText } from '../../core/text/clip-text.ts';
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { FileChanges } from '../../react/kit/file-changes.tsx';
import { replInputSchema, replOutputSchema } from './schema.ts';
import type { ReplInput, ReplOutput, ReplProgress } from './schema.ts';

type Call = ParsedCall<ReplInput, ReplOutput>;

export const view = defineView({ input: replInputSchema, output: replOutputSchema }, ReplView);

function ReplView({ call }: { readonly call: Call }) {
  const { input, output, state } = call;
  if (output?.backgroundTaskId !== undefined) return <BackgroundCell call={call} />;
  const code = input.code ?? '';
  return (
    <CallFrame
      call={call}
      title={input.description ? 'Repl' : wordFor(state, 'Running', output ? 'Ran' : 'Run')}
      detail={input.description ?? <code>{firstLineOf(code)}</code>}
      meta={output && describeOutcome(output)}
      showsFailure={output === undefined}
      isOpen
    >
      {code !== '' && <CodeBlock text={code} language="ts" />}
      {output ? <Outcome output={output} /> : <LiveOutput call={call} />}
    </CallFrame>
  );
}

/** The first line, cut where the frame ends: it needn't lay out all of a long line. */
function firstLineOf(code: string): string {
  return clipText(code.trim().split('\n', 1)[0] ?? '', 200);
}

const taskWords = {
  running: 'Running in the background',
  completed: 'Ran in the background',
  failed: 'Failed in the background',
  stopped: 'Stopped in the background',
} as const;

/** The result of the call came at once. The task has the outcome. */
function BackgroundCell({ call }: { readonly call: Call }) {
  const { input, output, task } = call;
  const code = input.code ?? '';
  const status = task?.status ?? 'running';
  return (
    <CallFrame
      call={call}
      title={taskWords[status]}
      detail={input.description ?? <code>{firstLineOf(code)}</code>}
      meta={status === 'running' && output?.backgroundTaskId}
      isOpen
    >
      {code !== '' && <CodeBlock text={code} language="ts" />}
      <LiveOutput call={call} />
      {task && task.summary !== '' && (
        <p className={status === 'completed' ? 'rp-note' : 'rp-warning'}>{task.summary}</p>
      )}
      {output?.persistedOutputPath !== undefined && (
        <p className="rp-note">
          All of its output: <FileLink path={output.persistedOutputPath} />
        </p>
      )}
    </CallFrame>
  );
}

function describeOutcome(output: ReplOutput): ReactNode {
  const count = output.changes.length + (output.changesLeftOut ?? 0);
  const changes = count === 1 ? '1 file changed' : `${count} files changed`;
  const { returnCodeInterpretation: failure } = output;
  if (failure === undefined) return count > 0 && changes;
  return (
    <>
      <em>{failure}</em>
      {count > 0 && ` · ${changes}`}
    </>
  );
}

function Outcome({ output }: { readonly output: ReplOutput }) {
  const { stdout, stderr, display, error, changes, changesLeftOut = 0, git = [] } = output;
  return (
    <>
      {stdout !== '' && <CodeBlock text={stdout} label="Output" language="test-report" />}
      {stderr !== '' && <CodeBlock text={stderr} label="Errors printed" tone="error" />}
      {display !== undefined && <CodeBlock text={display} label="Value" language="ts" />}
      {error && <CodeBlock text={toErrorText(error)} label="Error" tone="error" wraps />}
      {output.timedOutAfterMs !== undefined && (
        <p className="rp-warning">Cut after {output.timedOutAfterMs / 1000} s.</p>
      )}
      {output.rolledBack && (
        <p className="rp-warning">Rolled back: variables and files are as before this cell.</p>
      )}
      {git.length > 0 && (
        <CodeBlock text={git.map(({ told }) => `git ${told}`).join('\n')} label="Git" />
      )}
      {changes.length > 0 && <FileChanges changes={changes} />}
      {changesLeftOut > 0 && <p className="rp-note">And {changesLeftOut} more.</p>}
    </>
  );
}

function toErrorText(error: NonNullable<ReplOutput['error']>): string {
  const place = error.line === undefined ? '' : ` (line ${error.line})`;
  const stack = error.stack === undefined ? '' : `\n${error.stack.trimEnd()}`;
  return `${error.name}: ${error.message}${place}${stack}`;
}

/** The output so far. A cell that was cut from outside shows it, too. */
function LiveOutput({ call }: { readonly call: Call }) {
  const pieces = call.progress.map(readProgress);
  const stdout = pieces.map((piece) => piece.stdout ?? '').join('');
  const stderr = pieces.map((piece) => piece.stderr ?? '').join('');
  const git = pieces.findLast((piece) => piece.git)?.git;
  return (
    <>
      {call.droppedProgress > 0 && <p className="rp-note">Earlier output isn&apos;t shown.</p>}
      {stdout !== '' && <CodeBlock text={stdout} label="Output so far" language="test-report" />}
      {stderr !== '' && <CodeBlock text={stderr} label="Errors printed so far" tone="error" />}
      {git && <p className="rp-note">{describeGit(git)}</p>}
    </>
  );
}

function describeGit({ command, phase, done, total }: NonNullable<ReplProgress['git']>): string {
  const inBytes = phase === 'receiving' || phase === 'sending';
  const count = (value: number) =>
    inBytes ? `${(value / 1_000_000).toFixed(1)} MB` : value.toLocaleString('en');
  return `git ${command}: ${phase} ${count(done)}${total === undefined ? '' : ` of ${count(total)}`}`;
}

function readGit(given: unknown): ReplProgress['git'] {
  if (typeof given !== 'object' || given === null) return undefined;
  const { command, phase, done, total } = given as Readonly<Record<string, unknown>>;
  if (typeof command !== 'string' || typeof phase !== 'string') return undefined;
  if (typeof done !== 'number') return undefined;
  return { command, phase, done, ...(typeof total === 'number' && { total }) };
}

function readProgress(payload: unknown): ReplProgress {
  if (typeof payload !== 'object' || payload === null) return {};
  const { stdout, stderr, git: given } = payload as Readonly<Record<string, unknown>>;
  const git = readGit(given);
  return {
    ...(typeof stdout === 'string' && { stdout }),
    ...(typeof stderr === 'string' && { stderr }),
    ...(git && { git }),
  };
}
