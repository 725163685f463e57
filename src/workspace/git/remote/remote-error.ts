// Converts errors that isomorphic-git throws while it talks to a server.
import { isAbortError } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';

/** The fields of the library's errors. */
interface LibraryError {
  readonly code?: unknown;
  readonly data?: { readonly reason?: unknown; readonly result?: unknown };
}

/**
 * Returns Rockpool's own errors unchanged, and others with a clear message. `said` is the server's
 * last message to the person.
 */
export function toRemoteError(
  error: unknown,
  { host, ref, said }: { readonly host: string; readonly ref: string; readonly said: string },
): unknown {
  if (SdkError.isInstance(error) || isAbortError(error)) return error;
  const { code, data } = error as LibraryError;
  const facts = { host, ref };
  if (code === 'PushRejectedError') {
    return data?.reason === 'tag-exists'
      ? new SdkError(
          'bad-usage',
          `${host} has another ${ref} already. Nothing was pushed. Take another name, or give \`force: true\` to replace it.`,
          { data: facts },
        )
      : notFastForward(facts);
  }
  if (code === 'GitPushError') return toRefusal(data?.result, facts, said);
  if (code === 'RemoteCapabilityError') {
    return new SdkError(
      'unsupported-environment',
      `${host} can't cut the history (depth). Clone with \`full: true\`.`,
      { data: facts },
    );
  }
  if (code === 'NotFoundError') {
    return new SdkError(
      'invalid-input',
      `An object or ref that ${ref} needs isn't here. Fetch first; a shallow clone may need to be deepened.`,
      { data: facts, cause: error },
    );
  }
  return new SdkError(
    'tool-failed',
    `${host} answered in a way that git doesn't know. Nothing was changed here.`,
    { data: facts, cause: error },
  );
}

interface PushReport {
  readonly error?: string;
  readonly refs?: Readonly<Record<string, { readonly ok: boolean; readonly error: string }>>;
}

function toRefusal(result: unknown, facts: { host: string; ref: string }, said: string): SdkError {
  const { error, refs = {} } = (result ?? {}) as PushReport;
  const why = Object.values(refs).find(({ ok }) => !ok)?.error ?? error ?? 'no reason given';
  if (
    /non-fast-forward|fetch first|stale info|incorrect old value|failed to update ref|cannot lock ref/u.test(
      why,
    )
  ) {
    return notFastForward(facts);
  }
  const told = said === '' ? '' : ` It says: ${said.slice(-500)}`;
  return new SdkError(
    'tool-failed',
    `${facts.host} refused ${facts.ref}: ${why.slice(0, 200)}.${told}`,
    { data: { ...facts, reason: why.slice(0, 200) } },
  );
}

function notFastForward(facts: { readonly host: string; readonly ref: string }): SdkError {
  return new SdkError(
    'bad-usage',
    `${facts.ref} of ${facts.host} has commits that this branch doesn't have. Nothing was pushed. Pull ` +
      'first, or give `force: true` to lose those commits there.',
    { data: { ...facts, reason: 'not-fast-forward' } },
  );
}
