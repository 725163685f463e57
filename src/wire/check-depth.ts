// How deep what came over a connection is nested: JSON.parse reads what hardly anything else can, as it alone doesn't
// go down level by level. Used by protocol.ts for whatever a client sends.
import { SdkError } from '../core/errors.ts';

/** More than any message, input of a tool or change of files has; far less than a stack takes. */
const maxDepth = 500;

/** Security: it came from outside. @throws SdkError `invalid-input` for what is nested deeper than 500 levels. */
export function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw tooDeep();
    level = level.flatMap(listInner);
  }
}

function listInner(value: unknown): unknown[] {
  const isPlain = typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
  return isPlain ? Object.values(value).filter((one) => typeof one === 'object') : [];
}

function tooDeep(): SdkError {
  return new SdkError(
    'invalid-input',
    `What came over the connection is nested too deeply: at most ${maxDepth} levels are read.`,
    { data: { maxDepth } },
  );
}
