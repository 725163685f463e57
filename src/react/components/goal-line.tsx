// Shows the session's goal, and the result of the newest check of it.
import type { ActiveGoal } from '../../core/session/goal.ts';

/** The goal, and the handler of its button. */
export interface GoalLineProps {
  /** `SessionSnapshot.goal`. */
  readonly goal: ActiveGoal | null;
  /** For `PageSession.clearGoal`. */
  readonly onClear: () => void;
}

/** Shows nothing if there is no goal. */
export function GoalLine({ goal, onClear }: GoalLineProps) {
  if (!goal) return null;
  const { condition, iterations, last_reason: reason } = goal;
  const checks = iterations === 1 ? 'checked once' : `checked ${iterations} times`;
  return (
    <section className="rp-goal" aria-label="Goal">
      <div className="rp-goal-text">
        {/* The direction is that of the condition. */}
        <p className="rp-goal-condition" title={condition} dir="auto">
          <b dir="ltr">Goal</b> {condition}
        </p>
        {reason !== undefined && (
          <p className="rp-goal-check" title={reason}>
            {checks}: {reason}
          </p>
        )}
      </div>
      <button type="button" className="rp-stop" onClick={onClear}>
        Take back
      </button>
    </section>
  );
}
