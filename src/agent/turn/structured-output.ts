// Requires an answer in the query's `outputFormat` at the end of a turn. The answer is a call of
// the tool that `forOutputFormat` gives. `loop.ts` calls this if the model has finished without
// one.
import { SdkError, toSerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { Turn } from '../calls/turn.ts';
import type { TurnEnd } from '../hooks/hooks.ts';
import { remind } from './record-step.ts';
import { assembleToolPool } from '../registry/assemble.ts';
import { toPoolContext } from '../session/session.ts';
import type { Session } from '../session/session.ts';

/** 5: a model that hasn't understood the schema by then never will. */
const maxMisses = 5;

const reminder =
  'Your turn has ended without an answer. Call SyntheticOutput with it now: a program waits for it, and reads nothing else.';

/** The turn's end after the check. Undefined: the model is asked again. */
export async function requireOutput(
  end: TurnEnd | undefined,
  steps: number,
  session: Session,
  turn: Turn,
): Promise<TurnEnd | undefined> {
  // An agent's answer goes to the model that started it, unless data was requested. A fork has the
  // same setting.
  const { agent } = session;
  if (!session.switches.outputSchema || (agent && !agent.answersInForm)) return end;
  const isRest = end?.type === 'completed' && end.message.stop_reason !== 'refusal';
  if (end && !isRest) return end;
  if (!isOffered(session)) return { type: 'failed', error: toSerializedError(denied()) };
  if (isRest) turn.missedOutputs += 1;
  if (turn.signal.aborted) return isRest ? { type: 'stopped', during: 'streaming' } : end;
  if (turn.missedOutputs >= maxMisses) return { type: 'no-output', misses: turn.missedOutputs };
  if (!isRest) return undefined;
  const { maxTurns } = turn;
  if (maxTurns !== undefined && steps >= maxTurns) return { type: 'max-turns', maxTurns };
  await remind(session, reminder);
  return undefined;
}

/** True if the tool for the answer is offered. A rule may deny it. */
function isOffered(session: Session): boolean {
  const { builtIn } = assembleToolPool(toPoolContext(session));
  return builtIn.some((tool) => !isListedTool(tool) && tool.forOutputFormat);
}

function denied(): SdkError {
  return new SdkError(
    'bad-usage',
    'outputFormat asks for an answer by the tool SyntheticOutput, which a rule denies. Take the rule away, or leave outputFormat out.',
    { data: { option: 'outputFormat' } },
  );
}

/**
 * Checks the format. The schema itself is checked when the session begins.
 * @throws SdkError `bad-usage` for a value that isn't an output format.
 */
export function checkOutputFormat(format: unknown): void {
  if (format === undefined) return;
  const { type, schema } = isRecord(format) ? format : {};
  if (type === 'json_schema' && isRecord(schema)) return;
  throw new SdkError(
    'bad-usage',
    "outputFormat is { type: 'json_schema', schema: { type: 'object', properties: { … } } }.",
    { data: { option: 'outputFormat' } },
  );
}
