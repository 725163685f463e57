// Who commits, and when: the repository's config first, then what the host said.
import { SdkError } from '../../core/errors.ts';
import { readConfig } from './config.ts';
import type { GitPerson, GitSignature } from './git.ts';
import type { Repository } from './repository.ts';

/** The person's signature at this moment. @throws SdkError `bad-usage` where nobody is named */
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

/** Whoever is configured commits; else the author does. @throws SdkError `bad-usage` where nobody is named */
export function signCommit(repository: Repository, author: GitPerson | undefined): GitSignature {
  return signNow(repository, configured(repository) ?? author);
}

/** For logs of refs, which are written where nobody is named, too. */
export function signMove(repository: Repository): GitSignature {
  return signNow(repository, configured(repository) ?? { name: 'unknown', email: '' });
}

function configured(repository: Repository): GitPerson | undefined {
  const [name, email] = [readConfig(repository, 'user.name'), readConfig(repository, 'user.email')];
  if (name !== undefined && email !== undefined) return { name, email };
  return repository.options.author;
}
