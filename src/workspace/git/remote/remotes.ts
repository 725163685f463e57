// The remotes in a repository's config: lists, adds and removes them, and finds the one that a
// branch tracks.
import { SdkError } from '../../../core/errors.ts';
import { listConfigSections, readConfig, removeConfigSection, writeConfig } from '../config.ts';
import { checkRefName } from '../ref-names.ts';
import { branchName, deleteRef, listRefs, readHead } from '../refs.ts';
import type { Repository } from '../repository.ts';
import type { GitRemote } from './remote-git.ts';
import { checkRemoteUrl } from './remote-url.ts';

export function listRemotes(repository: Repository): GitRemote[] {
  return listConfigSections(repository, 'remote').flatMap((name) => {
    const url = readConfig(repository, `remote.${name}.url`);
    return url === undefined ? [] : [{ name, url: withoutSecrets(url) }];
  });
}

/** `branch` is the only branch to fetch. Left out: all branches. */
export function addRemote(
  repository: Repository,
  name: string,
  url: string,
  branch?: string,
): void {
  checkRefName(name, 'ref');
  if (readConfig(repository, `remote.${name}.url`) !== undefined) {
    throw new SdkError(
      'bad-usage',
      `There is a remote ${name} already. Take another name, or git.remote.setUrl.`,
      { data: { name } },
    );
  }
  const checked = checkRemoteUrl(url);
  writeConfig(repository, `remote.${name}.url`, checked);
  const wanted = branch ?? '*';
  writeConfig(
    repository,
    `remote.${name}.fetch`,
    `+refs/heads/${wanted}:refs/remotes/${name}/${wanted}`,
  );
}

export function removeRemote(repository: Repository, name: string): void {
  requireRemote(repository, name);
  removeConfigSection(repository, `remote.${name}`);
  for (const ref of listRefs(repository, `refs/remotes/${name}/`).keys()) {
    deleteRef(repository, ref);
  }
  for (const branch of listConfigSections(repository, 'branch')) {
    if (readConfig(repository, `branch.${branch}.remote`) !== name) continue;
    writeConfig(repository, `branch.${branch}.remote`, undefined);
    writeConfig(repository, `branch.${branch}.merge`, undefined);
  }
}

export function setRemoteUrl(repository: Repository, name: string, url: string): void {
  requireRemote(repository, name);
  writeConfig(repository, `remote.${name}.url`, checkRemoteUrl(url));
}

/** Returns the remote's validated address from the config. @throws SdkError `invalid-input` */
export function remoteUrl(repository: Repository, name: string, isPush = false): string {
  const url = requireRemote(repository, name);
  const own = isPush ? readConfig(repository, `remote.${name}.pushurl`) : undefined;
  return checkRemoteUrl(own ?? url);
}

/** Returns the remote's address from the config, without validation. */
function requireRemote(repository: Repository, name: string): string {
  const url = readConfig(repository, `remote.${name}.url`);
  if (url !== undefined) return url;
  const names = listRemotes(repository).map((remote) => remote.name);
  throw new SdkError(
    'invalid-input',
    names.length === 0
      ? 'This repository has no remote. Add one with git.remote.add(name, url).'
      : `There is no remote ${JSON.stringify(name)}. There are: ${names.join(', ')}.`,
    { data: { name, names } },
  );
}

/** Returns the current branch, or undefined if HEAD is detached. */
export function currentBranch(repository: Repository): string | undefined {
  return branchName(readHead(repository).ref) ?? undefined;
}

/** Returns the remote, and the full name of the branch there, that a branch tracks. */
export function upstreamOf(
  repository: Repository,
  branch: string | undefined,
): { readonly remote: string | undefined; readonly ref: string | undefined } {
  if (branch === undefined) return { remote: undefined, ref: undefined };
  return {
    remote: readConfig(repository, `branch.${branch}.remote`),
    ref: readConfig(repository, `branch.${branch}.merge`),
  };
}

/** Security: a config from elsewhere may contain credentials. */
function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}
