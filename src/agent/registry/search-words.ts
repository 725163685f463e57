// The words of names and sentences, brought to a form in which a query and a tool's texts meet. English,
// as the texts of tools are; words of other languages are compared as they are.

/** `mcp__git__list_files` and `NotebookEdit` are words, too. */
export function splitName(name: string): string[] {
  return splitText(name.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').replaceAll('_', ' '));
}

export function splitText(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Words that say nothing about what a tool is for; all of them where there are no others. */
export function dropFillers(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : words;
}

/**
 * One form for a word's plural, the forms of a verb and what it makes: "attaches", "attached" and
 * "attachment" are "attach". Only what it takes for that, so that words of different meaning seldom
 * fall together.
 */
export function toStem(word: string): string {
  // Shorter ones are names and abbreviations more often than forms.
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/u, 'y').replace(/(?<=[^su])s$/u, '');
  const bare = singular.replace(/(?<=[aeiouy].*[^e])(ing|ed)$/u, '');
  return bare
    .replace(/(?<=.{4})ment$/u, '')
    .replace(/(?<=..)([^aeiousl])\1$/u, '$1')
    .replace(/(?<=..)e$/u, '');
}

/** Stems of words that are used for the same. */
export function listSynonyms(stem: string): readonly string[] {
  return synonyms.get(stem) ?? [];
}

const fillers: ReadonlySet<string> = new Set(
  `a about all am an and any are as at be been but by can could do does did for from had has have how i
  if in into is it its let me my need not of on or our out please s should so some that the their them
  then there these they this those to up us use using want was we were what when where which who whose
  why will with would you your`.split(/\s+/u),
);

// What people and models say, and what tools call it. General words alone: what a product calls its
// things is for its tools' texts and hints to say.
const synonyms: ReadonlyMap<string, readonly string[]> = toSynonyms([
  ['create', 'add', 'new', 'make', 'open', 'start', 'insert'],
  ['get', 'read', 'show', 'fetch', 'view', 'give', 'see', 'display', 'look', 'retrieve', 'tell'],
  ['list', 'show'],
  ['search', 'find', 'look', 'query'],
  ['update', 'change', 'edit', 'modify', 'set'],
  ['delete', 'remove', 'erase', 'drop', 'clear'],
  ['send', 'post', 'write', 'publish', 'share'],
  ['run', 'execute', 'evaluate', 'trigger'],
  ['move', 'transition', 'transfer'],
  ['history', 'log', 'past'],
  ['switch', 'checkout', 'select', 'choose'],
  ['ticket', 'issue', 'bug'],
  ['folder', 'directory'],
  ['picture', 'image', 'screenshot', 'photo'],
  ['document', 'doc', 'documentation', 'page'],
  ['repository', 'repo', 'project'],
  ['database', 'db'],
  ['person', 'user', 'member', 'people'],
  ['pr', 'pull'],
]);

function toSynonyms(groups: readonly (readonly string[])[]): Map<string, string[]> {
  const others = new Map<string, string[]>();
  for (const group of groups.map((words) => words.map(toStem))) {
    for (const stem of group) {
      const known = others.get(stem) ?? [];
      others.set(stem, [...known, ...group.filter((other) => other !== stem)]);
    }
  }
  return others;
}
