// The view of ToolSearch: the query, and the tools that were loaded.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { LongList } from '../../react/kit/long-list.tsx';
import { toolSearchInputSchema, toolSearchOutputSchema } from './schema.ts';
import type { ToolSearchInput, ToolSearchOutput } from './schema.ts';

export const view = defineView(
  { input: toolSearchInputSchema, output: toolSearchOutputSchema },
  ToolSearchView,
);

function ToolSearchView({
  call,
}: {
  readonly call: ParsedCall<ToolSearchInput, ToolSearchOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Looking for tools', 'Look for tools')}
      detail={input.query && <code>{input.query}</code>}
      meta={output && describeCount(output)}
    >
      {output && output.matches.length > 0 && (
        // 20: more than a search by words finds, so only a long list of names is ever folded.
        <LongList items={output.matches} step={20} noun="tools">
          {(shown) => (
            <ul className="rp-found-tools">
              {shown.map(({ name, description }) => (
                <li key={name}>
                  <code>{name}</code> {firstSentence(description)}
                </li>
              ))}
            </ul>
          )}
        </LongList>
      )}
      {output && output.unknown.length > 0 && (
        <p className="rp-note">Not there: {output.unknown.join(', ')}</p>
      )}
    </CallFrame>
  );
}

function describeCount({ matches }: ToolSearchOutput): string {
  return matches.length === 1 ? '1 tool' : `${matches.length || 'no'} tools`;
}

/** The first sentence. The rest of a description is about usage, and for the model. */
function firstSentence(description: string): string {
  return /^.*?[.!?](?=\s|$)/su.exec(description)?.[0] ?? description.slice(0, 200);
}
