// The conversation: turns, each a prompt and what followed. It scrolls with its end unless a person
// has scrolled away.
import { Fragment, memo, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { Tools } from '../../core/tool/tool.ts';
import { Collapsible } from '../kit/collapsible.tsx';
import type { ToolViews } from '../kit/define-view.tsx';
import { Markdown } from '../kit/markdown.tsx';
import { ToolsContext } from '../kit/plain-call.tsx';
import type { TranscriptEntry, Turn } from '../transcript.ts';
import { createFoldEntries } from './fold-calls.ts';
import type { FoldEntries } from './fold-calls.ts';
import { ToolCall } from './tool-call.tsx';
import { useFollowEnd } from './use-follow-end.ts';

/** The turns, oldest first, and the views for their calls. */
export interface TranscriptProps {
  /** `SessionSnapshot.turns`: unchanged turns must be the same objects, or all render again. */
  readonly turns: readonly Turn[];
  readonly views: ToolViews;
  /**
   * The tools' own words for their calls: what only looked, and follows each other, is then one line,
   * "Read 3 files: a.ts, b.ts, c.ts", with the calls below it. The same list each time, or all renders
   * again. A tool without a view is shown in its own words, too. Left out, each call has a line of its own.
   */
  readonly tools?: Tools;
  /** Stands below the newest turn once that has ended: "Try again", for one. */
  readonly ending?: ReactNode;
}

const noTools: Tools = [];

/**
 * The conversation in a box of its own that scrolls; give its parent a height.
 *
 * Follows new content while it is scrolled to its end, and offers the way back otherwise. Links to
 * files work where an {@link OpenFileContext} stands above it.
 */
export function Transcript({ turns, views, tools = noTools, ending }: TranscriptProps) {
  const fold = useMemo(() => createFoldEntries(tools), [tools]);
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
          <ToolsContext value={tools}>
            {turns.map((turn) => (
              <TurnView key={turn.id} turn={turn} views={views} fold={fold} />
            ))}
          </ToolsContext>
          {ending && turns.at(-1)?.endedAt && <div className="rp-ending">{ending}</div>}
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
  readonly fold: FoldEntries;
}

// Memoised like the entries below: a delta of the last turn renders neither the others nor their code.
const TurnView = memo(function TurnView({ turn, views, fold }: TurnViewProps) {
  return (
    <article className="rp-turn">
      {turn.prompt !== '' && (
        <div className="rp-prompt">
          <span className="rp-hidden">You: </span>
          {turn.prompt}
        </div>
      )}
      {fold(turn.entries).map(({ title, items }) =>
        title === null ? (
          items.map((entry) => <Entry key={entry.id} entry={entry} views={views} />)
        ) : (
          <FoldedCalls key={items[0]?.id} title={title} items={items} views={views} />
        ),
      )}
      {turn.endedAt !== null && <TurnEnd turn={turn} />}
    </article>
  );
});

interface FoldedCallsProps {
  readonly title: string;
  readonly items: readonly TranscriptEntry[];
  readonly views: ToolViews;
}

/** All of them have ended well: the line says so, and the calls are there for whoever asks. */
function FoldedCalls({ title, items, views }: FoldedCallsProps) {
  return (
    <div className={toEntryClass(items[0])}>
      <section className="rp-call" data-state="output-available">
        <Collapsible
          summary={
            <span className="rp-call-line">
              <span className="rp-call-mark" aria-hidden="true" />
              <span className="rp-call-title rp-folded-title">{title}</span>
              <span className="rp-hidden">Done</span>
            </span>
          }
        >
          {items.map((entry) => (
            <Fragment key={entry.id}>{renderEntry(entry, views)}</Fragment>
          ))}
        </Collapsible>
      </section>
    </div>
  );
}

interface EntryProps {
  readonly entry: TranscriptEntry;
  readonly views: ToolViews;
}

const Entry = memo(function Entry({ entry, views }: EntryProps) {
  return <div className={toEntryClass(entry)}>{renderEntry(entry, views)}</div>;
});

function toEntryClass(entry: TranscriptEntry | undefined): string {
  return entry?.parentToolUseId ? 'rp-entry rp-nested' : 'rp-entry';
}

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
  // A turn of before a reload came here in no time.
  const duration = turn.result?.duration_ms ?? (turn.endedAt ?? turn.startedAt) - turn.startedAt;
  const seconds = Math.round(duration / 1000);
  const cost = turn.result?.total_cost_usd ?? 0;
  const figures = [
    turn.callCount === 1 ? '1 call' : `${turn.callCount} calls`,
    `${seconds} s`,
    cost > 0 && `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`,
    turn.result?.subtype !== 'success' && 'ended early',
  ];
  return <p className="rp-turn-end">{figures.filter(Boolean).join(' · ')}</p>;
}
