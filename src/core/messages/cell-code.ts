// The form of a prompt that is a person's cell. The agent runs it, and the prompt field tells the person so.

const form = /^\s*!(?<code>[\s\S]*\S)/u;

/** The code behind the `!` at the text's beginning, trimmed. Undefined: the text is no cell. */
export function readCellCode(text: string): string | undefined {
  return form.exec(text)?.groups?.['code']?.trim();
}
