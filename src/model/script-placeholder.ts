// Placeholders in a script, `{{<tool use id or last>:/regex/flags}}`, stand for a value out of an
// earlier tool result. script.ts checks them, and scripted.ts fills them in.
import { isToolResultBlock, toResultText } from '../core/messages/blocks.ts';
import type { ToolResultBlock } from '../core/messages/blocks.ts';
import { SdkError } from '../core/errors.ts';
import type { MessageParam } from '../core/messages/messages.ts';

interface Placeholder {
  /** A tool use's id, or `last`. */
  readonly source: string;
  readonly pattern: RegExp;
}

/**
 * The form of a placeholder, with a regular expression literal as JavaScript has it: a `/` in a
 * class needs no escape.
 */
const form = /\{\{([\w.-]+):\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\/[])+)\/([a-z]*)\}\}/gs;
/** The beginning of a placeholder, so that a slip of the pen isn't taken for text. */
const intended = /\{\{[\w.-]+:\//g;

/** Throws an error that says what is wrong with the first broken placeholder of `text`. */
export function checkPlaceholders(text: string): void {
  const found = [...text.matchAll(form)];
  for (const [, , body = '', flags = ''] of found) {
    try {
      toPattern(body, flags);
    } catch (error) {
      // Only Chromium's own message says what is wrong.
      const reason = `has a placeholder that is no regular expression (${String(error)})`;
      throw new SyntaxError(reason, { cause: error });
    }
  }
  if (found.length < (text.match(intended)?.length ?? 0)) {
    throw new SyntaxError('has a placeholder that is not {{<tool use id or last>:/regex/flags}}');
  }
}

/** A copy of `value` with the placeholders of all its strings filled in. `turn` is for the error. */
export function fillPlaceholders<T>(value: T, messages: readonly MessageParam[], turn: number): T {
  if (typeof value === 'string') return fillText(value, messages, turn) as T;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => fillPlaceholders(item, messages, turn)) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.entries(value).map(([key, item]) => [
    key,
    fillPlaceholders<unknown>(item, messages, turn),
  ]);
  return Object.fromEntries(filled) as T;
}

function fillText(text: string, messages: readonly MessageParam[], turn: number): string {
  // One pass: text in a found value that looks like a placeholder stays as it is.
  return text.replace(form, (_whole, source: string, body: string, flags: string) =>
    lookUp({ source, pattern: toPattern(body, flags) }, messages, turn),
  );
}

/** Without `g` and `y`, which would make the pattern remember where it was. */
function toPattern(body: string, flags: string): RegExp {
  return new RegExp(body, flags.replace(/[gy]/g, ''));
}

function lookUp(
  { source, pattern }: Placeholder,
  messages: readonly MessageParam[],
  turn: number,
): string {
  const result = findResult(source, messages);
  const match = result && pattern.exec(toResultText(result));
  const value = match?.[1] ?? match?.[0];
  if (value !== undefined) return value;
  const reason = result
    ? `${pattern} matches nothing in the result of ${source}. Mend the script, or the call that it looks at.`
    : `there is no result of ${source}. Mend the script, or begin a new conversation if this one was begun with another model.`;
  throw new SdkError(
    'model-protocol',
    `The model's script can't go on: turn ${turn} wants ${pattern} of ${source}, but ${reason}`,
    {
      data: {
        turn,
        source,
        pattern: String(pattern),
        // 2000 characters: enough to see why it didn't match.
        ...(result && { text: toResultText(result).slice(0, 2000) }),
      },
    },
  );
}

function findResult(source: string, messages: readonly MessageParam[]) {
  const results = messages.flatMap((message): readonly ToolResultBlock[] =>
    message.role === 'user' && typeof message.content !== 'string'
      ? message.content.filter(isToolResultBlock)
      : [],
  );
  return source === 'last'
    ? results.at(-1)
    : results.findLast((result) => result.tool_use_id === source);
}
