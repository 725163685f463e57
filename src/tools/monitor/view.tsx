// The view of Monitor: the source that is watched, and the outcome.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { monitorInputSchema, monitorOutputSchema } from './schema.ts';
import type { MonitorInput, MonitorOutput } from './schema.ts';

export const view = defineView(
  { input: monitorInputSchema, output: monitorOutputSchema },
  MonitorView,
);

const taskWords = {
  running: 'Watching',
  completed: 'Watched',
  failed: 'Could not go on watching',
  stopped: 'Stopped watching',
} as const;

function MonitorView({ call }: { readonly call: ParsedCall<MonitorInput, MonitorOutput> }) {
  const { input, output, state, task } = call;
  const source = input.ws?.url ?? input.files?.pattern;
  return (
    <CallFrame
      call={call}
      title={
        output
          ? taskWords[task?.status ?? 'running']
          : wordFor(state, 'Beginning to watch', 'Watch')
      }
      detail={input.description}
      meta={output && `at most ${output.timeoutMs / 1000} s`}
    >
      {source !== undefined && source !== '' && (
        <p className="rp-note">
          <code>{source}</code>
        </p>
      )}
      {input.command !== undefined && input.command !== '' && (
        <CodeBlock text={input.command} language="ts" />
      )}
      {task && task.summary !== '' && (
        <p className={task.status === 'failed' ? 'rp-warning' : 'rp-note'}>{task.summary}</p>
      )}
      {output && (
        <p className="rp-note">
          All events: <FileLink path={output.outputFile} />
        </p>
      )}
    </CallFrame>
  );
}
