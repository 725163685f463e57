// The dialog that chooses the model. It explains the scripted model and the risk of a key in a page.
import { useEffect, useId, useState } from 'react';
import type { EffortLevel } from 'rockpool/browser';
import { useModal } from '../layout/use-modal.ts';
import { messageOf } from '../message-of.ts';
import { checkBaseUrl } from './check-base-url.ts';
import { createModel, defaultModelName, efforts, toEffort } from './model-choice.ts';
import type { ModelChoice } from './model-choice.ts';

export interface ModelChooserProps {
  readonly choice: ModelChoice;
  /** The focus starts in the key's field, because the key was refused. */
  readonly startsAtKey: boolean;
  readonly onChoose: (choice: ModelChoice, keepsKey: boolean) => void;
  readonly onClose: () => void;
}

export function ModelChooser({ choice, startsAtKey, onChoose, onClose }: ModelChooserProps) {
  const dialogRef = useModal();
  const titleId = useId();
  const effortId = useId();
  const [kind, setKind] = useState(choice.kind);
  const [apiKey, setApiKey] = useState(choice.kind === 'scripted' ? '' : choice.apiKey);
  const [baseUrl, setBaseUrl] = useState(choice.kind === 'server' ? choice.baseUrl : '');
  const [model, setModel] = useState(choice.kind === 'scripted' ? defaultModelName : choice.model);
  const [effort, setEffort] = useState(choice.kind === 'scripted' ? undefined : choice.effort);
  const [keepsKey, setKeepsKey] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (startsAtKey) dialogRef.current?.querySelector<HTMLElement>('[type=password]')?.focus();
  }, [dialogRef, startsAtKey]);

  const submit = async () => {
    const next = toChoice(kind, { apiKey, baseUrl, model, effort });
    const wrong = next.kind === 'server' ? checkBaseUrl(next.baseUrl) : '';
    if (wrong !== '') return setProblem(wrong);
    try {
      // Creates the model once to find mistakes while the person can still correct them.
      await createModel(next);
    } catch (error) {
      return setProblem(messageOf(error));
    }
    onChoose(next, keepsKey);
  };

  return (
    <dialog ref={dialogRef} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2 id={titleId}>Model</h2>
        <fieldset className="choices">
          <legend className="rp-hidden">Which model</legend>
          <Choice
            value="scripted"
            current={kind}
            onChange={setKind}
            title="Scripted demo (no AI)"
            text="Plays a fixed script against the sample project: real tools, real tests, no model."
          />
          <Choice
            value="anthropic"
            current={kind}
            onChange={setKind}
            title="Anthropic, with a key"
            text="The page talks to api.anthropic.com itself."
          />
          <Choice
            value="server"
            current={kind}
            onChange={setKind}
            title="Another address"
            text="A proxy that holds the key, or any server that speaks the Messages API."
          />
        </fieldset>
        {kind === 'server' && (
          <Field
            label="Base URL"
            hint="https, or http on this machine; /v1/messages is added. The server must allow requests from this page (CORS)."
            value={baseUrl}
            onChange={setBaseUrl}
            placeholder="https://llm.example.com"
            isRequired
          />
        )}
        {kind !== 'scripted' && (
          <>
            <Field label="Model" value={model} onChange={setModel} isRequired />
            <label className="field">
              Effort
              <select
                value={effort ?? ''}
                aria-describedby={effortId}
                onChange={(event) => setEffort(toEffort(event.target.value))}
              >
                <option value="">The model’s own</option>
                {efforts.map(([level, title]) => (
                  <option key={level} value={level}>
                    {title}
                  </option>
                ))}
              </select>
              <span id={effortId} className="note">
                More is more thorough, slower and dearer. Older models refuse the choice.
              </span>
            </label>
            <Field
              label={kind === 'server' ? 'Key, if it needs one' : 'Key'}
              value={apiKey}
              onChange={setApiKey}
              isSecret
              isRequired={kind === 'anthropic'}
            />
            <label className="check">
              <input
                type="checkbox"
                checked={keepsKey}
                onChange={(event) => setKeepsKey(event.target.checked)}
              />
              Remember the key in this browser
            </label>
            <p className="bar bar-warning">
              A key in a page can be read by any script of that page, by extensions, and by whoever
              uses this browser. It stays in memory only, unless you tick the box. For anything but
              a trial, run a small proxy that holds the key and asks people to sign in, and enter
              its address above: then the key never reaches a browser.
            </p>
          </>
        )}
        {problem !== '' && (
          <p className="bar bar-danger" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Use this model
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface Fields {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly effort: EffortLevel | undefined;
}

function toChoice(kind: ModelChoice['kind'], fields: Fields): ModelChoice {
  const apiKey = fields.apiKey.trim();
  const served = { apiKey, model: fields.model.trim(), effort: fields.effort };
  if (kind === 'scripted') return { kind };
  if (kind === 'anthropic') return { kind, ...served };
  return { kind, baseUrl: fields.baseUrl.trim(), ...served };
}

interface ChoiceProps {
  readonly value: ModelChoice['kind'];
  readonly current: ModelChoice['kind'];
  readonly onChange: (kind: ModelChoice['kind']) => void;
  readonly title: string;
  readonly text: string;
}

function Choice({ value, current, onChange, title, text }: ChoiceProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- its text is the two below
    <label className="choice">
      <input
        type="radio"
        name="model-kind"
        checked={value === current}
        onChange={() => onChange(value)}
      />
      <span>
        <strong>{title}</strong>
        <span className="note">{text}</span>
      </span>
    </label>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
}

function Field(props: FieldProps) {
  const hintId = useId();
  return (
    <label className="field">
      {props.label}
      <input
        type={props.isSecret ? 'password' : 'text'}
        // Password managers would store the key, but only the box below may decide that.
        autoComplete="off"
        spellCheck={false}
        required={props.isRequired}
        placeholder={props.placeholder}
        value={props.value}
        aria-describedby={props.hint && hintId}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {props.hint && (
        <span id={hintId} className="note">
          {props.hint}
        </span>
      )}
    </label>
  );
}
