// Shows what the agent is doing now, with a running clock. Screen readers hear only changes.
import { useEffect, useState } from 'react';
import { describeCall } from '../../trace/call-display.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { CallEntry, SessionSnapshot, TranscriptEntry } from '../transcript.ts';
import { toSpokenReply } from './spoken-reply.ts';

/** The session's snapshot, and the handler of the stop button. */
export interface StatusLineProps {
  readonly session: SessionSnapshot;
  /** If there are any, the line says that the agent waits, not that it works. */
  readonly openQuestions: number;
  /** Tools that describe what a call does: "Reading src/app.ts". Left out: the tools' names are shown. */
  readonly tools?: Tools;
  /** Only called while a turn runs. */
  readonly onStop: () => void;
}

/**
 * "Working · 12 s · 3 calls" and a stop button while a turn runs. Says that a lost connection is being retried. Nothing
 * visible otherwise. Mount it always. Its polite live region announces each step of the agent, and at the end its reply.
 */
export function StatusLine({ session, openQuestions, tools, onStop }: StatusLineProps) {
  const { isRunning, isReconnecting, turns } = session;
  const turn = turns.at(-1);
  const activity = isRunning && tools ? describeActivity(session, tools) : undefined;
  const seconds = useSeconds(isRunning ? (turn?.startedAt ?? null) : null);
  const calls = turn?.callCount ?? 0;
  return (
    <div className="rp-status" data-running={isRunning || isReconnecting}>
      {/* Polite, and without the clock: a screen reader hears steps, not seconds. */}
      <span className="rp-hidden" role="status">
        {announce(session, openQuestions, activity)}
      </span>
      {/* Announced at once: a failure mustn't wait behind other announcements. */}
      <span className="rp-hidden" aria-live="assertive">
        {findFailure(session)}
      </span>
      {(isRunning || isReconnecting) && (
        <span className="rp-status-text" aria-hidden="true">
          <span className="rp-spinner" data-waiting={openQuestions > 0 && !isReconnecting} />
          {isReconnecting ? (
            reconnecting
          ) : (
            <>
              {openQuestions > 0 ? 'Waiting for you' : (activity ?? 'Working')} · {seconds} s ·{' '}
              {calls} {calls === 1 ? 'call' : 'calls'}
              {session.role === 'viewer' && ' · elsewhere'}
            </>
          )}
        </span>
      )}
      {isRunning && (
        <button type="button" className="rp-stop" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  );
}

const reconnecting = 'Connection lost. Trying again; what you send or stop waits until then.';

/** Describes the last call, if one is under way. */
function describeActivity(session: SessionSnapshot, tools: Tools): string | undefined {
  const call = findOpenCall(session);
  return call && describeCall(tools, call).activity;
}

function findOpenCall({ turns }: SessionSnapshot): CallEntry | undefined {
  const call = turns.at(-1)?.entries.findLast(
    // A call that waits for its turn does nothing yet.
    (entry): entry is CallEntry => entry.kind === 'call' && entry.state !== 'input-queued',
  );
  return call?.state.startsWith('output-') ? undefined : call;
}

function announce(
  session: SessionSnapshot,
  openQuestions: number,
  activity: string | undefined,
): string {
  const { isRunning, turns } = session;
  if (session.isReconnecting) return reconnecting;
  const turn = turns.at(-1);
  if (!turn) return '';
  if (openQuestions > 0) return 'The agent asks for your permission.';
  if (!isRunning) {
    const { result } = turn;
    if (result?.subtype !== 'success' || result.is_error) return 'The agent stopped.';
    return `The agent is done. ${toSpokenReply(result.result)}`.trim();
  }
  if (activity !== undefined) return `${activity}.`;
  const call = findOpenCall(session);
  return call ? `The agent uses ${call.toolName}.` : 'The agent is working.';
}

/** Says why the last turn ended early, until the next one begins. */
function findFailure({ isRunning, turns }: SessionSnapshot): string {
  const isFailure = (entry: TranscriptEntry) => entry.kind === 'notice' && entry.level === 'error';
  const failure = isRunning ? undefined : turns.at(-1)?.entries.findLast(isFailure);
  return failure?.kind === 'notice' ? failure.text : '';
}

/** Whole seconds since `startedAt`, ticking; 0 for null. */
function useSeconds(startedAt: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (startedAt === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [startedAt]);
  return startedAt === null ? 0 : Math.max(0, Math.floor((now - startedAt) / 1000));
}
