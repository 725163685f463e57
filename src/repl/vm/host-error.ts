// Encodes an error of the host as text for the guest, whose kernel turns it into an Error.
import { SdkError } from '../../core/errors.ts';
import type { HostErrorMessage } from './engine.ts';

/**
 * Returns JSON of a {@link HostErrorMessage}. Security: stack and cause are left out, because they
 * contain paths of the host.
 */
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
