// The fallback view of any tool's call: the tool's own words where there are some, the input field by field, and
// the text of the result. Nothing is shown as JSON that can be said otherwise.
import { use } from 'react';
import { describeCall, describeResult } from '../../trace/call-display.ts';
import type { ViewedCall } from '../../core/call-state.ts';
import { isRecord } from '../../core/is-record.ts';
import { findToolByName } from '../../core/tool/tool.ts';
import { CallFrame, QuestionContext, ToolsContext, wordFor } from './call-frame.tsx';
import { CodeBlock } from './code-block.tsx';
import { Markdown } from './markdown.tsx';

/** For tools without a view, and for data that a view couldn't read. */
export function PlainCall({ call }: { readonly call: ViewedCall }) {
  const tools = use(ToolsContext);
  const isQuestion = use(QuestionContext);
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
      {showsInput && <Fields value={call.input} label="Input" />}
      {result ? (
        <ResultContent content={result.content} />
      ) : (
        call.state === 'output-available' &&
        call.resultText !== '' && <Fields value={readData(call.resultText)} label="Result" />
      )}
    </CallFrame>
  );
}

/** What a server that answers programs says in JSON; any other text is itself. */
function readData(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A text as its author wrote it for people; data for a view of the host's as fields. */
function ResultContent({
  content,
}: {
  readonly content: string | Readonly<Record<string, unknown>>;
}) {
  if (typeof content === 'string') return <Markdown text={content} />;
  return <Fields value={content} label="Result" />;
}

/** Data by its names: what is short in a line, a longer text as a block, and only what is nested as JSON. */
function Fields({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (!isRecord(value)) return value === undefined ? null : <Value value={value} label={label} />;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  if (fields.length === 0) return null;
  const isShort = ([, one]: readonly [string, unknown]) =>
    !isNested(one) && !(typeof one === 'string' && isLong(one));
  const short = fields.filter(isShort);
  return (
    <>
      {short.length > 0 && (
        <dl className="rp-fields" aria-label={label}>
          {short.map(([name, one]) => (
            <div key={name}>
              <dt>{toWords(name)}</dt>
              <dd>{String(one)}</dd>
            </div>
          ))}
        </dl>
      )}
      {fields
        .filter((field) => !isShort(field))
        .map(([name, one]) => (
          <Value key={name} value={one} label={toWords(name)} />
        ))}
    </>
  );
}

function Value({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return <CodeBlock text={text} label={label} wraps={typeof value === 'string'} />;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** 200 characters: some two lines of the field. */
function isLong(text: string): boolean {
  return text.length > 200 || text.includes('\n');
}

/** "file_path" and "filePath" as words: "file path". */
function toWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replace(/_+/gu, ' ')
    .toLowerCase();
}

/** The first string of an input: a path, a pattern, a query. */
function summarize(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const first = Object.values(input).find((value) => typeof value === 'string') ?? '';
  return first.split('\n', 1)[0]?.slice(0, 80) ?? '';
}
