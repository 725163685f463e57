// The form in which a person answers an MCP server during a call. It has plain fields with defaults, or an address
// that a click opens. Loaded with the first such question.
import { useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { findFieldFault, readElicitedForm, readElicitedUrl } from '../../core/mcp/elicited-form.ts';
import type { ElicitedField } from '../../core/mcp/elicited-form.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { ElicitedValue } from '../../core/mcp/mcp-exchange.ts';
import type { QuestionForm, QuestionFormProps } from '../kit/question-form.ts';
import { useKept } from '../kit/use-kept.ts';

export const form: QuestionForm = {
  Body: ElicitationForm,
  no: 'Decline',
  noWithWords: '',
  words: '',
};

function ElicitationForm(props: QuestionFormProps) {
  const { mode, url, requestedSchema } = isRecord(props.input) ? props.input : {};
  if (mode === 'url') return <AddressForm {...props} address={readElicitedUrl(url)} />;
  return <FieldsForm {...props} fields={readElicitedForm(requestedSchema) ?? []} />;
}

/**
 * Security: the server's text is untrusted. The host is shown separately, so that a long path can't hide it. Nothing
 * is fetched or opened before the click.
 */
function AddressForm({
  address,
  isArmed,
  onAnswer,
  children,
}: QuestionFormProps & { readonly address: URL | undefined }) {
  return (
    <div className="rp-form">
      <div className="rp-permission-body">
        {address ? (
          <p>
            It wants you to open a page of <strong>{address.host}</strong>:{' '}
            <code>{address.href}</code>
          </p>
        ) : (
          <p>It wants you to open an address that is none with https:.</p>
        )}
      </div>
      <div className="rp-permission-actions">
        {address && (
          <button
            type="button"
            className="rp-primary"
            disabled={!isArmed}
            onClick={() => {
              window.open(address.href, '_blank', 'noopener,noreferrer');
              onAnswer({});
            }}
          >
            Open {address.host}
          </button>
        )}
        {children}
      </div>
    </div>
  );
}

/** The value that a person has entered so far. Texts are as they were typed. */
type Draft = string | boolean | readonly string[];

function FieldsForm({
  input,
  fields,
  isArmed,
  onAnswer,
  children,
}: QuestionFormProps & { readonly fields: readonly ElicitedField[] }) {
  const id = useId();
  const formRef = useRef<HTMLFormElement>(null);
  const [drafts, setDrafts] = useKept<readonly Draft[]>(input, 'drafts', () => fields.map(toDraft));
  const [isChecked, setIsChecked] = useState(false);
  const faults = fields.map((field, at) => findDraftFault(field, drafts[at] ?? ''));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isArmed) return;
    const wrong = faults.findIndex((fault) => fault !== undefined);
    if (wrong < 0) {
      const content = fields.flatMap((field, at) => {
        const value = toValue(field, drafts[at] ?? '');
        return value === undefined ? [] : [[field.name, value] as const];
      });
      onAnswer({ updatedInput: Object.fromEntries(content) });
      return;
    }
    setIsChecked(true);
    formRef.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${wrong}`)}`)?.focus();
  };
  return (
    <form ref={formRef} className="rp-form" noValidate onSubmit={submit}>
      <div className="rp-permission-body">
        {fields.map((field, at) => (
          <FieldRow
            key={field.name}
            id={`${id}-${at}`}
            field={field}
            draft={drafts[at] ?? ''}
            fault={isChecked ? faults[at] : undefined}
            onChange={(draft) => setDrafts(drafts.with(at, draft))}
          />
        ))}
      </div>
      <div className="rp-permission-actions">
        <button type="submit" className="rp-primary" disabled={!isArmed}>
          Send
        </button>
        {children}
      </div>
    </form>
  );
}

interface FieldRowProps {
  readonly id: string;
  readonly field: ElicitedField;
  readonly draft: Draft;
  readonly fault: string | undefined;
  readonly onChange: (draft: Draft) => void;
}

function FieldRow(props: FieldRowProps) {
  const { id, field, fault } = props;
  const notes = (
    <>
      {field.description !== '' && (
        <span id={`${id}-about`} className="rp-note">
          {field.description}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} className="rp-field-fault" role="alert">
          {field.title} {fault}.
        </span>
      )}
    </>
  );
  if (field.type === 'choices') {
    return (
      <fieldset className="rp-choice" aria-describedby={describe(props)}>
        <legend>
          {field.title}
          {field.minItems > 0 && <Needed />}
        </legend>
        {notes}
        <Choices {...props} field={field} />
      </fieldset>
    );
  }
  if (field.type === 'boolean') {
    return (
      <div className="rp-field">
        <label className="rp-field-check">
          <Input {...props} />
          <span>{field.title}</span>
        </label>
        {notes}
      </div>
    );
  }
  return (
    <div className="rp-field">
      <label htmlFor={id}>
        {field.title}
        {field.isRequired && <Needed />}
      </label>
      <Input {...props} />
      {notes}
    </div>
  );
}

function Needed() {
  return <span className="rp-note"> (required)</span>;
}

function describe({ id, field, fault }: FieldRowProps): string | undefined {
  const ids = [
    ...(field.description === '' ? [] : [`${id}-about`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  return ids.length === 0 ? undefined : ids.join(' ');
}

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' };

function Input(props: FieldRowProps) {
  const { id, field, draft, fault, onChange } = props;
  const common = {
    id,
    'aria-describedby': describe(props),
    'aria-invalid': fault !== undefined,
    'aria-required': field.isRequired,
  };
  if (field.type === 'boolean') {
    return (
      <input
        {...common}
        aria-required={undefined}
        type="checkbox"
        checked={draft === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  const value = String(draft);
  if (field.type === 'choice') {
    return (
      <select {...common} value={value} onChange={(event) => onChange(event.target.value)}>
        {(value === '' || !field.isRequired) && <option value="">—</option>}
        {field.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  const isText = field.type === 'text';
  return (
    <input
      {...common}
      type={isText ? (field.format ? inputTypes[field.format] : 'text') : 'text'}
      // A field of type number gives an empty text for anything that isn't a number, so there would be nothing to
      // report.
      inputMode={
        isText ? undefined : field.type === 'number' && field.isWhole ? 'numeric' : 'decimal'
      }
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function Choices({
  id,
  field,
  draft,
  onChange,
}: FieldRowProps & { readonly field: Extract<ElicitedField, { type: 'choices' }> }) {
  const chosen: readonly string[] = Array.isArray(draft) ? draft : [];
  return (
    <div className="rp-choice-options" id={id} tabIndex={-1}>
      {field.options.map(({ value, label }) => (
        <div key={value} className="rp-choice-option">
          <label>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ target }) =>
                onChange(
                  // The chosen options keep the order in which they were offered.
                  field.options.flatMap((one) => {
                    const isChosen =
                      one.value === value ? target.checked : chosen.includes(one.value);
                    return isChosen ? one.value : [];
                  }),
                )
              }
            />
            <span>{label}</span>
          </label>
        </div>
      ))}
    </div>
  );
}

function toDraft(field: ElicitedField): Draft {
  return field.type === 'number' ? String(field.initial ?? '') : field.initial;
}

/** Undefined: the field was left empty. */
function toValue(field: ElicitedField, draft: Draft): ElicitedValue | undefined {
  if (field.type === 'boolean' || field.type === 'choices') return draft;
  const text = String(draft).trim();
  if (text === '') return undefined;
  if (field.type === 'number') return Number(text);
  const isLocalTime = field.type === 'text' && field.format === 'date-time';
  // The value of the browser's own field has no time zone.
  return isLocalTime && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : text;
}

function findDraftFault(field: ElicitedField, draft: Draft): string | undefined {
  const value = toValue(field, draft);
  if (value !== undefined) return findFieldFault(field, value);
  return field.isRequired ? 'is needed' : undefined;
}
