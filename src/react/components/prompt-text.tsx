// A person's prompt. Of a long text, such as a pasted log, only the beginning is rendered until somebody asks for the
// rest.
import { useEffect, useMemo, useRef, useState } from 'react';
import { clipText } from '../../core/text/clip-text.ts';

/** A text that exceeds either limit is folded. */
const longest = { lines: 20, characters: 2000 };

/** How much of a folded text is shown. It is much less than the limit, so that folding is worth a click. */
const folded = { lines: 10, characters: 1000 };

/** The text of a prompt, with a button for the rest of a long one. */
export function PromptText({ text }: { readonly text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const { start, size } = useMemo(() => fold(text), [text]);
  const rest = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    // The reader continues at the place of the cut, also if the conversation was scrolled to its end. After folding,
    // the button is in another place.
    (isOpen ? rest : button).current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  if (start === text) return text;
  return (
    <>
      <div>
        {start}
        {isOpen ? <span ref={rest}>{text.slice(start.length)}</span> : '…'}
      </div>
      <button
        ref={button}
        type="button"
        className="rp-more"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? 'Show less' : `Show all ${size}`}
      </button>
    </>
  );
}

/** The part of the text that is shown at first, and the length of the whole text in words. */
function fold(text: string): { readonly start: string; readonly size: string } {
  const lines = text.split('\n');
  const hasManyLines = lines.length > longest.lines;
  if (!hasManyLines && text.length <= longest.characters) return { start: text, size: '' };
  const start = clipText(lines.slice(0, folded.lines).join('\n'), folded.characters).trimEnd();
  return { start, size: hasManyLines ? `${lines.length} lines` : `${text.length} characters` };
}
