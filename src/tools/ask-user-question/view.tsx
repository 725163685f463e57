// The view of AskUserQuestion: the questions, and the answers. A person answers in its form.
import { useId } from 'react';
import { isRecord } from '../../core/values/is-record.ts';
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import type { QuestionForm, QuestionFormProps } from '../../react/kit/question-form.ts';
import { useKept } from '../../react/kit/use-kept.ts';
import { askUserQuestionInputSchema, askUserQuestionOutputSchema } from './schema.ts';
import type { AskedQuestion, AskUserQuestionInput, AskUserQuestionOutput } from './schema.ts';

export const view = defineView(
  { input: askUserQuestionInputSchema, output: askUserQuestionOutputSchema },
  AskUserQuestionView,
);

interface AskUserQuestionViewProps {
  readonly call: ParsedCall<AskUserQuestionInput, AskUserQuestionOutput>;
}

function AskUserQuestionView({ call }: AskUserQuestionViewProps) {
  const { state, input, output } = call;
  const questions = output?.questions ?? input.questions ?? [];
  const [first] = questions;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Asking', output ? 'You answered' : 'Question')}
      detail={questions.length > 1 ? `${questions.length} questions` : first?.question}
      isOpen={output !== undefined}
    >
      {questions.length > 0 && (
        <dl className="rp-answers">
          {questions.map(({ question, options }) => (
            <div key={question}>
              <dt>{question}</dt>
              <dd>
                {output && Object.hasOwn(output.answers, question)
                  ? output.answers[question]
                  : options.map(({ label }) => label).join(' · ')}
                {output?.annotations?.[question]?.notes && (
                  <p className="rp-note">{output.annotations[question].notes}</p>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </CallFrame>
  );
}

export const form: QuestionForm = {
  Body: AnswerForm,
  no: 'Don’t answer',
  noWithWords: 'Say something else…',
  words: 'What should the agent know instead?',
};

/** The options that a person has chosen so far, and their text. */
interface Draft {
  readonly chosen: readonly string[];
  readonly isOther: boolean;
  readonly other: string;
  readonly notes: string;
}

const nothing: Draft = { chosen: [], isOther: false, other: '', notes: '' };

function AnswerForm({ input, isArmed, onAnswer, children }: QuestionFormProps) {
  const asked = askUserQuestionInputSchema().safeParse(input);
  const { questions } = asked.success ? asked.data : { questions: [] };
  const [drafts, setDrafts] = useKept<readonly Draft[]>(
    input,
    'drafts',
    () => questions.map(() => nothing),
    (kept) => restoreDrafts(kept, questions.length),
  );
  const missing = drafts.filter((draft) => toAnswer(draft) === undefined).length;
  return (
    <form
      className="rp-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isArmed || missing > 0) return;
        onAnswer({ updatedInput: { questions, ...collect(questions, drafts) } });
      }}
    >
      <div className="rp-permission-body">
        {questions.map((question, at) => (
          <ChoiceField
            key={question.question}
            question={question}
            draft={drafts[at] ?? nothing}
            onChange={(draft) => setDrafts(drafts.with(at, draft))}
          />
        ))}
      </div>
      <div className="rp-permission-actions">
        <button type="submit" className="rp-primary" disabled={!isArmed || missing > 0}>
          Answer
        </button>
        {children}
        {questions.length > 1 && (
          <span className="rp-note rp-form-count" role="status">
            {questions.length - missing} of {questions.length} answered
          </span>
        )}
      </div>
    </form>
  );
}

interface ChoiceFieldProps {
  readonly question: AskedQuestion;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function ChoiceField({ question, draft, onChange }: ChoiceFieldProps) {
  const name = useId();
  const { options, multiSelect } = question;
  const type = multiSelect ? 'checkbox' : 'radio';
  const hasPreviews = options.some(({ preview }) => preview !== undefined);
  const choose = (label: string, isChosen: boolean) => {
    const others = multiSelect ? draft.chosen.filter((one) => one !== label) : [];
    // The chosen options keep the order in which they were offered.
    const chosen = options
      .map((option) => option.label)
      .filter((one) => others.includes(one) || (isChosen && one === label));
    onChange({ ...draft, chosen, isOther: multiSelect && draft.isOther });
  };
  const chooseOther = (isOther: boolean) =>
    onChange({ ...draft, isOther, chosen: multiSelect ? draft.chosen : [] });
  return (
    <fieldset className="rp-choice">
      <legend>
        <span className="rp-choice-header">{question.header}</span> {question.question}
        {multiSelect && <span className="rp-note"> Choose one or more.</span>}
      </legend>
      <div className="rp-choice-options" data-previews={hasPreviews}>
        {options.map(({ label, description, preview }) => (
          <div key={label} className="rp-choice-option">
            <label>
              <input
                type={type}
                name={name}
                checked={draft.chosen.includes(label)}
                onChange={(event) => choose(label, event.target.checked)}
              />
              <span>
                {label}
                {description !== '' && <span className="rp-note">{description}</span>}
              </span>
            </label>
            {preview !== undefined && <CodeBlock text={preview} wraps />}
          </div>
        ))}
        <div className="rp-choice-option rp-choice-other">
          <label>
            <input
              type={type}
              name={name}
              checked={draft.isOther}
              onChange={(event) => chooseOther(event.target.checked)}
            />
            <span>Other</span>
          </label>
          <input
            type="text"
            aria-label={`Other: ${question.question}`}
            placeholder="In your own words"
            value={draft.other}
            onChange={({ target: { value } }) =>
              onChange({
                ...draft,
                other: value,
                // A person who writes here chooses this option.
                isOther: value !== '' || draft.isOther,
                chosen: multiSelect || value === '' ? draft.chosen : [],
              })
            }
          />
        </div>
      </div>
      {hasPreviews && (
        <input
          type="text"
          aria-label={`Notes: ${question.question}`}
          placeholder="Notes (you may leave them out)"
          value={draft.notes}
          onChange={(event) => onChange({ ...draft, notes: event.target.value })}
        />
      )}
    </fieldset>
  );
}

/** Undefined for a value that isn't drafts of so many questions. */
function restoreDrafts(kept: unknown, count: number): readonly Draft[] | undefined {
  const all: readonly unknown[] = Array.isArray(kept) ? kept : [];
  return all.length === count && all.every(isDraft) ? all : undefined;
}

function isDraft(value: unknown): value is Draft {
  if (!isRecord(value)) return false;
  const { chosen, isOther, other, notes } = value;
  const isText = (one: unknown) => typeof one === 'string';
  const isChosen = Array.isArray(chosen) && chosen.every(isText);
  return isChosen && typeof isOther === 'boolean' && isText(other) && isText(notes);
}

/** Undefined: there is no answer yet. */
function toAnswer({ chosen, isOther, other }: Draft): string | undefined {
  const own = other.trim();
  if (isOther && own === '') return undefined;
  const all = isOther ? [...chosen, own] : chosen;
  return all.length > 0 ? all.join(', ') : undefined;
}

/** The answers in the host's form: by the questions' texts. */
function collect(questions: readonly AskedQuestion[], drafts: readonly Draft[]) {
  const answers: [string, string][] = [];
  const annotations: [string, { preview?: string; notes?: string }][] = [];
  questions.forEach(({ question, options }, at) => {
    const draft = drafts[at] ?? nothing;
    const notes = draft.notes.trim();
    const preview = options.find(({ label }) => draft.chosen.includes(label))?.preview;
    answers.push([question, toAnswer(draft) ?? '']);
    if (notes === '' && preview === undefined) return;
    annotations.push([
      question,
      { ...(preview !== undefined && { preview }), ...(notes !== '' && { notes }) },
    ]);
  });
  return {
    answers: Object.fromEntries(answers),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}
