import { describe, expect, it } from 'vitest';
import { createPathJudge } from '../../../../src/core/access/path-access.ts';
import { isInstructionPath, isProtectedPath } from '../../../../src/core/access/protected-paths.ts';

describe('isProtectedPath', () => {
  it.each([
    // Git's own, wherever a repository is. With each of these git 2.39 ran a command of the file's.
    '/w/.git',
    '/w/.git/config',
    '/w/.git/config.worktree',
    '/w/.git/info/attributes',
    '/w/.git/commondir',
    '/w/.git/hooks/pre-commit',
    '/w/.git/rebase-merge/git-rebase-todo',
    '/w/vendor/lib/.git/config',
    // Submodules and further work trees.
    '/w/.git/modules/lib/config',
    '/w/.git/modules/deep/lib/hooks/post-checkout',
    '/w/.git/worktrees/a/config.worktree',
    '/w/.git/worktrees/a/gitdir',
    '/w/.git/modules',
    '/w/.git/worktrees',
    '/w/.git/worktrees/a',
    '/w/.git/worktrees/a/commondir',
    '/w/.git/worktrees/a/config',
    '/w/.git/worktrees/a/hooks/post-checkout',
    '/w/.git/worktrees/a/rebase-merge/git-rebase-todo',
    // Where a push goes, as old gits had it.
    '/w/.git/remotes/origin',
    '/w/.git/branches/origin',
    '/w/.gitmodules',
    '/w/.gitconfig',
    // A repository by another name: any directory with HEAD, objects and refs.
    '/w/lib/config',
    '/w/lib/config.worktree',
    '/w/lib/commondir',
    '/w/lib/hooks/post-checkout',
    '/w/lib/hooks/pre-commit.exe',
    '/w/lib/hooks',
    // As other disks take names.
    '/w/.GIT/CONFIG',
    '/w/.Git/hooKs/x',
    '/w/.git/hoo\u212as/x',
    '/w/.agents/skills/a/SKILL.md',
    '/w/.claude/\u017fettings.json',
    '/w/git~1/config',
    '/w/GIT~2',
    '/w/GI7EBA~1/config',
    '/w/GITMOD~1',
    '/w/CLAUDE~1/settings.json',
    '/w/MCP~1.JSO',
    '/w/.git./config',
    '/w/.git /config',
    '/w/.git::$INDEX_ALLOCATION/config',
    '/w/.g\u200cit/config',
    '/w/.git/config.',
    // What steers the agent.
    '/w/.claude/settings.json',
    '/w/.claude',
    '/w/.claude/agent-memory/a/MEMORY.md',
    '/w/.mcp.json',
    // What runs when a folder is opened or entered, or a shell starts.
    '/w/.vscode/tasks.json',
    '/w/app/.vscode/settings.json',
    '/w/app.code-workspace',
    '/w/.idea/workspace.xml',
    '/w/.devcontainer/devcontainer.json',
    '/w/.envrc',
    '/w/.bashrc',
    '/w/.zshenv',
    '/w/.vimrc',
    '/w/.dir-locals.el',
    '/w/.gdbinit',
    '/w/.husky/pre-commit',
    '/w/.hg/hgrc',
    '/w/.ssh/authorized_keys',
    '/w/.npmrc',
    '/w/.yarnrc.yml',
  ])('asks about %s', (path) => {
    expect(isProtectedPath(path)).toBe(true);
  });

  it.each([
    '/',
    '/w',
    '/w/.git/HEAD',
    '/w/.git/index',
    '/w/.git/objects/ab/cdef',
    '/w/.git/refs/heads/main',
    '/w/.git/refs/remotes/origin/main',
    '/w/.git/worktrees/a/HEAD',
    '/w/.git/worktrees/a/index',
    '/w/.git/worktrees/a/refs/bisect/bad',
    '/w/.git/COMMIT_EDITMSG',
    '/w/.gitignore',
    '/w/.gitattributes',
    '/w/.github/workflows/ci.yml',
    '/w/git/x',
    '/w/config/routes.rb',
    '/w/config.json',
    '/w/src/hooks/use-session.ts',
    '/w/src/hooks/README.md',
    '/w/src/info/attributes',
    '/w/src/modules/a.ts',
    '/w/src/worktrees/gitdir',
    '/w/.env',
    '/w/a~1/b',
    '/w/package.json',
  ])('lets %s be', (path) => {
    expect(isProtectedPath(path)).toBe(false);
  });

  it.each(['/w/config', '/w/src/hooks', '/w/lib/commondir'])(
    'takes %s for one of ours as long as it is a directory',
    (path) => {
      expect([isProtectedPath(path, true), isProtectedPath(path)]).toEqual([false, true]);
    },
  );

  it('takes git’s directories for what is in them', () => {
    const paths = ['/w/.git', '/w/.git/hooks', '/w/.git/modules', '/w/.claude'];
    expect(paths.every((path) => isProtectedPath(path, true))).toBe(true);
  });

  it('holds in a view, but for what was asked', () => {
    const judge = createPathJudge({
      cwd: '/w',
      roots: ['/w'],
      readOnlyRoots: [],
      write: 'allow',
      rules: [
        { effect: 'ask', operation: 'write', isProtection: true, except: '/w/.git/hooks/pre-push' },
      ],
    });
    expect(judge('write', '/w/lib/config')).toBe('ask');
    expect(judge('write', '/w/lib/config', true)).toBe('allow');
    expect(judge('read', '/w/lib/config')).toBe('allow');
    expect(judge('write', '/w/.git/hooks/pre-push')).toBe('allow');
    expect(judge('write', '/w/.git', true)).toBe('allow');
    expect(judge('write', '/w/.git/hooks/pre-commit')).toBe('ask');
  });
});

describe('isInstructionPath', () => {
  it.each([
    '/w/CLAUDE.md',
    '/w/lib/AGENTS.md',
    '/CLAUDE.local.md',
    // As other disks take names.
    '/w/claude.MD',
    '/w/CLAUDE~1.MD',
    '/w/AGENTS.md.',
    '/w/AGENTS.md::$DATA',
    '/w/.claude/agent-memory/a/notes.md',
    '/w/.CLAUDE/agent-memory-local/a/MEMORY.md',
    '/w/\u200cAGENTS.md',
  ])('means %j', (path) => {
    expect(isInstructionPath(path)).toBe(true);
  });

  it.each(['/w/README.md', '/w/CLAUDE.md/a', '/w/MY-CLAUDE.md', '/w/AGENTS.txt', '/'])(
    'leaves %j alone',
    (path) => {
      expect(isInstructionPath(path)).toBe(false);
    },
  );

  it('means files alone', () => {
    expect(isInstructionPath('/w/CLAUDE.md', true)).toBe(false);
  });
});
