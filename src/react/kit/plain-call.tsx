// The fallback view of any tool's call. It uses the tool's own words where there are some, else the
// raw input and the text of the result.
import { createContext, use } from 'react';
import { describeCall, describeResult } from '../../trace/call-display.ts';
import type { ViewedCall } from '../../core/call-state.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import type { Tools } from '../../core/tool/tool.ts';
import { CallFrame, QuestionContext, wordFor } from './call-frame.tsx';
import { CodeBlock } from './code-block.tsx';
import { Markdown } from './markdown.tsx';

/** The tools whose calls are shown: what they say of them is read where a tool has no view. */
export const ToolsContext = createContext<Tools>([]);

/** For tools without a view, and for data that a view couldn't read. */
export function PlainCall({ call }: { readonly call: ViewedCall }) {
  const tools = use(ToolsContext);
  const isQuestion = use(QuestionContext);
  const input = call.input === undefined ? '' : JSON.stringify(call.input, null, 2);
  const tool = findToolByName(tools, call.toolName);
  const display = tool && describeCall(tools, call);
  const result = tool && describeResult(tools, call);
  // What is asked about is shown whole; of what is over the tool's own words say more.
  const showsInput = isQuestion || result === undefined;
  return (
    <CallFrame
      call={call}
      title={display ? wordFor(call.state, display.activity, display.title) : call.toolName}
      detail={display ? '' : summarize(call.input)}
      meta={result?.summary}
    >
      {showsInput && input !== '' && input !== '{}' && <CodeBlock text={input} label="Input" />}
      {result ? (
        <ResultContent content={result.content} />
      ) : (
        call.state === 'output-available' &&
        call.resultText !== '' && <CodeBlock text={call.resultText} label="Result" />
      )}
    </CallFrame>
  );
}

/** A text as its author wrote it for people; data for a view of the host's as fields. */
function ResultContent({
  content,
}: {
  readonly content: string | Readonly<Record<string, unknown>>;
}) {
  if (typeof content === 'string') return <Markdown text={content} />;
  return <CodeBlock text={JSON.stringify(content, null, 2)} label="Result" />;
}

/** The first string of an input: a path, a pattern, a query. */
function summarize(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const first = Object.values(input).find((value) => typeof value === 'string') ?? '';
  return first.split('\n', 1)[0]?.slice(0, 80) ?? '';
}
