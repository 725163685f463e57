// Where a person writes: Enter sends, Shift+Enter makes a line.
import { useId, useState } from 'react';
import type { FormEvent, KeyboardEvent } from 'react';

/** What is written goes to `onSend`; the host decides whether it begins a turn or waits. */
export interface ComposerProps {
  /** While the agent works nothing can be sent; what is written stays. */
  readonly isBusy: boolean;
  /** Gets the text without blanks around it; never an empty one. */
  readonly onSend: (text: string) => void;
  readonly placeholder?: string;
  /** Offered as buttons while nothing is written. */
  readonly suggestions?: readonly string[];
}

/** A field and a send button. What is written is the component's own state until it is sent. */
export function Composer({ isBusy, onSend, placeholder, suggestions = [] }: ComposerProps) {
  const [text, setText] = useState('');
  const hintId = useId();
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form className="rp-composer" onSubmit={send}>
      {text === '' && !isBusy && suggestions.length > 0 && (
        <div className="rp-suggestions">
          {suggestions.map((suggestion) => (
            <button key={suggestion} type="button" onClick={() => onSend(suggestion)}>
              {suggestion}
            </button>
          ))}
        </div>
      )}
      <textarea
        aria-label="Message to the agent"
        aria-describedby={hintId}
        placeholder={placeholder}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // An input method's Enter picks a candidate; it doesn't send.
          const isComposing = event.nativeEvent.isComposing;
          if (event.key === 'Enter' && !event.shiftKey && !isComposing) send(event);
        }}
      />
      <div className="rp-composer-line">
        <span id={hintId} className="rp-note">
          {isBusy ? 'The agent works: write ahead, send later' : 'Enter sends'}
        </span>
        <button type="submit" className="rp-primary" disabled={isBusy || text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}
