// Puts a text on the clipboard, and says whether that worked.
import { useEffect, useState } from 'react';

export interface CopyButtonProps {
  readonly text: string;
  /** For screen readers: "Copy the code". */
  readonly label: string;
}

const words = { idle: 'Copy', copied: 'Copied', refused: 'Not allowed' } as const;

/** How long the button shows the outcome, in milliseconds. */
const toldFor = 2000;

/**
 * A button in the corner of its parent, which is positioned, or where the parent's style puts it.
 * It is seen when a pointer or the focus is there.
 */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof words>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), toldFor);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // The browser or the page's policy refuses. The button says so.
      setState('refused');
    }
  };
  return (
    <>
      <button type="button" className="rp-copy" aria-label={label} onClick={() => void copy()}>
        {words[state]}
      </button>
      <span className="rp-hidden" role="status">
        {state !== 'idle' && words[state]}
      </span>
    </>
  );
}
