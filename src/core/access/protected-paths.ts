// Files that steer the agent or that a person's programs run: git's settings and hooks, start files
// of shells and editors. Security: writing one asks in every mode, whatever rule allows it. The
// agent's stages check it, and so does path-access.ts in every view.

/** Whatever has such a name, and all below it. */
const anywhere: ReadonlySet<string> = new Set([
  // The agent's own settings, hooks, agents, skills and servers, and those of others.
  ...['.claude', '.claude.json', '.agents', '.mcp.json', '.cursor'],
  // What editors run as soon as a folder is opened, or a container made for it.
  ...['.vscode', '.idea', '.zed', '.fleet', '.devcontainer', '.devcontainer.json'],
  ...['.vimrc', '_vimrc', '.gvimrc', '.nvimrc', '.nvim.lua', '.exrc', '.lvimrc', '.ideavimrc'],
  ...['.emacs', '.emacs.d', '.dir-locals.el', '.dir-locals-2.el'],
  // What shells, debuggers and terminals run at their start, or on entering a directory.
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.envrc'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc'],
  ...['.login', '.logout', 'config.fish', '.tmux.conf', '.screenrc', '.gdbinit', '.lldbinit'],
  // Settings that name a program: of git, Mercurial, ssh, package managers, ripgrep.
  ...['.gitconfig', '.gitmodules', '.husky', '.githooks', '.hgrc', 'hgrc', '.ssh', '.ripgreprc'],
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.cargo'],
]);

/**
 * Below a `.git`, of a repository, a submodule or a further work tree. What git stores is not among them: git in a
 * cell can continue its work without a question.
 */
const belowGit: ReadonlySet<string> = new Set([
  ...['config', 'config.worktree', 'hooks', 'info', 'modules', 'worktrees', 'commondir', 'gitdir'],
  // Lists of commands that run when a person continues.
  ...['rebase-merge', 'rebase-apply', 'sequencer'],
]);

/** Remotes as git had them before it had settings, straight below a `.git`. A push would go there. */
const remotes: ReadonlySet<string> = new Set(['branches', 'remotes']);

/**
 * Files, not directories, of these names. Git takes any directory with HEAD, objects and refs for a repository, and a
 * `.git` that is a file leads to any other directory. The repository's settings are then in these files.
 */
const settingsFiles: ReadonlySet<string> = new Set([
  ...['config', 'config.worktree', 'commondir', 'hooks'],
]);

/** The files that git runs in a directory `hooks`. */
const hooks: ReadonlySet<string> = new Set([
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout'],
  ...['post-merge', 'pre-push', 'pre-receive', 'update', 'proc-receive', 'post-receive'],
  ...['post-update', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc', 'post-rewrite'],
  ...['sendemail-validate', 'fsmonitor-watchman', 'post-index-change'],
  ...['p4-changelist', 'p4-prepare-changelist', 'p4-post-changelist', 'p4-pre-submit'],
]);

/**
 * True if a person must be asked before the path is created, changed or removed. `path` must be
 * absolute and normal. A new directory may have the name of a settings file.
 */
export function isProtectedPath(path: string, isDirectory = false): boolean {
  const names = path.slice(1).split('/').map(foldName);
  const last = names.at(-1) ?? '';
  if (last === '.git' || last.endsWith('.code-workspace')) return true;
  if (names.some((name) => anywhere.has(name))) return true;
  const git = names.indexOf('.git');
  if (git >= 0 && isGitSetting(names.slice(git + 1))) return true;
  if (isDirectory) return false;
  if (git >= 0 && remotes.has(names[git + 1] ?? '')) return true;
  // On Windows git runs `pre-commit.exe`, too.
  const isHook = names.at(-2) === 'hooks' && hooks.has(last.replace(/\.exe$/u, ''));
  return isHook || settingsFiles.has(last);
}

/** Judges the names below a `.git`. A further work tree's own files count as those of the first. */
function isGitSetting(names: readonly string[]): boolean {
  const isInWorktree = names[0] === 'worktrees' && names.length > 2;
  return (isInWorktree ? names.slice(2) : names).some((name) => belowGit.has(name));
}

/** Instructions that stand beside the files that they are about. Rules of `.claude` are protected anyway. */
const instructionFiles: ReadonlySet<string> = new Set([
  'claude.md',
  'agents.md',
  'claude.local.md',
]);

/** Below `.claude`: notes of agents, which are sent to the model in later sessions. */
const noteFolders: ReadonlySet<string> = new Set(['agent-memory', 'agent-memory-local']);

function isOfNotes(names: readonly string[], at: number): boolean {
  return names[at] === '.claude' && noteFolders.has(names[at + 1] ?? '');
}

/**
 * True if the file instructs the agent. Security: once text from outside is in the conversation, a
 * person must be asked before it is written. `path` as in {@link isProtectedPath}.
 */
export function isInstructionPath(path: string, isDirectory = false): boolean {
  if (isDirectory) return false;
  const names = path.slice(1).split('/').map(foldName);
  return instructionFiles.has(names.at(-1) ?? '') || names.some((_, at) => isOfNotes(names, at));
}

const plainName = /^[a-z\d_.-]*[a-z\d_-]$/u;

/** HFS+ leaves these out when it compares names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * The name that disks of most people take this one for. It folds letters in any case, what HFS+ and
 * NTFS leave out, and NTFS's short names, such as `GIT~1`.
 */
function foldName(name: string): string {
  if (plainName.test(name)) return name;
  // Up and down again: so the Kelvin sign is a k, and the long s an s, as they are there.
  const lower = name.replace(ignored, '').toUpperCase().toLowerCase();
  const [file = ''] = lower.split(':', 1);
  const folded = file.replace(/[. ]+$/u, '');
  const { stem, extension = '' } = shortForm.exec(folded)?.groups ?? {};
  if (stem === undefined) return folded;
  // After four names with the same beginning, NTFS adds a hash.
  if (/^gi[\da-f]{4}$/u.test(stem)) return '.git';
  return protectedByShortName().get(`${stem}.${extension}`) ?? folded;
}

const shortForm = /^(?<stem>[^~.]{1,6})~\d+(?:\.(?<extension>[^.]{0,3}))?$/u;

// Made on first use: a module does no work when it loads.
let byShortName: ReadonlyMap<string, string> | undefined;

function protectedByShortName(): ReadonlyMap<string, string> {
  byShortName ??= new Map(
    ['.git', ...anywhere, ...belowGit, ...instructionFiles].map((name) => {
      const [, stem = '', extension = ''] = /^\.?(.*?)(?:\.([^.]*))?$/u.exec(name) ?? [];
      return [`${stem.replaceAll('.', '').slice(0, 6)}.${extension.slice(0, 3)}`, name];
    }),
  );
  return byShortName;
}
