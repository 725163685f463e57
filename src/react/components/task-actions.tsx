// The buttons of a task that runs: one lets its call go on without it, the other stops it.

export interface TaskActionsProps {
  /** Names the task for a screen reader, behind what the button does. */
  readonly label: string;
  readonly onBackground: (() => void) | undefined;
  readonly onStop: (() => void) | undefined;
}

/** Shows a button for each handler, and nothing without any. */
export function TaskActions({ label, onBackground, onStop }: TaskActionsProps) {
  if (!onBackground && !onStop) return null;
  return (
    <span className="rp-task-actions">
      {onBackground && (
        <button
          type="button"
          aria-label={`To background: ${label}`}
          title="Let the conversation go on without waiting for it"
          onClick={onBackground}
        >
          To background
        </button>
      )}
      {onStop && (
        <button type="button" className="rp-stop" aria-label={`Stop ${label}`} onClick={onStop}>
          Stop
        </button>
      )}
    </span>
  );
}
