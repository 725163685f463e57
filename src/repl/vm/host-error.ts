// An error of the host on its way into the guest: as text, for the guest's kernel to make an error of.
import { SdkError } from '../../core/errors.ts';
import type { HostErrorMessage } from './engine.ts';

/** JSON of a {@link HostErrorMessage}. Security: no stack, no cause: they name the host's files. */
export function toHostErrorMessage(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const data = SdkError.isInstance(error) ? error.data : {};
  const text = (key: string) => (typeof data[key] === 'string' ? data[key] : undefined);
  const isMemory = /malloc failed/u.test(message);
  const encoded: { -readonly [Key in keyof HostErrorMessage]?: string | undefined } = {
    name,
    message: isMemory ? 'out of memory' : message,
    code: SdkError.isInstance(error) ? error.code : 'internal',
    path: text('path'),
    dest: text('dest'),
    syscall: text('syscall'),
  };
  return JSON.stringify(encoded);
}
