// The conversation: turns, each a prompt and what followed. It follows its end while a person is
// there, and stays where they scrolled to otherwise.
import { memo } from 'react';
import { Collapsible } from '../kit/collapsible.tsx';
import type { ToolViews } from '../kit/define-view.tsx';
import { Markdown } from '../kit/markdown.tsx';
import type { TranscriptEntry, Turn } from '../transcript.ts';
import { ToolCall } from './tool-call.tsx';
import { useFollowEnd } from './use-follow-end.ts';

/** The turns, oldest first, and the views for their calls. */
export interface TranscriptProps {
  /** `SessionSnapshot.turns`: unchanged turns must be the same objects, or all render again. */
  readonly turns: readonly Turn[];
  readonly views: ToolViews;
}

/**
 * The conversation in a box of its own that scrolls; give its parent a height.
 *
 * Follows new content while it is scrolled to its end, and offers the way back otherwise. Links to
 * files work where an {@link OpenFileContext} stands above it.
 */
export function Transcript({ turns, views }: TranscriptProps) {
  const { scrollerRef, isAtEnd, scrollToEnd } = useFollowEnd(turns);
  return (
    <div className="rp-transcript">
      {/* No live region: token by token it would flood a screen reader. StatusLine speaks. */}
      <div
        className="rp-transcript-scroller"
        ref={scrollerRef}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keyboards must reach it
        tabIndex={0}
      >
        <div>
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} views={views} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="rp-to-end" onClick={scrollToEnd}>
          Go to the newest
        </button>
      )}
    </div>
  );
}

interface TurnViewProps {
  readonly turn: Turn;
  readonly views: ToolViews;
}

// Memoised like the entries below: a delta of the last turn renders neither the others nor their code.
const TurnView = memo(function TurnView({ turn, views }: TurnViewProps) {
  return (
    <article className="rp-turn">
      {turn.prompt !== '' && (
        <div className="rp-prompt">
          <span className="rp-hidden">You: </span>
          {turn.prompt}
        </div>
      )}
      {turn.entries.map((entry) => (
        <Entry key={entry.id} entry={entry} views={views} />
      ))}
      {turn.endedAt !== null && <TurnEnd turn={turn} />}
    </article>
  );
});

interface EntryProps {
  readonly entry: TranscriptEntry;
  readonly views: ToolViews;
}

const Entry = memo(function Entry({ entry, views }: EntryProps) {
  const className = entry.parentToolUseId === null ? 'rp-entry' : 'rp-entry rp-nested';
  return <div className={className}>{renderEntry(entry, views)}</div>;
});

function renderEntry(entry: TranscriptEntry, views: ToolViews) {
  switch (entry.kind) {
    case 'call':
      return <ToolCall call={entry} views={views} />;
    case 'text':
      return <Markdown text={entry.text} />;
    case 'thinking':
      return (
        <Collapsible
          summary={
            <span className="rp-thinking-line">{entry.isStreaming ? 'Thinking…' : 'Thoughts'}</span>
          }
        >
          <div className="rp-thinking">
            <Markdown text={entry.text} />
          </div>
        </Collapsible>
      );
    case 'notice':
      return (
        <p className="rp-notice" data-level={entry.level}>
          {entry.text}
        </p>
      );
  }
}

/** The figures of a finished turn. Cost is shown only where there is one. */
function TurnEnd({ turn }: { readonly turn: Turn }) {
  const seconds = Math.round(((turn.endedAt ?? turn.startedAt) - turn.startedAt) / 1000);
  const cost = turn.result?.total_cost_usd ?? 0;
  const figures = [
    turn.callCount === 1 ? '1 call' : `${turn.callCount} calls`,
    `${seconds} s`,
    cost > 0 && `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`,
    turn.result?.subtype !== 'success' && 'ended early',
  ];
  return <p className="rp-turn-end">{figures.filter(Boolean).join(' · ')}</p>;
}
