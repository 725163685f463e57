// Carries out a file operation that the page requested by name. Security: the parameters came in a
// message, so each is validated against the table of operations first.
import { SdkError } from '../../../core/errors.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import { callOperation, rowOf } from '../../../workspace/files/file-operations.ts';
import type { FileOperation, ParameterKind } from '../../../workspace/files/file-operations.ts';

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isTextOrNumber = (value: unknown) => isText(value) || isNumber(value);

const checks: Record<ParameterKind, (value: unknown) => boolean> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  data: (value) => isText(value) || ArrayBuffer.isView(value),
  number: isNumber,
  time: (value) => isTextOrNumber(value) || value instanceof Date,
  flags: (value) => value === null || isTextOrNumber(value),
  mode: (value) => value === null || isTextOrNumber(value),
  position: (value) => value === 'end' || isNumber(value),
  // An encoding or a mode may be given in place of options.
  options: (value) => value === null || isTextOrNumber(value) || typeof value === 'object',
};

/** Returns what the operation accepts if the parameters don't match. Both ends call it. */
export function findMisfit(
  operation: FileOperation,
  parameters: readonly unknown[],
): string | undefined {
  const { required, takes } = rowOf(operation);
  const isWrong = parameters.some((value, at) => {
    const kind = takes[at];
    const isLeftOut = value === undefined && at >= required;
    return !isLeftOut && (kind === undefined || !checks[kind](value));
  });
  const fits = !isWrong && parameters.length >= required;
  return fits ? undefined : `fs.${operation} takes (${takes.join(', ')})`;
}

/** @throws SdkError `invalid-input` for parameters that the operation doesn't take. */
export async function callFileSystem(
  fs: FileSystem,
  operation: FileOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const misfit = findMisfit(operation, parameters);
  if (misfit !== undefined) {
    throw new SdkError('invalid-input', `${misfit}.`, { data: { operation } });
  }
  return callOperation(fs, operation, parameters);
}
