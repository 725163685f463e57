// rockpool/git: git over the files of a workspace's view, without an agent. Only pages that use git load it.
import './core/symbol-dispose.ts';
export { createGit } from './workspace/git/commands/create-git.ts';
export type { CreateGitOptions, Git } from './workspace/git/commands/create-git.ts';
export type { FetchInit, FetchPort } from './core/host-ports/fetch-port.ts';
export { createPageFetch, createServerFetch } from './core/host-ports/fetch-port.ts';
export type {
  GitCredentials,
  GitCredentialSource,
  GitNetwork,
  GitProxyAddress,
} from './workspace/git/remote/network.ts';
export type {
  Forge,
  ForgeEvent,
  ForgePoll,
  ProposedPullRequest,
  PullRequestName,
  PullRequestProposal,
} from './core/host-ports/forge.ts';
export { createGitHubForge } from './workspace/git/forge/github-forge.ts';
export type { GitHubForgeOptions } from './workspace/git/forge/github-forge.ts';
export type {
  GitCloneOptions,
  GitCloneResult,
  GitFetchOptions,
  GitFetchResult,
  GitPullOptions,
  GitPushOptions,
  GitPushResult,
  GitRefUpdate,
  GitRemote,
  RemoteGit,
} from './workspace/git/remote/remote-git.ts';
export type {
  GitAddOptions,
  GitBranch,
  GitCommit,
  GitCommitOptions,
  GitCommitResult,
  GitDiffOptions,
  GitFileDiff,
  GitFileStatus,
  GitLogOptions,
  GitMergeOptions,
  GitMergeResult,
  GitOperation,
  GitPerson,
  GitProgress,
  GitRebaseOptions,
  GitRebaseResult,
  GitResetOptions,
  GitRestoreOptions,
  GitRunOptions,
  GitShow,
  GitSignature,
  GitStash,
  GitStatus,
  GitStatusCode,
  GitSwitchOptions,
  GitTag,
  GitTreeEntry,
  GitWorktree,
  LocalGit,
  Oid,
} from './workspace/git/git.ts';
export type { GitOptions, GitView } from './workspace/git/repository.ts';
