// The view while a project opens: nothing at first, and the progress if it takes longer.
import { useEffect, useState } from 'react';
import type { Project } from '../project/project.ts';

export interface OpeningProps {
  readonly project: Project;
  /** Files read so far, while a folder is imported. */
  readonly files: number | null;
  readonly onCancel: () => void;
}

/** In milliseconds. Most projects open sooner, and a short flash of a notice would disturb. */
const patience = 400;

/**
 * In milliseconds. After this time the cause may be another tab that has the workspace and doesn't respond. It loses
 * the workspace after 3 s.
 */
const longWait = 1500;

export function Opening({ project, files, onCancel }: OpeningProps) {
  const isSlow = useAfter(patience);
  const isStuck = useAfter(longWait) && files === null;
  if (!isSlow) return <div className="opening" />;
  return (
    <div className="opening" role="status">
      <p>Opening {project.name}…</p>
      {/* How many files a folder has is known only at its end: the bar shows that it goes on. */}
      <progress aria-label={`Opening ${project.name}`} />
      {isStuck && (
        <p className="note">
          If {project.name} is open in another tab of this browser, that tab doesn’t answer. This
          one takes over in a moment.
        </p>
      )}
      {files !== null && (
        <>
          <p className="note">{files.toLocaleString('en')} files read</p>
          <button type="button" onClick={onCancel}>
            Stop here
          </button>
        </>
      )}
    </div>
  );
}

/** True after this number of milliseconds. */
function useAfter(delay: number): boolean {
  const [isPast, setIsPast] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsPast(true), delay);
    return () => clearTimeout(timer);
  }, [delay]);
  return isPast;
}
