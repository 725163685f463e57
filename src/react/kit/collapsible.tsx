// A line that unfolds. A separate button lies under the line, so that the line may hold links. Controls inside a
// <summary> don't reach screen readers.
import { Children, useId, useState } from 'react';
import type { ReactNode } from 'react';

/** A line that stays, and a body that folds away. */
export interface CollapsibleProps {
  /** Stays in sight. Without children the summary is all there is, and nothing can be opened. */
  readonly summary: ReactNode;
  readonly isOpenByDefault?: boolean;
  /** Open, and can't be closed: something inside waits for a person. */
  readonly isForcedOpen?: boolean;
  readonly children?: ReactNode;
}

/**
 * A fold whose body is rendered only while it is open: a transcript holds hundreds. Once a person
 * has opened or shut it, later defaults change nothing.
 */
export function Collapsible(props: CollapsibleProps) {
  // Null until a person decides: until then a later default may still open it.
  const [choice, setChoice] = useState<boolean | null>(null);
  const lineId = useId();
  const isForcedOpen = props.isForcedOpen === true;
  const isOpen = isForcedOpen || (choice ?? props.isOpenByDefault ?? false);
  const hasBody = Children.toArray(props.children).length > 0;
  return (
    <div className="rp-fold">
      <div className="rp-fold-head">
        {hasBody && !isForcedOpen && (
          // The button has no text: it lies under the whole line, and the line names it.
          <button
            type="button"
            className="rp-fold-toggle"
            aria-expanded={isOpen}
            aria-labelledby={lineId}
            onClick={() => setChoice(!isOpen)}
          />
        )}
        <div className="rp-fold-line" id={lineId}>
          {props.summary}
        </div>
      </div>
      {hasBody && isOpen && <div className="rp-fold-body">{props.children}</div>}
    </div>
  );
}
