// What a person or the model has written behind a skill's or a command's name, put into its text.

const placeholder = '$ARGUMENTS';

/** In every place of `$ARGUMENTS`; where the text has none, behind it. */
export function fillArguments(text: string, given = ''): string {
  if (text.includes(placeholder)) return text.replaceAll(placeholder, () => given);
  return given === '' ? text : `${text.trimEnd()}\n\nArguments: ${given}\n`;
}
