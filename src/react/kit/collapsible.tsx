// A line that unfolds. <details> brings the keyboard and find-in-page; this adds "forced open".
import { Children, useState } from 'react';
import type { ReactNode } from 'react';

export interface CollapsibleProps {
  /** Stays in sight. Without children it is all that there is, and nothing can be opened. */
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
  const isOpen = props.isForcedOpen === true || (choice ?? props.isOpenByDefault ?? false);
  const hasBody = Children.toArray(props.children).length > 0;
  if (!hasBody) return <div className="rp-fold rp-fold-empty">{props.summary}</div>;
  return (
    <details
      className="rp-fold"
      open={isOpen}
      onToggle={(event) => {
        const isNowOpen = event.currentTarget.open;
        // Also fires when React sets `open`: only a difference is a person's choice.
        if (isNowOpen !== isOpen) setChoice(isNowOpen);
      }}
    >
      <summary
        onClick={(event) => {
          // The browser would shut it behind React's back.
          if (props.isForcedOpen) event.preventDefault();
        }}
      >
        {props.summary}
      </summary>
      <div className="rp-fold-body">{isOpen && props.children}</div>
    </details>
  );
}
