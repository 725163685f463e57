// The view of ExitPlanMode: the plan, and the answer to it. Its form lets a person read it, change
// it, and choose how the agent goes on.
import { useId, useState } from 'react';
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import type { QuestionForm, QuestionFormProps } from '../../react/kit/question-form.ts';
import { restoreText, useKept } from '../../react/kit/use-kept.ts';
import {
  exitPlanModeAnswerSchema,
  exitPlanModeInputSchema,
  exitPlanModeOutputSchema,
} from './schema.ts';
import type { ExitPlanModeInput, ExitPlanModeOutput } from './schema.ts';

export const view = defineView(
  { input: exitPlanModeInputSchema, output: exitPlanModeOutputSchema },
  ExitPlanModeView,
);

interface ExitPlanModeViewProps {
  readonly call: ParsedCall<ExitPlanModeInput, ExitPlanModeOutput>;
}

function ExitPlanModeView({ call }: ExitPlanModeViewProps) {
  const { state, output } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Showing the plan', output ? 'Plan accepted' : 'Plan')}
      meta={output?.planWasEdited && 'with your changes'}
      isOpen={output !== undefined}
    >
      {output?.plan && <Markdown text={output.plan} />}
    </CallFrame>
  );
}

export const form: QuestionForm = {
  Body: PlanForm,
  no: 'Keep planning',
  noWithWords: 'Say what to change…',
  words: 'What should change in the plan?',
};

/** The possible next modes. `before`: the mode before the planning. */
const ways = [
  { value: 'before', label: 'As before the planning' },
  { value: 'default', label: 'Ask before each change' },
  { value: 'acceptEdits', label: 'Accept all edits of files' },
] as const;

type Way = (typeof ways)[number]['value'];

const restoreWay = (kept: unknown): Way | undefined =>
  ways.find(({ value }) => value === kept)?.value;

function PlanForm({ input, isArmed, asAsked, onAnswer, children }: QuestionFormProps) {
  const asked = exitPlanModeAnswerSchema().safeParse(input);
  const { plan = '', planFilePath } = asked.success ? asked.data : {};
  const [text, setText] = useKept(input, 'plan', () => plan, restoreText);
  const [isEditing, setIsEditing] = useState(false);
  const [way, setWay] = useKept<Way>(input, 'way', () => 'before', restoreWay);
  const wayId = useId();
  const isBlank = text.trim() === '';
  return (
    <form
      className="rp-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isArmed || isBlank) return;
        onAnswer({
          ...(text !== plan && { updatedInput: { plan: text, planFilePath } }),
          ...(way !== 'before' && { mode: way }),
        });
      }}
    >
      <div className="rp-permission-body">
        {isEditing ? (
          <textarea
            className="rp-plan-text"
            aria-label="The plan, in Markdown"
            value={text}
            // A person has just asked for it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed is the way here
            autoFocus
            rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
          <div className="rp-plan" role="region" aria-label="The plan" tabIndex={0}>
            <Markdown text={text} />
          </div>
        )}
        {text !== plan && <p className="rp-note">You have changed the plan. The agent is told.</p>}
        {isBlank && (
          <p className="rp-note">The plan is empty: write something, or keep planning.</p>
        )}
      </div>
      {!asAsked && (
        <p className="rp-form-line">
          <label htmlFor={wayId}>Then</label>
          <select id={wayId} value={way} onChange={(event) => setWay(event.target.value as Way)}>
            {ways.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <button type="button" aria-pressed={isEditing} onClick={() => setIsEditing(!isEditing)}>
            {isEditing ? 'Show the plan' : 'Edit the plan'}
          </button>
        </p>
      )}
      <div className="rp-permission-actions">
        <button type="submit" className="rp-primary" disabled={!isArmed || isBlank}>
          Accept the plan
        </button>
        {children}
      </div>
    </form>
  );
}
