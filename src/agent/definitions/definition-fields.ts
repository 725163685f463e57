// Checks each field of a definition's front matter: of skills, commands and agents.
import { SdkError } from '../../core/errors.ts';

/** As readFrontMatter gives them. */
export type DefinitionFields = Readonly<Record<string, unknown>>;

// 1 024 characters: what describes a skill, by the published format (https://agentskills.io/specification).
const maxTextChars = 1_024;

/**
 * One line of text; undefined where the field isn't there, or is empty.
 *
 * @throws SdkError `invalid-input` for what is no text.
 */
export function readTextField(fields: DefinitionFields, name: string): string | undefined {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw wrongField(name, 'a text');
  const line = value.trim().replace(/\s+/gu, ' ');
  if (line === '') return undefined;
  return line.length > maxTextChars ? `${line.slice(0, maxTextChars - 1)}…` : line;
}

/** @throws SdkError `invalid-input` for what is neither true nor false. */
export function readFlag(fields: DefinitionFields, name: string, otherwise: boolean): boolean {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'boolean') throw wrongField(name, 'true or false');
  return value;
}

/**
 * A list of tools or rules: as a list, or as one text with commas or spaces between them, such as
 * `Read, Edit(src/**)`.
 *
 * @throws SdkError `invalid-input` for what is no such list.
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
 * Security: a definition may count on its hooks as its guard.
 *
 * @throws SdkError `invalid-input` for a definition with hooks. `instead`: a sentence that says where functions go.
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

/** Splits a text at commas and spaces outside of brackets. */
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
