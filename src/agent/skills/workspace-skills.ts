// The skills of the workspace: each is a folder with a SKILL.md, below `.claude/skills` or `.agents/skills` of the
// working directory. Loaded by skill-catalog.ts and workspace-trust.ts for queries that switch them on.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isInside, joinPath } from '../../core/path.ts';
import type { LoadedSkill, Skill, SkillProblem } from '../../core/skill.ts';
import { sortWantedRules } from '../permissions/wanted-rules.ts';
import type { DefinitionPlace, LooseningFile, WorkspaceTrust } from '../session/workspace-trust.ts';
import { readSkill } from './read-skill.ts';
import type { SkillText } from './read-skill.ts';

/** In the order in which they win where two skills have one name. */
const folders = ['.claude/skills', '.agents/skills'] as const;

// 512 kB: five times what is told of a skill. What is longer was not written to be read.
const maxSkillBytes = 512 * 1024;
// Security: each costs a look at the workspace before each prompt.
const maxSkills = 500;

export interface WorkspaceSkillsOptions extends DefinitionPlace {
  readonly trust: WorkspaceTrust;
  /** Security: what no call may read isn't told either. */
  readonly mayRead: (path: string) => boolean;
}

/** A skill, or why a file is none. */
export type ListedSkill =
  | { readonly type: 'skill'; readonly skill: Skill }
  | { readonly type: 'problem'; readonly problem: SkillProblem };

/** The workspace's skills, as they stand. */
export interface WorkspaceSkills {
  /** In the order of folders and names. Never rejects. Files that haven't changed aren't read again. */
  list(): Promise<readonly ListedSkill[]>;
  /** @throws SdkError `invalid-input` with the reason. */
  read(path: string): Promise<LoadedSkill>;
}

/** A SKILL.md as it stands now. */
interface SkillFile {
  readonly path: string;
  /** Links followed. */
  readonly real: string;
  readonly version: number;
  readonly size: number;
}

export function createWorkspaceSkills(options: WorkspaceSkillsOptions): WorkspaceSkills {
  const { fs, trust } = options;
  const known = new Map<string, SkillFile & { readonly listed: ListedSkill }>();

  async function load(file: SkillFile): Promise<{ skill: Skill; body: string }> {
    const { text, found } = await readSkillFile(fs, file);
    const { path } = file;
    const { body, ...fields } = found;
    const isTrusted = await trust.isTrusted(path, text);
    const directory = path.slice(0, path.lastIndexOf('/'));
    return { skill: { ...fields, source: 'workspace', path, directory, isTrusted }, body };
  }

  return {
    async list() {
      const { files, problems } = await findSkillFiles(options);
      const listed: ListedSkill[] = problems.map((problem) => ({ type: 'problem', problem }));
      for (const file of files) {
        const before = known.get(file.path);
        const isSame = before?.version === file.version && before.real === file.real;
        const one = isSame ? before.listed : await toListed(file.path, () => load(file));
        known.set(file.path, { ...file, listed: one });
        listed.push(one);
      }
      return listed;
    },

    async read(path) {
      const file = await lookAt(path, options);
      if (!file) throw new SdkError('invalid-input', `${path} is not there any more.`);
      const { skill, body } = await load(file);
      const { allow } = sortWantedRules(skill.isTrusted ? skill.allowedTools : [], 'turn');
      return { skill, body, allow };
    },
  };
}

/** Those whose rules would hold, were they trusted. What can't be read loosens nothing. */
export async function listLooseningSkills(place: DefinitionPlace): Promise<LooseningFile[]> {
  const { files } = await findSkillFiles({ ...place, mayRead: () => true });
  const found: LooseningFile[] = [];
  for (const file of files) {
    const read = await readSkillFile(place.fs, file).catch(() => undefined);
    if (!read) continue;
    const { allow, cannotHold } = sortWantedRules(read.found.allowedTools, 'turn');
    if (allow.length > 0) found.push({ path: file.path, text: read.text, allow, cannotHold });
  }
  return found;
}

async function toListed(
  path: string,
  load: () => Promise<{ readonly skill: Skill }>,
): Promise<ListedSkill> {
  try {
    return { type: 'skill', skill: (await load()).skill };
  } catch (error) {
    return toProblem(path, error);
  }
}

function toProblem(path: string, error: unknown): Extract<ListedSkill, { type: 'problem' }> {
  const why = SdkError.isInstance(error) ? error.message : describeThrown(error);
  const message = `The skill in ${path} is left out: ${why}`;
  return { type: 'problem', problem: { at: path, message } };
}

async function readSkillFile(
  fs: DefinitionPlace['fs'],
  { path, real, size }: SkillFile,
): Promise<{ readonly text: string; readonly found: SkillText }> {
  if (size > maxSkillBytes) {
    throw new SdkError(
      'invalid-input',
      `It has ${size} bytes, and a SKILL.md has at most ${maxSkillBytes}. Move the details to files beside it.`,
      { data: { path, size } },
    );
  }
  const text = await fs.readFile(real, 'utf8');
  if (text.includes('\0')) throw new SdkError('invalid-input', 'It is no text.');
  const folder = path.split('/').at(-2) ?? '';
  return { text, found: await readSkill(text, folder) };
}

type FindOptions = Pick<WorkspaceSkillsOptions, 'fs' | 'cwd' | 'mayRead'>;

async function findSkillFiles(options: FindOptions) {
  const files: SkillFile[] = [];
  const problems: SkillProblem[] = [];
  for (const name of folders) {
    const folder = joinPath(options.cwd, name);
    const names = await listFolders(folder, options, problems);
    const paths = names.map((each) => joinPath(folder, each, 'SKILL.md'));
    for (const one of await Promise.all(paths.map((path) => tryToLookAt(path, options)))) {
      if (one && 'problem' in one) problems.push(one.problem);
      else if (one) files.push(one);
    }
  }
  return { files, problems };
}

async function listFolders(
  folder: string,
  { fs }: FindOptions,
  problems: SkillProblem[],
): Promise<readonly string[]> {
  try {
    const names = (await fs.readdir(folder)).toSorted();
    if (names.length > maxSkills) {
      const message = `${folder} has ${names.length} entries. Only the first ${maxSkills} are looked at.`;
      problems.push({ at: folder, message });
    }
    return names.slice(0, maxSkills);
  } catch (error) {
    if (!isAbsence(error)) {
      problems.push({ at: folder, message: `${folder} can't be listed: ${describeThrown(error)}` });
    }
    return [];
  }
}

async function tryToLookAt(path: string, options: FindOptions) {
  try {
    return await lookAt(path, options);
  } catch (error) {
    return toProblem(path, error);
  }
}

/**
 * Undefined: nothing is there that may be read.
 *
 * @throws SdkError `invalid-input` for a link that leads out of the working directory.
 */
async function lookAt(
  path: string,
  { fs, cwd, mayRead }: FindOptions,
): Promise<SkillFile | undefined> {
  if (!mayRead(path)) return undefined;
  try {
    const real = await fs.realpath(path);
    if (!isInside(cwd, real)) {
      throw new SdkError(
        'invalid-input',
        `It is a link to ${real}, outside of the working directory. Put the file itself there.`,
      );
    }
    if (!mayRead(real)) return undefined;
    const stats = await fs.stat(real);
    if (!stats.isFile()) return undefined;
    return { path, real, version: stats.version, size: stats.size };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Of what isn't there, or can't be a skill: a file beside the folders, say. */
function isAbsence(error: unknown): boolean {
  return SdkError.isInstance(error) && /^(?:ENOENT|ENOTDIR|EACCES|ELOOP)$/u.test(error.code);
}
