// Parses a command's text: front matter and prompt. Pure; command-files.ts reads the files.
import { SdkError } from '../../core/errors.ts';
import { quoteHint, readFrontMatter } from '../../text/front-matter.ts';
import { readTextField, readToolList, refuseHooks } from '../definitions/definition-fields.ts';

/** The fields of the text's front matter, and its body. */
export interface CommandText {
  readonly description: string;
  readonly argumentHint: string;
  readonly allowedTools: readonly string[];
  readonly model?: string;
  readonly body: string;
}

// 100 000 characters, some 25 000 tokens: a longer text leaves too little room for the work.
const maxBodyChars = 100_000;

/** @throws SdkError `invalid-input` with the reason */
export async function readCommandText(text: string): Promise<CommandText> {
  const { fields, body } = await readFrontMatter(quoteHint(text));
  if (body.length > maxBodyChars) {
    throw new SdkError(
      'invalid-input',
      `it has ${body.length} characters, and may have ${maxBodyChars}. Make it shorter.`,
    );
  }
  refuseHooks(fields);
  const model = readTextField(fields, 'model');
  return {
    description: readTextField(fields, 'description') ?? firstLine(body),
    argumentHint: readTextField(fields, 'argument-hint') ?? '',
    allowedTools: readToolList(fields, 'allowed-tools'),
    ...(model !== undefined && { model }),
    body: body.trim(),
  };
}

function firstLine(body: string): string {
  const line = body.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const words = line.replace(/^[#>*\s-]+/u, '').trim();
  // 100 characters: a line of a list.
  return words.length > 100 ? `${words.slice(0, 99)}…` : words;
}
