// The conversation: turns, each with a prompt and everything that followed. Sub-agents are below the calls that have
// started them. It stays scrolled to its end unless a person has scrolled away.
import { Fragment, memo, use, useEffect, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import type { Tools } from '../../core/tool/tool.ts';
import { ToolsContext } from '../kit/call-frame.tsx';
import { Collapsible } from '../kit/collapsible.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import type { ToolViews } from '../kit/define-view.tsx';
import { OpenFileContext } from '../kit/file-link.tsx';
import { Markdown } from '../kit/markdown.tsx';
import { describeCall } from '../../trace/call-display.ts';
import type { CallEntry, PromptEntry, TranscriptEntry, Turn } from '../transcript.ts';
import { AgentWork } from './agent-work.tsx';
import { createFoldEntries } from './fold-calls.ts';
import type { FoldEntries } from './fold-calls.ts';
import { PromptImage } from './prompt-files.tsx';
import { PromptText } from './prompt-text.tsx';
import { splitByAgent } from './split-by-agent.ts';
import type { EntriesByAgent } from './split-by-agent.ts';
import { ToolCall } from './tool-call.tsx';
import { useFollowEnd } from './use-follow-end.ts';
import { useNewestTurns } from './use-newest-turns.ts';

/** The turns, oldest first, and the views for their calls. */
export interface TranscriptProps {
  /** `SessionSnapshot.turns`: unchanged turns must be the same objects, or all render again. */
  readonly turns: readonly Turn[];
  readonly views: ToolViews;
  /**
   * The tools describe their calls. Consecutive calls that only read or search are then one line, "Read 3 files:
   * a.ts, b.ts, c.ts", with the calls below it. A tool without a view is described by the tool, too. Give the same
   * list each time, or everything renders again. Left out: each call has its own line.
   */
  readonly tools?: Tools;
  /** For `Query.stopTask`: running agents have a stop button. Left out: they have none. */
  readonly onStopTask?: (taskId: string) => void;
  /**
   * For `Query.backgroundTasks`: an agent that its call waits for has a button that sends it to the background. Left
   * out: it has none.
   */
  readonly onBackgroundTask?: (toolUseId: string) => void;
  /** Shown below the newest turn once the turn has ended, for example "Try again". */
  readonly ending?: ReactNode;
}

const noTools: Tools = [];

/**
 * The conversation in a box of its own that scrolls; give its parent a height.
 *
 * Follows new content while it is scrolled to its end, and offers the way back otherwise. A new prompt is
 * always shown. Of a long conversation the newest 20 turns are in the document; earlier ones come as a reader scrolls
 * up to them. Links to files work where an {@link OpenFileContext} stands above it.
 */
export function Transcript(props: TranscriptProps) {
  const { turns, views, tools = noTools, ending } = props;
  const fold = useMemo(() => createFoldEntries(tools), [tools]);
  const onStopTask = useNewest(props.onStopTask);
  const onBackgroundTask = useNewest(props.onBackgroundTask);
  const means = useMemo(
    () => ({ views, tools, fold, onStopTask, onBackgroundTask }),
    [views, tools, fold, onStopTask, onBackgroundTask],
  );
  const costs = listCosts(turns);
  const prompt = findNewestPrompt(turns);
  const { scrollerRef, isAtEnd, scrollToEnd } = useFollowEnd(turns, prompt);
  const { from, buttonRef, showEarlier } = useNewestTurns(turns.length, isAtEnd, scrollerRef);
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
          {from > 0 && (
            <button type="button" className="rp-more" ref={buttonRef} onClick={showEarlier}>
              {from === 1 ? 'Show the earlier turn' : `Show earlier turns (${from})`}
            </button>
          )}
          <ToolsContext value={tools}>
            {turns.slice(from).map((turn, at) => (
              <TurnView key={turn.id} turn={turn} cost={costs[from + at] ?? 0} means={means} />
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

type Handler = (id: string) => void;

/** The newest handler, behind a function that stays the same: another would render all turns again. */
function useNewest(handler: Handler | undefined): Handler | undefined {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  const isThere = handler !== undefined;
  return useMemo(() => (isThere ? (id: string) => newest.current?.(id) : undefined), [isThere]);
}

/** What each turn has cost. A result has the total of the session so far; in an imported session it begins anew. */
function listCosts(turns: readonly Turn[]): number[] {
  let before = 0;
  return turns.map(({ result }) => {
    const total = result?.total_cost_usd ?? before;
    const cost = total < before ? total : total - before;
    before = total;
    return cost;
  });
}

/** The id of the newest prompt, which may have joined a turn. */
function findNewestPrompt(turns: readonly Turn[]): string | undefined {
  const turn = turns.findLast((one) => hasPrompt(one) || one.entries.some(isPrompt));
  return turn?.entries.findLast(isPrompt)?.id ?? turn?.id;
}

const isPrompt = ({ kind }: TranscriptEntry) => kind === 'prompt';

function hasPrompt({ prompt, images }: Turn): boolean {
  return prompt !== '' || images.length > 0;
}

/** What every entry needs for rendering. */
interface Means {
  readonly views: ToolViews;
  readonly tools: Tools;
  readonly fold: FoldEntries;
  readonly onStopTask: Handler | undefined;
  readonly onBackgroundTask: Handler | undefined;
}

interface TurnViewProps {
  readonly turn: Turn;
  /** In US dollars. */
  readonly cost: number;
  readonly means: Means;
}

// Memoised like the entries below: a delta of the last turn renders neither the others nor their code.
const TurnView = memo(function TurnView({ turn, cost, means }: TurnViewProps) {
  const byAgent = splitByAgent(turn.entries);
  return (
    <article className={turn.isTakenBack ? 'rp-turn rp-taken-back' : 'rp-turn'}>
      {turn.isTakenBack && <p className="rp-note">Taken back by a rewind</p>}
      {hasPrompt(turn) && <PromptView text={turn.prompt} images={turn.images} />}
      {turn.begunBy && <p className="rp-note">{beginnings[turn.begunBy]}</p>}
      <Entries agent={null} byAgent={byAgent} means={means} />
      {turn.endedAt !== null && (
        <TurnEnd turn={turn} cost={cost} reply={toReply(byAgent.get(null) ?? [])} />
      )}
    </article>
  );
});

function PromptView({ text, images }: Pick<PromptEntry, 'text' | 'images'>) {
  return (
    <div className="rp-prompt">
      <span className="rp-hidden">You: </span>
      {images.map((image, at) => (
        <PromptImage key={at} image={image} label={`Your image ${at + 1}`} />
      ))}
      <PromptText text={text} />
    </div>
  );
}

const beginnings = {
  'task-notification': 'News of work in the background:',
  tick: 'The agent looks again by itself:',
  schedule: 'What was scheduled is due:',
} as const satisfies Record<NonNullable<Turn['begunBy']>, string>;

interface EntriesProps {
  /** The call of the agent whose entries are shown. Null: the session's main agent. */
  readonly agent: string | null;
  readonly byAgent: EntriesByAgent;
  readonly means: Means;
}

function Entries({ agent, byAgent, means }: EntriesProps) {
  const { views, fold } = means;
  return fold(byAgent.get(agent) ?? []).map(({ title, items, caller }) =>
    title === null ? (
      items.map((entry) => (
        <Fragment key={entry.id}>
          <Entry entry={entry} isNested={caller !== agent} views={views} />
          {entry.kind === 'call' && entry.task?.agent && (
            <AgentEntries call={entry} byAgent={byAgent} means={means} />
          )}
          {entry.kind === 'call' && entry.agentCount !== undefined && (
            <EntriesOfSeveral call={entry} byAgent={byAgent} means={means} />
          )}
        </Fragment>
      ))
    ) : (
      <FoldedCalls
        key={items[0]?.id}
        title={title}
        items={items}
        isNested={caller !== agent}
        views={views}
      />
    ),
  );
}

interface AgentEntriesProps extends Omit<EntriesProps, 'agent'> {
  readonly call: CallEntry;
}

function AgentEntries({ call, byAgent, means }: AgentEntriesProps) {
  const { id, task } = call;
  const { onStopTask, onBackgroundTask } = means;
  if (!task?.agent) return null;
  const entries = byAgent.get(id) ?? [];
  const last = entries.findLast((entry) => entry.kind === 'call');
  const activity =
    last && !last.state.startsWith('output-') && describeCall(means.tools, last).activity;
  return (
    <AgentWork
      task={{ ...task, agent: task.agent }}
      description={task.description}
      activity={activity || undefined}
      onStop={onStopTask}
      onBackground={onBackgroundTask && (() => onBackgroundTask(id))}
    >
      {entries.length > 0 && <Entries agent={id} byAgent={byAgent} means={means} />}
    </AgentWork>
  );
}

/**
 * The entries of a workflow's agents, in the order in which they happened. The workflow's view shows the state of
 * each agent.
 */
function EntriesOfSeveral({ call, byAgent, means }: AgentEntriesProps) {
  if (!byAgent.has(call.id)) return null;
  const words =
    call.agentCount === 1 ? 'What its agent did' : `What its ${call.agentCount} agents did`;
  return (
    <section className="rp-agent" aria-label={words}>
      <Collapsible summary={<span className="rp-agent-line">{words}</span>}>
        <Entries agent={call.id} byAgent={byAgent} means={means} />
      </Collapsible>
    </section>
  );
}

interface FoldedCallsProps {
  readonly title: string;
  readonly items: readonly TranscriptEntry[];
  readonly isNested: boolean;
  readonly views: ToolViews;
}

/** A line for calls that have all ended well. A person who wants to see the calls unfolds it. */
function FoldedCalls({ title, items, isNested, views }: FoldedCallsProps) {
  const cwd = use(OpenFileContext)?.cwd;
  return (
    <div className={toEntryClass(isNested)}>
      <section className="rp-call" data-state="output-available">
        <Collapsible
          summary={
            <span className="rp-call-line">
              <span className="rp-call-mark" aria-hidden="true" />
              <span className="rp-call-title rp-folded-title">
                {/* The same class as in the lines of the calls themselves. */}
                {cwd === undefined ? title : title.replaceAll(`${cwd}/`, '')}
              </span>
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
  /** True if another call has made these calls. */
  readonly isNested: boolean;
  readonly views: ToolViews;
}

const Entry = memo(function Entry({ entry, isNested, views }: EntryProps) {
  return <div className={toEntryClass(isNested)}>{renderEntry(entry, views)}</div>;
});

function toEntryClass(isNested: boolean): string {
  return isNested ? 'rp-entry rp-nested' : 'rp-entry';
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
    case 'prompt':
      return <PromptView text={entry.text} images={entry.images} />;
    case 'notice':
      return (
        <p className="rp-notice" data-level={entry.level}>
          {entry.text}
        </p>
      );
  }
}

/** The text of the session's own model in a turn, as it was written. */
function toReply(entries: readonly TranscriptEntry[]): string {
  return entries.flatMap((entry) => (entry.kind === 'text' ? entry.text.trim() : [])).join('\n\n');
}

interface TurnEndProps {
  readonly turn: Turn;
  readonly cost: number;
  readonly reply: string;
}

/** The figures of a finished turn, and a button that copies its reply. The cost is shown only if there is one. */
function TurnEnd({ turn, cost, reply }: TurnEndProps) {
  // The messages of a turn from before a reload came all at once.
  const duration = turn.result?.duration_ms ?? (turn.endedAt ?? turn.startedAt) - turn.startedAt;
  const seconds = Math.round(duration / 1000);
  const figures = [
    turn.callCount > 0 && (turn.callCount === 1 ? '1 call' : `${turn.callCount} calls`),
    seconds > 0 && `${seconds} s`,
    cost >= 0.00005 && `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`,
    turn.result?.subtype !== 'success' && 'ended early',
  ];
  return (
    <div className="rp-turn-end">
      <span>{figures.filter(Boolean).join(' · ')}</span>
      {reply !== '' && <CopyButton text={reply} label="Copy the reply" />}
    </div>
  );
}
