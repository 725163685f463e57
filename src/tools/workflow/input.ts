// The input of a script's sandbox, without zod: a tool worker fetches no schema library for it.
import { isRecord } from '../../core/values/is-record.ts';
import type { PlainParser } from '../../core/schema/plain-parser.ts';
import type { RecordedAgent, ScriptWork } from '../../core/agents/workflows.ts';

/** Stands in for a zod schema where a run reaches the worker. */
export const scriptWorkParser: PlainParser<ScriptWork> = {
  safeParse(input) {
    const { script, args, recorded } = isRecord(input) ? input : {};
    const isRight =
      typeof script === 'string' && Array.isArray(recorded) && recorded.every(isRecordedAgent);
    return isRight
      ? { success: true, data: { script, args, recorded } }
      : { success: false, error: new Error('no script, or no list of results') };
  },
};

function isRecordedAgent(given: unknown): given is RecordedAgent {
  return (
    isRecord(given) &&
    Number.isSafeInteger(given['position']) &&
    typeof given['fingerprint'] === 'string'
  );
}
