// The permission question. It is in a fixed place where nothing covers it, is announced at once, and can be answered
// by keyboard. The call in the transcript shows that it waits.
import { use, useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatRule } from '../../core/permissions/rule.ts';
import type { Tools } from '../../core/tool/tool.ts';
import { QuestionContext, ToolsContext } from '../kit/call-frame.tsx';
import type { EditableText, ToolViewModule, ToolViews } from '../kit/define-view.tsx';
import type { QuestionForm } from '../kit/question-form.ts';
import { FileChanges } from '../kit/file-changes.tsx';
import { revealControls } from '../kit/reveal-controls.ts';
import { KeptDraftContext, restoreText, useKept } from '../kit/use-kept.ts';
import type { QuestionDrafts } from '../kit/use-kept.ts';
import type { PermissionAnswer, PermissionQuestion } from '../permission-queue.ts';
import type { RunningTask } from '../transcript.ts';
import { nameAsker } from './describe-agent.ts';
import { EditedTextField, useEditedText } from './edited-text.tsx';
import type { EditedText } from './edited-text.tsx';
import { isTyping } from './is-typing.ts';
import { ToolCall } from './tool-call.tsx';

/** The open questions, oldest first: the card shows the first of them. */
export interface PermissionCardProps {
  /** Oldest first; the first is shown, the others are counted. */
  readonly questions: readonly PermissionQuestion[];
  readonly views: ToolViews;
  /** Tools that describe how the call would run: "in the background". Left out: those of a `ToolsContext` above. */
  readonly tools?: Tools;
  /** `SessionSnapshot.tasks`: the card names the sub-agent that asks. */
  readonly tasks?: readonly RunningTask[];
  /**
   * Keeps the entered answers over a reload. Left out: they are lost with the page. Give the same object each time.
   */
  readonly drafts?: QuestionDrafts;
  readonly onAnswer: (id: string, answer: PermissionAnswer) => void;
  /**
   * Called when the person changes a text of the call, with the input that a yes would send. Null: it is as the agent
   * asked. An editor that shows `proposedChanges` then shows this change instead.
   */
  readonly onChangedInput?: (id: string, input: Readonly<Record<string, unknown>> | null) => void;
}

/**
 * The oldest open question, answered by buttons, and by Escape for no. Mount it always, in a place
 * that nothing covers: without a question it is only the region that announces the next one.
 */
export function PermissionCard(props: PermissionCardProps) {
  const { questions, views, tasks = noTasks, drafts, onAnswer } = props;
  const known = use(ToolsContext);
  const question = questions[0];
  const questionId = question?.id ?? '';
  const kept = useMemo(() => drafts && { questionId, drafts }, [questionId, drafts]);
  const asker = nameAsker(question?.agentId, tasks);
  const place = usePlace(questions);
  return (
    <>
      {/* The region is there before the question, or a screen reader would not read it. The focus may have to stay elsewhere. */}
      <div className="rp-hidden" aria-live="assertive">
        {question && announce(question, asker, place)}
      </div>
      {question && (
        <ToolsContext value={props.tools ?? known}>
          <KeptDraftContext value={kept ?? null}>
            <Card
              key={question.id}
              question={question}
              asker={asker}
              place={place}
              views={views}
              onAnswer={(answer) => onAnswer(question.id, answer)}
              onChangedInput={(input) => props.onChangedInput?.(question.id, input)}
            />
          </KeptDraftContext>
        </ToolsContext>
      )}
    </>
  );
}

const noTasks: readonly RunningTask[] = [];

/**
 * Security: a new card accepts no answer for this number of milliseconds. A click or a key that was meant for
 * something else must not allow anything.
 */
const armingDelay = 400;

interface CardProps {
  readonly question: PermissionQuestion;
  /** The sub-agent that asks. Undefined: the session's main agent. */
  readonly asker: string | undefined;
  readonly place: string;
  readonly views: ToolViews;
  readonly onAnswer: (answer: PermissionAnswer) => void;
  readonly onChangedInput: (input: EditedText['input'] | null) => void;
}

function Card({ question, asker, place, views, onAnswer, onChangedInput }: CardProps) {
  const cardRef = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const bodyId = useId();
  const isArmed = useArmed();
  const [isExplaining, setIsExplaining] = useState(false);
  useTakeFocus(cardRef);
  const stopExplaining = () => {
    // The field is removed. Without this, the focus would move to the start of the page.
    cardRef.current?.focus({ preventScroll: true });
    setIsExplaining(false);
  };
  const canRemember = question.suggestions.length > 0;
  const { form, editable } = useModule(question, views);
  const edited = useEditedText(question.input, question.asAsked ? undefined : editable);
  const [isEditing, setIsEditing] = useState(false);
  useTellChange(edited, onChangedInput);
  const refusals = (
    <>
      <button
        type="button"
        className="rp-danger"
        disabled={!isArmed}
        onClick={() => onAnswer({ type: 'deny' })}
      >
        {form?.no ?? 'Deny'}
      </button>
      {!question.elicitation && (
        <button type="button" disabled={!isArmed} onClick={() => setIsExplaining(true)}>
          {form?.noWithWords ?? 'Deny and say why…'}
        </button>
      )}
    </>
  );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a dialog closes on Escape
    <div
      ref={cardRef}
      className="rp-permission"
      role="alertdialog"
      aria-labelledby={titleId}
      // A plan or a form is too long for a screen reader to read out at once.
      aria-describedby={form === null ? bodyId : undefined}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isArmed) return;
        event.stopPropagation();
        // An input method's Escape drops its candidates.
        if (event.nativeEvent.isComposing) return;
        if (isExplaining) stopExplaining();
        // One key must not discard the typed text. The next Escape says no.
        else if (isTyping(document.activeElement)) cardRef.current?.focus({ preventScroll: true });
        else onAnswer({ type: 'deny' });
      }}
    >
      <h3 id={titleId}>
        <span className="rp-permission-mark" aria-hidden="true">
          ?
        </span>
        {toHeading(question)}
        {place !== '' && <span className="rp-permission-more"> {place}</span>}
      </h3>
      {asker !== undefined && <p className="rp-note">Asked by the {asker}.</p>}
      {form && (
        <form.Body
          input={question.input}
          isArmed={isArmed && !isExplaining}
          asAsked={question.asAsked === true}
          onAnswer={(answer) => onAnswer({ type: 'allow-with', ...answer })}
        >
          {!isExplaining && refusals}
        </form.Body>
      )}
      {form === null && (
        <div id={bodyId} className="rp-permission-body">
          {question.reason && <p>{toSentence(question.reason)}</p>}
          {question.defaultToNo && <p>It can’t be undone.</p>}
          <Description question={question} />
          {question.changes.length > 0 ? (
            <FileChanges changes={question.changes} />
          ) : isEditing && edited ? (
            <EditedTextField edited={edited} />
          ) : (
            <QuestionContext value={true}>
              <ToolCall call={toViewedCall(question, edited)} views={views} />
            </QuestionContext>
          )}
          {edited?.isChanged && <p className="rp-note">You have changed it.</p>}
        </div>
      )}
      {isExplaining && (
        <DenialForm
          question={question}
          words={form?.words ?? 'What the agent should do instead'}
          no={form?.no ?? 'Deny'}
          onDeny={(message) => onAnswer({ type: 'deny', message })}
          onBack={stopExplaining}
        />
      )}
      {!isExplaining && form === null && (
        <div className="rp-permission-actions">
          <button
            type="button"
            className={question.defaultToNo ? undefined : 'rp-primary'}
            disabled={!isArmed}
            onClick={() =>
              onAnswer(
                edited?.isChanged
                  ? { type: 'allow-with', updatedInput: edited.input }
                  : { type: 'allow-once' },
              )
            }
          >
            {edited?.isChanged ? 'Allow with your changes' : 'Allow once'}
          </button>
          {edited && (
            <button
              type="button"
              aria-pressed={isEditing}
              disabled={!isArmed}
              onClick={() => setIsEditing(!isEditing)}
            >
              {isEditing ? 'Show the change' : 'Change it…'}
            </button>
          )}
          {canRemember && !edited?.isChanged && (
            <button
              type="button"
              disabled={!isArmed}
              onClick={() => onAnswer({ type: 'allow-session' })}
            >
              Allow for this session:
              <span className="rp-permission-rule"> {describeSuggestions(question)}</span>
            </button>
          )}
          {refusals}
        </div>
      )}
    </div>
  );
}

/** Calls `tell` with the changed input, and with null once it isn't changed any more. */
function useTellChange(edited: EditedText | undefined, tell: CardProps['onChangedInput']): void {
  const changed = edited?.isChanged ? edited : undefined;
  const text = changed?.text;
  const told = useRef<string>(undefined);
  useEffect(() => {
    if (told.current === text) return;
    told.current = text;
    tell(changed?.input ?? null);
  });
}

/** "2 of 3" if several questions are, or were, open at once. Empty for a single one. */
function usePlace(questions: readonly PermissionQuestion[]): string {
  const [batch, setBatch] = useState<readonly string[]>([]);
  const ids = questions.map(({ id }) => id);
  const unknown = ids.filter((id) => !batch.includes(id));
  // The count begins with the first question that found none open. It ends when none is open any
  // more.
  const next = ids.length === 0 ? [] : [...batch, ...unknown];
  if (next.length !== batch.length) setBatch(next);
  return next.length > 1 ? `${next.length - ids.length + 1} of ${next.length}` : '';
}

interface DenialFormProps {
  readonly question: PermissionQuestion;
  /** What the person's message should say. */
  readonly words: string;
  readonly no: string;
  readonly onDeny: (message: string) => void;
  readonly onBack: () => void;
}

function DenialForm({ question, words, no, onDeny, onBack }: DenialFormProps) {
  const [message, setMessage] = useKept(question, 'denial', () => '', restoreText);
  const inputRef = useRef<HTMLInputElement>(null);
  useEffect(() => inputRef.current?.focus(), []);
  return (
    <form
      className="rp-permission-actions"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(message);
      }}
    >
      <input
        ref={inputRef}
        aria-label={words}
        placeholder={words}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <button type="submit" className="rp-danger">
        {no}
      </button>
      <button type="button" onClick={onBack}>
        Back
      </button>
    </form>
  );
}

/** The loaded modules, so that a tool's second question has its form at once. */
const knownModules = new WeakMap<LoadModule, QuestionModule>();

type LoadModule = () => Promise<Partial<ToolViewModule>>;

/** `form`: null for yes or no; undefined while it isn't known yet, and nothing can be answered. */
interface QuestionModule {
  readonly form: QuestionForm | null | undefined;
  readonly editable?: EditableText | undefined;
}

const loadElicitationForm: LoadModule = () => import('./elicitation-form.tsx');

/** The part of the tool's view module that is about its questions. */
function useModule(
  { toolName, changes, elicitation }: PermissionQuestion,
  views: ToolViews,
): QuestionModule {
  const isOwn = changes.length === 0 && Object.hasOwn(views, toolName);
  const load = elicitation ? loadElicitationForm : isOwn ? views[toolName] : undefined;
  const [loaded, setLoaded] = useState(load && knownModules.get(load));
  useEffect(() => {
    if (!load) return;
    let isOver = false;
    load().then(
      ({ form = null, editable }) => {
        const module = { form, editable };
        knownModules.set(load, module);
        if (!isOver) setLoaded(module);
      },
      // Without the form's code, the question can still be refused.
      () => {
        if (!isOver) setLoaded({ form: null });
      },
    );
    return () => void (isOver = true);
  }, [load]);
  return load ? (loaded ?? { form: undefined }) : { form: null };
}

function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsArmed(true), armingDelay);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}

/**
 * Moves the focus to the card, unless somebody is typing; then the card is only announced. The card itself gets the
 * focus, never a button, so that Space and Enter can't allow anything by accident. When the card closes, the focus
 * returns to where it was.
 */
function useTakeFocus(cardRef: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const card = cardRef.current;
    const before = document.activeElement;
    if (!card) return;
    if (!isTyping(before)) card.focus({ preventScroll: true });
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if ((isLost || card.contains(document.activeElement)) && before instanceof HTMLElement) {
        before.focus({ preventScroll: true });
      }
    };
  }, [cardRef]);
}

/** Says what "for this session" would allow: rules as they are written, a mode in words. */
function describeSuggestions(question: PermissionQuestion): string {
  return question.suggestions
    .map((update) => {
      if ('directories' in update) return `files in ${update.directories.join(', ')}`;
      if (update.type !== 'setMode') return update.rules.map(formatRule).join(', ');
      return update.mode === 'acceptEdits' ? 'all edits of files' : `mode ${update.mode}`;
    })
    .join('; ');
}

function announce(question: PermissionQuestion, asker: string | undefined, place: string): string {
  const heading = toHeading(question);
  if (question.elicitation) return `${heading}${place && ` (${place})`}`;
  return `The ${asker ?? 'agent'} asks${place && ` (${place})`}: ${heading}`;
}

/**
 * The card's heading. Before a call runs, its title usually names the call. After it has run, its title is the
 * question itself.
 */
function toHeading({ title, changes, elicitation }: PermissionQuestion): string {
  // Security: the MCP server's words must not pass for the agent's own question.
  if (elicitation) return revealControls(`The MCP server ${elicitation.serverName} asks: ${title}`);
  const shown = revealControls(title);
  return changes.length > 0 || title.endsWith('?') ? shown : `Allow ${shown}?`;
}

/**
 * The lines of the description that the rest of the card doesn't show. The card has the diffs of
 * changed files, but not what git did.
 */
function Description({ question }: { readonly question: PermissionQuestion }) {
  const { title, description, changes } = question;
  const isShown = (line: string) =>
    changes.some(({ type, path }) => line.startsWith(`${type} `) && isEndOf(path, line));
  const lines = description.split('\n').filter((line) => !isShown(line));
  // "Read: a.ts" and "Read a.ts" say the same.
  const isNew = lines.length > 0 && toWords(lines.join(' ')) !== toWords(title);
  return isNew && <p className="rp-note rp-lines">{revealControls(lines.join('\n'))}</p>;
}

/** True if the path ends with the line's, which is relative to the working directory. */
function isEndOf(path: string, line: string): boolean {
  const relative = line.slice(line.indexOf(' ') + 1);
  return path === relative || path.endsWith(`/${relative}`);
}

function toWords(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

function toSentence(reason: string): string {
  const capital = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** If the person has changed the text, the diff isn't known, so the view shows the text. */
function toViewedCall(question: PermissionQuestion, edited: EditedText | undefined) {
  const isChanged = edited?.isChanged === true;
  return {
    toolName: question.toolName,
    state: 'approval-requested' as const,
    input: isChanged ? edited.input : question.input,
    output: undefined,
    ...(question.proposedChanges && !isChanged && { proposedChanges: question.proposedChanges }),
    progress: [],
    droppedProgress: 0,
    task: null,
    resultText: '',
    elapsedSeconds: 0,
  };
}
