// Checks the fields in the front matter of skills, commands and agents.
import { SdkError } from '../../core/errors.ts';

/** The fields, as readFrontMatter gives them. */
export type DefinitionFields = Readonly<Record<string, unknown>>;

// 1 024 characters: the limit of a skill's description, by the published format
// (https://agentskills.io/specification).
const maxTextChars = 1_024;

/**
 * One line of text; undefined if the field is missing or empty.
 *
 * @throws SdkError `invalid-input` if it isn't a text
 */
export function readTextField(fields: DefinitionFields, name: string): string | undefined {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw wrongField(name, 'a text');
  const line = value.trim().replace(/\s+/gu, ' ');
  if (line === '') return undefined;
  return line.length > maxTextChars ? `${line.slice(0, maxTextChars - 1)}…` : line;
}

/** @throws SdkError `invalid-input` if the field isn't a boolean */
export function readFlag(fields: DefinitionFields, name: string, otherwise: boolean): boolean {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'boolean') throw wrongField(name, 'true or false');
  return value;
}

/**
 * A list of tools or rules: an array, or one text with commas or spaces, such as `Read,
 * Edit(src/**)`.
 *
 * @throws SdkError `invalid-input` for any other value
 */
export function readToolList(
  fields: DefinitionFields,
  name: string,
  what = 'a list of tools, such as Read, Edit(src/**)',
): readonly string[] {
  const value = fields[name] ?? [];
  if (typeof value === 'string') return splitRules(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.map((item) => item.trim()).filter((item) => item !== '');
  }
  throw wrongField(name, what);
}

/**
 * Refuses hooks. Security: a definition may rely on its hooks as a guard.
 *
 * @throws SdkError `invalid-input` for a definition with hooks. `instead`: a sentence that says
 * where functions go
 */
export function refuseHooks(
  fields: DefinitionFields,
  instead = 'Give functions by options.hooks.',
): void {
  if (fields['hooks'] === undefined) return;
  throw new SdkError(
    'invalid-input',
    `Its hooks are commands, and there are no processes here. Take them out. ${instead}`,
    { data: { field: 'hooks' } },
  );
}

/** Splits a text at commas and spaces outside brackets. */
function splitRules(text: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/u.test(char)) rules.push('');
    else rules.push(`${rules.pop() ?? ''}${char}`);
  }
  return rules.filter((rule) => rule !== '');
}

function wrongField(name: string, what: string): SdkError {
  return new SdkError('invalid-input', `"${name}" in its front matter must be ${what}.`, {
    data: { field: name },
  });
}
