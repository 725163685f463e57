// The whole page when the workspace can't be opened: the error's own sentence, which names what is
// missing and what to do.
import { SdkError } from 'rockpool/browser';
import type { Project } from '../project/project.ts';
import { sampleProject } from '../project/project.ts';

export interface UnsupportedProps {
  readonly error: unknown;
  readonly project: Project;
  readonly onSample: () => void;
}

export function Unsupported({ error, project, onSample }: UnsupportedProps) {
  const isUnsupported = SdkError.isInstance(error) && error.code === 'unsupported-environment';
  const message = error instanceof Error || SdkError.isInstance(error) ? error.message : '';
  return (
    <main className="unsupported">
      <div role="alert">
        <h1>{isUnsupported ? 'Rockpool can’t run here' : 'The workspace couldn’t be opened'}</h1>
        <p>{message || String(error)}</p>
        {SdkError.isInstance(error) && <p className="note">{error.code}</p>}
      </div>
      <div className="dialog-actions">
        <button type="button" className="primary" onClick={() => location.reload()}>
          Try again
        </button>
        {project.name !== sampleProject.name && (
          <button type="button" onClick={onSample}>
            Open the sample instead
          </button>
        )}
      </div>
    </main>
  );
}
