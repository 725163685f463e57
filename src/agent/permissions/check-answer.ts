// What a host answers to a question comes without types: `canUseTool` may give anything, and so may whoever calls
// `answer` of a session. Used by questions.ts and answer-desk.ts.
import { clipText } from '../../core/text/clip-text.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** What is wrong with an answer, as a sentence for whoever wrote the host; undefined: nothing that its form shows. */
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
    // 200: enough to be known again. The model is told, too.
    return clipText(JSON.stringify(value) ?? String(value), 200);
  } catch {
    // JSON can't say the value; for example, it refers to itself.
    return typeof value;
  }
}
