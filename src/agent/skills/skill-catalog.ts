// The skills of one session: the host's first, then the user's and the project's. Created by
// load-features.ts. The loop lists them again before each prompt; the tool Skill and slash commands
// read them.
import { findNearNames } from '../../core/text/near-names.ts';
import type {
  FoundSkills,
  Skill,
  SkillCatalog,
  SkillProblem,
  SkillSource,
} from '../../core/commands/skill.ts';
import { unknownSkill } from './no-skills.ts';
import { listHostSkills, readHostSkill } from './host-skills.ts';
import type { HostSkillsOptions } from './host-skills.ts';
import { createWorkspaceSkills } from './workspace-skills.ts';
import type { WorkspaceSkillsOptions } from './workspace-skills.ts';

export interface SkillCatalogOptions extends HostSkillsOptions {
  readonly sources: readonly SkillSource[];
  /** The enabled scopes. If two skills have one name, the one from the earlier scope is used. */
  readonly scopes: readonly WorkspaceSkillsOptions[];
  /** The option `skills` of the query. Left out: all. */
  readonly chosen?: readonly string[] | 'all' | undefined;
  /** The names that a skill can't have, each with what has it. */
  readonly reserved: ReadonlyMap<string, string>;
  /** Warns a person of a problem that has appeared during the session. Must not throw. */
  readonly warn: (message: string) => void;
}

/** Lists the skills once. Never rejects because of a source. */
export async function createSkillCatalog(options: SkillCatalogOptions): Promise<SkillCatalog> {
  const { sources, chosen = 'all', reserved, warn } = options;
  const scopes = options.scopes.map((scope) => ({
    source: scope.source,
    ...createWorkspaceSkills(scope),
  }));
  let found: FoundSkills = { skills: [], problems: [] };
  const warned = new Set<string>();

  async function look(): Promise<FoundSkills> {
    const skills = new Map<string, Skill>();
    const problems: SkillProblem[] = [];
    const add = (skill: Skill) => {
      const { name } = skill;
      const at = skill.path ?? skill.source;
      const taken = skills.get(name);
      const message = taken
        ? `The skill "${name}" of ${at} is left out: ${taken.path ?? taken.source} has one of that name. Rename one of them.`
        : `The skill "${name}" of ${at} is left out: ${reserved.get(name)} has that name. Rename the skill.`;
      if (taken || reserved.has(name)) problems.push({ at, message });
      else skills.set(name, skill);
    };
    for (const listed of await Promise.all(sources.map((one) => listHostSkills(one, options)))) {
      problems.push(...listed.problems);
      listed.skills.forEach(add);
    }
    for (const listed of await Promise.all(scopes.map((scope) => scope.list()))) {
      for (const one of listed) {
        if (one.type === 'skill') add(one.skill);
        else problems.push(one.problem);
      }
    }
    const all = [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (chosen === 'all') return { skills: all, problems };
    const missing = chosen.filter((name) => !skills.has(name));
    return {
      skills: all.filter(({ name }) => chosen.includes(name)),
      problems: [...problems, ...missing.map((name) => toMissing(name, all))],
    };
  }

  async function list(): Promise<FoundSkills> {
    found = await look();
    return found;
  }

  for (const { message } of (await list()).problems) warned.add(message);

  return {
    get found() {
      return found;
    },
    async list() {
      for (const { message } of (await list()).problems) {
        if (!warned.has(message)) warn(message);
        warned.add(message);
      }
      return found;
    },
    async read(name) {
      const skill = found.skills.find((one) => one.name === name);
      if (!skill) throw unknownSkill(name, found.skills);
      const { path } = skill;
      const scope = path !== undefined && scopes.find(({ source }) => source === skill.source);
      if (scope) return scope.read(path);
      const source = sources.find((one) => one.name === skill.source);
      if (!source) throw unknownSkill(name, found.skills);
      return readHostSkill(source, skill, options);
    },
  };
}

function toMissing(name: string, skills: readonly Skill[]): SkillProblem {
  const near = findNearNames(
    name,
    skills.map((skill) => skill.name),
  );
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  const message = `The option skills names "${name}", and there is no such skill.${hint}`;
  return { at: 'skills', message };
}
