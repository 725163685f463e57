// Shows what an Edit proposes where its diff isn't known yet: the old text as removed and the new as added.
import { CodeBlock } from './code-block.tsx';

export interface DraftDiffProps {
  readonly oldText: string;
  readonly newText: string;
  /** A file name or a language, for colours. */
  readonly language: string;
}

/** Either text may still be streaming. An empty text is left out. */
export function DraftDiff({ oldText, newText, language }: DraftDiffProps) {
  return (
    <div className="rp-draft-diff">
      {oldText !== '' && (
        <div className="rp-draft-removed">
          <CodeBlock text={oldText} label="− Replace" language={language} />
        </div>
      )}
      {newText !== '' && (
        <div className="rp-draft-added">
          <CodeBlock text={newText} label="+ With" language={language} />
        </div>
      )}
    </div>
  );
}
