// Reads the skills of the workspace. Each is a folder with a SKILL.md. Folders are in
// `.claude/skills` or `.agents/skills` of the working directory or the user's home, or in `skills`
// of a plugin. Loaded by skill-catalog.ts and workspace-trust.ts for queries that enable them.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { joinPath } from '../../core/path.ts';
import type { LoadedSkill, Skill, SkillProblem } from '../../core/commands/skill.ts';
import { isAbsence, lookAtDefinition, readDefinitionText } from '../definitions/definition-file.ts';
import type { DefinitionFile, DefinitionFiles } from '../definitions/definition-file.ts';
import { sortWantedRules } from '../permissions/wanted-rules.ts';
import { putPluginRoot, toPluginName } from '../plugins/plugin.ts';
import { skillFolders } from '../definitions/configuration-files.ts';
import type {
  DefinitionPlace,
  LooseningFile,
  WorkspaceTrust,
} from '../session/settings/workspace-trust.ts';
import { checkSkillName, readSkill } from './read-skill.ts';
import type { SkillText } from './read-skill.ts';

// 512 kB: five times what is told of a skill. What is longer was not written to be read.
const maxSkillBytes = 512 * 1024;
// 500. Security: each skill is looked up in the workspace before each prompt.
const maxSkills = 500;

export interface WorkspaceSkillsOptions extends DefinitionFiles {
  /** The origin in the fields of a skill. Each scope of the session has its own. */
  readonly source: string;
  readonly trust: WorkspaceTrust;
}

/** A skill, or the reason why a file isn't one. */
export type ListedSkill =
  | { readonly type: 'skill'; readonly skill: Skill }
  | { readonly type: 'problem'; readonly problem: SkillProblem };

/** The present skills of the workspace. */
export interface WorkspaceSkills {
  /** In the order of folders and names. Never rejects. Unchanged files aren't read again. */
  list(): Promise<readonly ListedSkill[]>;
  /** @throws SdkError `invalid-input` with the reason */
  read(path: string): Promise<LoadedSkill>;
}

export function createWorkspaceSkills(options: WorkspaceSkillsOptions): WorkspaceSkills {
  const { trust, source, plugin } = options;
  const known = new Map<string, DefinitionFile & { readonly listed: ListedSkill }>();

  async function load(file: DefinitionFile): Promise<{ skill: Skill; body: string }> {
    const { text, found } = await readSkillFile(file, options);
    const { path } = file;
    const { body, ...fields } = found;
    const isTrusted = await trust.isTrusted(path, text);
    const directory = path.slice(0, path.lastIndexOf('/'));
    const skill = { ...fields, source, path, directory, isTrusted };
    return { skill, body: putPluginRoot(body, plugin) };
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
      const file = await lookAtDefinition(path, options);
      if (!file) throw new SdkError('invalid-input', `${path} is not there any more.`);
      const { skill, body } = await load(file);
      const { allow } = sortWantedRules(skill.isTrusted ? skill.allowedTools : [], 'turn');
      return { skill, body, allow };
    },
  };
}

/**
 * The skills whose rules would apply if they were trusted. An unreadable file loosens no
 * permission.
 */
export async function listLooseningSkills(place: DefinitionPlace): Promise<LooseningFile[]> {
  const { files } = await findSkillFiles({ ...place, mayRead: () => true });
  const found: LooseningFile[] = [];
  for (const file of files) {
    const read = await readSkillFile(file, place).catch(() => undefined);
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
  file: DefinitionFile,
  { fs, plugin }: DefinitionPlace,
): Promise<{ readonly text: string; readonly found: SkillText }> {
  const text = await readDefinitionText(fs, file, maxSkillBytes);
  const folder = file.path.split('/').at(-2) ?? '';
  const found = await readSkill(text, folder);
  const name = plugin ? checkSkillName(toPluginName(plugin, found.name)) : found.name;
  return { text, found: { ...found, name } };
}

async function findSkillFiles(options: DefinitionFiles) {
  const files: DefinitionFile[] = [];
  const problems: SkillProblem[] = [];
  const { plugin, cwd } = options;
  for (const folder of plugin?.skills ?? skillFolders.map((name) => joinPath(cwd, name))) {
    const names = await listFolders(folder, options, problems);
    // A plugin may give the folder of a single skill.
    const own = plugin ? [joinPath(folder, 'SKILL.md')] : [];
    const paths = [...own, ...names.map((each) => joinPath(folder, each, 'SKILL.md'))];
    for (const one of await Promise.all(paths.map((path) => tryToLookAt(path, options)))) {
      if (one && 'problem' in one) problems.push(one.problem);
      else if (one) files.push(one);
    }
  }
  return { files, problems };
}

async function listFolders(
  folder: string,
  { fs }: DefinitionFiles,
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

async function tryToLookAt(path: string, options: DefinitionFiles) {
  try {
    return await lookAtDefinition(path, options);
  } catch (error) {
    return toProblem(path, error);
  }
}
