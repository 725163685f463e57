// Checks a host's answer to a permission question. Hosts may be untyped, so `canUseTool` and the
// caller of a session's `answer` may give any value. Used by questions.ts and answer-desk.ts.
import { clipText } from '../../core/text/clip-text.ts';
import { isRecord } from '../../core/values/is-record.ts';

/**
 * The error in an answer, as a sentence for the host's developer; undefined if the answer's form is
 * valid.
 */
export function explainBadAnswer(result: unknown): string | undefined {
  const { behavior, updatedInput, updatedPermissions } = isRecord(result) ? result : {};
  if (behavior !== 'allow' && behavior !== 'deny') {
    return `An answer is { behavior: 'allow' } or { behavior: 'deny', message: 'Why not' }, not ${show(result)}.`;
  }
  if (behavior === 'deny') return undefined;
  if (updatedInput !== undefined && !isRecord(updatedInput)) {
    return `The updatedInput of an answer is the whole input of the call as an object, not ${show(updatedInput)}.`;
  }
  if (updatedPermissions !== undefined && !Array.isArray(updatedPermissions)) {
    return `The updatedPermissions of an answer are a list of updates, such as the question's suggestions, not ${show(updatedPermissions)}.`;
  }
  return undefined;
}

function show(value: unknown): string {
  try {
    // 200 characters: enough to recognise the value. The model gets this text too.
    return clipText(JSON.stringify(value) ?? String(value), 200);
  } catch {
    // `JSON.stringify` can't convert the value; for example, it refers to itself.
    return typeof value;
  }
}
