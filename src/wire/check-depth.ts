// Limits the nesting depth of received data. JSON.parse accepts data that is too deep for recursive
// code. Used by protocol.ts for everything that a client sends.
import { SdkError } from '../core/errors.ts';

/**
 * 500: more than any message, tool input or change of files needs, and far less than the stack
 * allows.
 */
const maxDepth = 500;

/**
 * Security: the value came from outside.
 *
 * @throws SdkError `invalid-input` if it is nested deeper than 500 levels
 */
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
