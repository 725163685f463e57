// Lets a person change a text of a call's input before they say yes: the new text of an Edit, the content of a Write.
import type { EditableText } from '../kit/define-view.tsx';
import { restoreText, useKept } from '../kit/use-kept.ts';

/** The text that a person may change, and the input as it is with their change. */
export interface EditedText {
  readonly label: string;
  readonly text: string;
  readonly isChanged: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  setText(text: string): void;
}

/** Undefined where the tool has no such text, or the input's field isn't one. */
export function useEditedText(
  input: Readonly<Record<string, unknown>>,
  editable: EditableText | undefined,
): EditedText | undefined {
  const given = editable && input[editable.field];
  const [kept, setText] = useKept<string | undefined>(
    input,
    'changed-text',
    () => undefined,
    restoreText,
  );
  if (!editable || typeof given !== 'string' || editable.hasEffect?.(input) === false)
    return undefined;
  const text = kept ?? given;
  const isChanged = text !== given;
  return {
    label: editable.label,
    text,
    isChanged,
    input: isChanged ? { ...input, [editable.field]: text } : input,
    // A field gives each line end as a line feed.
    setText: (written) =>
      setText(given.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written),
  };
}

export function EditedTextField({ edited }: { readonly edited: EditedText }) {
  return (
    <textarea
      className="rp-changed-text"
      aria-label={edited.label}
      value={edited.text}
      // A person has just asked for it.
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed is the way here
      autoFocus
      spellCheck={false}
      rows={Math.min(20, Math.max(4, edited.text.split('\n').length + 1))}
      onChange={(event) => edited.setText(event.target.value)}
    />
  );
}
