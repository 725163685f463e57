// The author and committer of a commit: from the repository's config, otherwise from the host.
import { SdkError } from '../../core/errors.ts';
import { readConfig } from './config.ts';
import type { GitPerson, GitSignature } from './git.ts';
import type { Repository } from './repository.ts';

/**
 * Returns a person's signature with the current time. @throws SdkError `bad-usage` if no name is
 * configured
 */
export function signNow(repository: Repository, person = configured(repository)): GitSignature {
  if (!person) {
    throw new SdkError(
      'bad-usage',
      "Git doesn't know who commits. Give `author: { name, email }`, or set user.name and user.email in .git/config.",
    );
  }
  const now = repository.now();
  return {
    ...person,
    timestamp: Math.floor(now / 1000),
    timezoneOffset: repository.options.timezoneOffset ?? new Date(now).getTimezoneOffset(),
  };
}

/**
 * Returns the committer: the configured person, otherwise the author. @throws SdkError `bad-usage`
 * if no name is configured
 */
export function signCommit(repository: Repository, author: GitPerson | undefined): GitSignature {
  return signNow(repository, configured(repository) ?? author);
}

/** Returns a signature for ref logs, which are also written if no name is configured. */
export function signMove(repository: Repository): GitSignature {
  return signNow(repository, configured(repository) ?? { name: 'unknown', email: '' });
}

function configured(repository: Repository): GitPerson | undefined {
  const [name, email] = [readConfig(repository, 'user.name'), readConfig(repository, 'user.email')];
  if (name !== undefined && email !== undefined) return { name, email };
  return repository.options.author;
}
