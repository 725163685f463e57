// The view of WebFetch: the page, the server's status, and the answer, as text that can do nothing.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { ExternalLink } from '../../react/kit/external-link.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { readActivity } from '../../react/kit/read-activity.ts';
import { webFetchInputSchema, webFetchOutputSchema } from './schema.ts';
import type { WebFetchInput, WebFetchOutput } from './schema.ts';

export const view = defineView(
  { input: webFetchInputSchema, output: webFetchOutputSchema },
  WebFetchView,
);

function WebFetchView({ call }: { readonly call: ParsedCall<WebFetchInput, WebFetchOutput> }) {
  const { input, output, state, progress } = call;
  const url = output?.url ?? input.url ?? '';
  const activity = output ? undefined : readActivity(progress);
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Reading page', 'Read page')}
      detail={url && <ExternalLink address={url} label={url} />}
      meta={output && `${output.code} ${output.codeText}, ${toSize(output.bytes)}`.trim()}
    >
      {input.prompt !== undefined && <p className="rp-note">{input.prompt}</p>}
      {input.offset !== undefined && <p className="rp-note">From character {input.offset} on</p>}
      {activity !== undefined && <p className="rp-note">{activity}</p>}
      {output && <Markdown text={output.result} />}
    </CallFrame>
  );
}

function toSize(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(0)} kB`;
}
