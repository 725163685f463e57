// The view of WebSearch: the query, the pages with their hosts in sight, and words about them.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { ExternalLink } from '../../react/kit/external-link.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { webSearchInputSchema, webSearchOutputSchema } from './schema.ts';
import type { WebSearchInput, WebSearchOutput } from './schema.ts';

export const view = defineView(
  { input: webSearchInputSchema, output: webSearchOutputSchema },
  WebSearchView,
);

function WebSearchView({ call }: { readonly call: ParsedCall<WebSearchInput, WebSearchOutput> }) {
  const { input, output, state } = call;
  const { allowed_domains: allowed, blocked_domains: blocked } = input;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Searching the web', output ? 'Searched the web' : 'Search the web')}
      detail={input.query}
      meta={output && countPages(output)}
    >
      {allowed && <p className="rp-note">Only on {allowed.join(', ')}</p>}
      {blocked && <p className="rp-note">Not on {blocked.join(', ')}</p>}
      {output?.results.map((result, at) =>
        typeof result === 'string' ? (
          <Markdown key={at} text={result} />
        ) : (
          <ul key={at} className="rp-files">
            {result.content.map(({ title, url, snippet }, index) => (
              <li key={index}>
                <ExternalLink address={url} label={title} />
                {snippet !== undefined && <p className="rp-note">{snippet}</p>}
              </li>
            ))}
          </ul>
        ),
      )}
    </CallFrame>
  );
}

function countPages({ results }: WebSearchOutput): string {
  const count = results.reduce(
    (sum, result) => sum + (typeof result === 'string' ? 0 : result.content.length),
    0,
  );
  return count === 1 ? '1 page' : `${count} pages`;
}
