// The view of last resort: any tool's call, from its raw input and the text of its result.
import type { ViewedCall } from '../../core/call-state.ts';
import { CallFrame } from './call-frame.tsx';
import { CodeBlock } from './code-block.tsx';

/** For tools without a view, and for data that a view couldn't read. */
export function PlainCall({ call }: { readonly call: ViewedCall }) {
  const input = call.input === undefined ? '' : JSON.stringify(call.input, null, 2);
  return (
    <CallFrame call={call} title={call.toolName} detail={summarize(call.input)}>
      {input !== '' && input !== '{}' && <CodeBlock text={input} label="Input" />}
      {call.state === 'output-available' && call.resultText !== '' && (
        <CodeBlock text={call.resultText} label="Result" />
      )}
    </CallFrame>
  );
}

/** The first string of an input: a path, a pattern, a query. */
function summarize(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const first = Object.values(input).find((value) => typeof value === 'string') ?? '';
  return first.split('\n', 1)[0]?.slice(0, 80) ?? '';
}
