// The fallback view of any tool's call. It shows the tool's own words if there are some, the input field by field,
// and the text of the result. Only nested values are shown as JSON.
import { use } from 'react';
import { describeCall, describeResult } from '../../trace/call-display.ts';
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import { parseJson } from '../../core/text/parse-json.ts';
import { CallFrame, QuestionContext, ToolsContext, wordFor } from './call-frame.tsx';
import { DataFields } from './data-fields.tsx';
import { Markdown } from './markdown.tsx';

/** For tools without a view, and for data that a view couldn't read. */
export function PlainCall({ call }: { readonly call: ViewedCall }) {
  const tools = use(ToolsContext);
  const isQuestion = use(QuestionContext);
  const tool = findToolByName(tools, call.toolName);
  const display = tool && describeCall(tools, call);
  const result = tool && describeResult(tools, call);
  // A question shows the whole input. For a finished call the tool's own words say more.
  const showsInput = isQuestion || result === undefined;
  return (
    <CallFrame
      call={call}
      title={display ? wordFor(call.state, display.activity, display.title) : call.toolName}
      detail={display ? '' : summarize(call.input)}
      meta={result?.summary}
    >
      {showsInput && <DataFields value={call.input} label="Input" />}
      {result ? (
        <ResultContent content={result.content} />
      ) : (
        call.state === 'output-available' &&
        call.resultText !== '' && <DataFields value={readData(call.resultText)} label="Result" />
      )}
    </CallFrame>
  );
}

/** Reads the JSON of a server that answers programs. Any other text stays itself. */
function readData(text: string): unknown {
  return text.startsWith('{') ? (parseJson(text) ?? text) : text;
}

/**
 * Shows a text as Markdown, which its author wrote for people. Data for a view of the host's is
 * shown as fields.
 */
function ResultContent({
  content,
}: {
  readonly content: string | Readonly<Record<string, unknown>>;
}) {
  if (typeof content === 'string') return <Markdown text={content} />;
  return <DataFields value={content} label="Result" />;
}

/** The first string of an input: a path, a pattern, a query. */
function summarize(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const first = Object.values(input).find((value) => typeof value === 'string') ?? '';
  return first.split('\n', 1)[0]?.slice(0, 80) ?? '';
}
