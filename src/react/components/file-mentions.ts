// The files that a person names by `@` in a prompt, listed while the word is written. The model
// gets the path as it is written, and reads the file.

// 20: a person who sees more keeps writing.
const maxListed = 20;

/**
 * The matching `files`, which are paths, as a prompt has them: with a backslash before a space.
 * Paths whose file name begins with the word come first.
 */
export function findMentions(files: readonly string[], text: string): readonly string[] {
  const written = wordForm.exec(text)?.groups?.['path'];
  if (written === undefined) return [];
  const path = written.replaceAll('\\ ', ' ');
  // If the whole path is written, Enter sends the prompt.
  if (files.includes(path)) return [];
  const wanted = path.toLowerCase();
  const ranks: string[][] = [[], [], []];
  for (const file of files) {
    const lower = file.toLowerCase();
    const name = lower.slice(lower.lastIndexOf('/') + 1);
    const rank = name.startsWith(wanted) ? 0 : lower.startsWith(wanted) ? 1 : 2;
    if (rank < 2 || lower.includes(wanted)) ranks[rank]?.push(file);
    if (ranks[0]?.length === maxListed) break;
  }
  return ranks.flat().slice(0, maxListed).map(toMention);
}

/** Replaces the word before the caret by the mention. */
export function takeMention(text: string, mention: string): string {
  const word = wordForm.exec(text);
  const before = word ? text.slice(0, word.index) + (word.groups?.['before'] ?? '') : text;
  return `${before}${mention} `;
}

/** Adds a mention of the file to the end of the text. */
export function addMention(text: string, path: string): string {
  const gap = text === '' || /\s$/u.test(text) ? '' : ' ';
  return `${text}${gap}${toMention(path)} `;
}

const wordForm = /(?<before>^|\s)@(?<path>(?:\\ |\S)*)$/u;

const toMention = (path: string) => `@${path.replaceAll(' ', '\\ ')}`;
