// The error of a model whose adapter has thrown. Used by loop.ts and compact-session.ts.
import { messageOf, SdkError } from '../../core/errors.ts';
import type { Model } from '../../model/model.ts';

/** A host's own adapter may throw any value, so the error says that it came from the model. */
export function toModelFailure({ name }: Model, cause: unknown): SdkError {
  if (SdkError.isInstance(cause)) return cause;
  const why = messageOf(cause).replace(/\.$/u, '');
  const message = `The model ${name} failed: ${why}. Try again; if it happens again, look at its adapter.`;
  return new SdkError('model-server', message, { cause });
}
