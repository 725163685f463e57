// The header's button that shows the preview beside the agent, and whether the page in it has errors.
import { useSyncExternalStore } from 'react';
import { previewPane } from './preview.ts';

export function PreviewButton() {
  const { isShown, errors } = useSyncExternalStore(previewPane.subscribe, previewPane.getSnapshot);
  return (
    <button
      type="button"
      className="branch-button"
      aria-expanded={isShown}
      title="The app of these files, as it runs"
      onClick={() => previewPane.show(!isShown)}
    >
      Preview
      {errors > 0 && (
        <span className="branch-fact">
          {errors} {errors === 1 ? 'error' : 'errors'}
        </span>
      )}
    </button>
  );
}
