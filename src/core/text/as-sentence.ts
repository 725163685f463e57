/** A text that another sentence may follow: with a full stop, where it has no end of its own. */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === '' || /[.!?…:]['"”’)\]}]*$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
