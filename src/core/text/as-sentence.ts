/** Adds a full stop if the text has no sentence end, so that another sentence may follow. */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?…:]['"”’)\]}]*$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
