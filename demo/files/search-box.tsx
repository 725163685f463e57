// The search box: a field, two switches, and the progress.
import { useId, useRef } from 'react';
import { maxLines } from './file-search.ts';
import type { SearchQuestion, SearchSnapshot } from './file-search.ts';

export interface SearchBoxProps {
  readonly question: SearchQuestion;
  readonly search: SearchSnapshot;
  readonly onAsk: (question: SearchQuestion) => void;
  readonly onStop: () => void;
}

export function SearchBox({ question, search, onAsk, onStop }: SearchBoxProps) {
  const statusId = useId();
  const fieldRef = useRef<HTMLInputElement>(null);
  return (
    <search className="search-box">
      <div className="search-field">
        <input
          ref={fieldRef}
          type="search"
          aria-label="Search in files"
          aria-describedby={statusId}
          placeholder="Search in files"
          spellCheck={false}
          autoCapitalize="off"
          value={question.text}
          onChange={(event) => onAsk({ ...question, text: event.target.value })}
          onKeyDown={(event) => {
            const isDropped = event.key === 'Escape' && !event.nativeEvent.isComposing;
            if (isDropped) onAsk({ ...question, text: '' });
          }}
        />
        <button
          type="button"
          title="Match case"
          aria-label="Match case"
          aria-pressed={question.matchCase}
          onClick={() => onAsk({ ...question, matchCase: !question.matchCase })}
        >
          Aa
        </button>
        <button
          type="button"
          title="Pattern, in ripgrep's syntax"
          aria-label="Pattern, in ripgrep's syntax"
          aria-pressed={question.isPattern}
          onClick={() => onAsk({ ...question, isPattern: !question.isPattern })}
        >
          .*
        </button>
      </div>
      <div className="search-status" data-kind={search.kind} hidden={search.kind === 'idle'}>
        <span id={statusId} role="status">
          {describe(search)}
        </span>
        {search.kind === 'searching' && (
          <button
            type="button"
            onClick={() => {
              onStop();
              // The button is removed, so the focus moves to the field.
              fieldRef.current?.focus();
            }}
          >
            Stop
          </button>
        )}
      </div>
    </search>
  );
}

function describe({
  kind,
  files,
  lineCount,
  searched,
  total,
  isComplete,
  message,
}: SearchSnapshot) {
  if (kind === 'idle') return '';
  // The first line is enough. The others point at a place in the pattern, which the field shows.
  if (kind === 'failed') return message.split('\n', 1)[0];
  // A screen reader can't read a number that changes many times a second.
  if (kind === 'searching')
    return total === 0 ? 'Searching…' : `Searching ${percent(searched, total)} %…`;
  const lines = lineCount === 1 ? '1 line' : `${lineCount.toLocaleString('en')} lines`;
  const counted = `${lines} in ${files.length === 1 ? '1 file' : `${files.length} files`}`;
  if (kind === 'stopped') return `Stopped. ${counted} until then`;
  if (lineCount === 0) return 'No line matches';
  return isComplete ? counted : `The first ${maxLines.toLocaleString('en')} lines; there are more`;
}

// Steps of ten percent, because a screen reader reads each step.
function percent(searched: number, total: number): number {
  return Math.floor((10 * searched) / total) * 10;
}
