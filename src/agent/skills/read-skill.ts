// Parses one skill: SKILL.md, by the published format (https://agentskills.io/specification) and
// Claude Code's additional fields. Pure; workspace-skills.ts reads the files.
import { SdkError } from '../../core/errors.ts';
import type { Skill } from '../../core/commands/skill.ts';
import { quoteHint, readFrontMatter } from '../../text/front-matter.ts';
import {
  readFlag,
  readTextField,
  readToolList,
  refuseHooks,
} from '../definitions/definition-fields.ts';

/** The fields in the text of a skill. */
export type SkillText = Omit<Skill, 'source' | 'path' | 'directory' | 'isTrusted'> & {
  readonly body: string;
};

/**
 * Parses it. `folderName` is the name if the text has none.
 *
 * @throws SdkError `invalid-input` with the reason
 */
export async function readSkill(text: string, folderName: string): Promise<SkillText> {
  const { fields, body } = await readFrontMatter(quoteHint(text));
  if (body.trim() === '') {
    throw new SdkError('invalid-input', 'There is no text below the front matter.');
  }
  refuseHooks(fields);
  const description = readTextField(fields, 'description') ?? firstLine(body);
  const whenToUse = readTextField(fields, 'when_to_use') ?? readTextField(fields, 'when-to-use');
  const argumentHint = readTextField(fields, 'argument-hint');
  const agent = readTextField(fields, 'agent');
  return {
    name: checkSkillName(readTextField(fields, 'name') ?? folderName),
    description,
    ...(whenToUse !== undefined && { whenToUse }),
    ...(argumentHint !== undefined && { argumentHint }),
    allowedTools: readToolList(fields, 'allowed-tools'),
    context: checkContext(readTextField(fields, 'context') ?? 'inline'),
    ...(agent !== undefined && { agent }),
    disableModelInvocation: readFlag(fields, 'disable-model-invocation', false),
    userInvocable: readFlag(fields, 'user-invocable', true),
    body,
  };
}

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u;

/**
 * @throws SdkError `invalid-input` for an invalid name. Names appear in lists, rules and commands
 */
export function checkSkillName(name: unknown): string {
  if (typeof name === 'string' && nameForm.test(name) && !name.includes('..')) return name;
  throw new SdkError(
    'invalid-input',
    `Its name is ${JSON.stringify(name)}. Use at most 64 letters, digits, "-", "_", "." and ":", beginning with a letter or a digit, and no "..".`,
  );
}

/** @throws SdkError `invalid-input` for an unknown value */
export function checkContext(context: unknown): Skill['context'] {
  if (context === 'inline' || context === 'fork') return context;
  throw new SdkError(
    'invalid-input',
    `"context" must be fork or inline, not ${JSON.stringify(context)}.`,
  );
}

function firstLine(body: string): string {
  const line = body.split('\n').find((text) => /[\p{L}\p{N}]/u.test(text)) ?? '';
  const text = line.replace(/^[#>*\s-]+/u, '').trim();
  if (text !== '') return text.slice(0, 250);
  throw new SdkError('invalid-input', 'Nothing says what it is for: add a "description".');
}
