// The buttons of a running task: one moves it to the background, the other stops it.

export interface TaskActionsProps {
  /** The task's name for a screen reader, after the button's action. */
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
