// The types of skills: instructions for one kind of work. The model gets their names and purposes,
// and a text on request. agent/skills/ finds them; the tool Skill and slash commands use them.

/** One skill, as it was found. Its text is read when it is used: see {@link SkillCatalog}. */
export interface Skill {
  /** Letters, digits, `-`, `_`, `.` and `:`; at most 64 characters. No other skill of the session has it. */
  readonly name: string;
  /** Its purpose, in one line. */
  readonly description: string;
  /** When to use it, if the description doesn't say so. One line. */
  readonly whenToUse?: string;
  /** What a person may write behind its name, such as `[issue number]`. */
  readonly argumentHint?: string;
  /** The skill's source: `user`, `workspace`, or the name of the host's source. */
  readonly source: string;
  /** Its SKILL.md, absolute. Left out of a host's. */
  readonly path?: string;
  /** The absolute path of the folder with its other files. Left out if there is none. */
  readonly directory?: string;
  /**
   * True if it may loosen permissions: a host's skill always, and a workspace's if a person has
   * trusted exactly this text.
   */
  readonly isTrusted: boolean;
  /** Rules that allow, as they are written. They hold for a trusted skill alone: see {@link LoadedSkill.allow}. */
  readonly allowedTools: readonly string[];
  /** `fork`: it runs in an agent of its own, whose report is the result. */
  readonly context: 'inline' | 'fork';
  /** With `fork`: the type of the sub-agent. */
  readonly agent?: string;
  /** Only a person may use it: the model isn't told of it. */
  readonly disableModelInvocation: boolean;
  /** Whether a person may, as `/name`. */
  readonly userInvocable: boolean;
}

/** A skill that is to be used now. */
export interface LoadedSkill {
  readonly skill: Skill;
  /** The text without front matter, with `$ARGUMENTS` as written. */
  readonly body: string;
  /** Rules that apply until the turn ends. Empty if the skill isn't trusted. */
  readonly allow: readonly string[];
}

/** A file or a source that gives no skill, and why. */
export interface SkillProblem {
  /** The path of the file, or the name of the host's source. */
  readonly at: string;
  /** A sentence for a person with the problem and the remedy. */
  readonly message: string;
}

/** What was found at one time. */
export interface FoundSkills {
  /** The skills, sorted by name. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** The skills of a session. The agent lists them again before each prompt. */
export interface SkillCatalog {
  /** The skills as they were found last. */
  readonly found: FoundSkills;
  /** Lists the skills again. Never rejects: unreadable skills are among the problems. */
  list(): Promise<FoundSkills>;
  /**
   * Reads the present text of a skill.
   *
   * @throws SdkError `invalid-input` for a name that none has, or a skill that can't be read any more. The sentence
   * says what to do instead.
   */
  read(name: string): Promise<LoadedSkill>;
}

/** A skill that the host gives. Its rules hold, as the host's own do. */
export interface HostSkill {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  readonly allowedTools?: readonly string[];
  /** @defaultValue 'inline' */
  readonly context?: 'inline' | 'fork';
  readonly agent?: string;
  /** @defaultValue false */
  readonly disableModelInvocation?: boolean;
  /** @defaultValue true */
  readonly userInvocable?: boolean;
  /** The absolute path in the workspace at which the host has stored its other files. */
  readonly directory?: string;
}

/** A host's source of skills, such as its own code or a server. People see its name. */
export interface SkillSource {
  readonly name: string;
  /** Asked when a session begins and before each prompt, for at most ten seconds. */
  list(signal: AbortSignal): Promise<readonly HostSkill[]>;
  /** The text of one of them: Markdown; front matter is passed over. */
  read(name: string, signal: AbortSignal): Promise<string>;
}

/** The part of the port to agents that a skill with `context: fork` needs. */
export interface SkillAgents {
  /**
   * Runs the skill's text in a separate agent, and resolves to its report. `allow`: rules for that
   * agent. Rejects if the agent fails or is stopped.
   */
  runSkill(
    forked: {
      readonly skill: Skill;
      readonly prompt: string;
      readonly allow: readonly string[];
    },
    options: {
      readonly toolUseID: string;
      readonly signal: AbortSignal;
      /** What the agent does now, in a few words. */
      readonly onProgress: (activity: string) => void;
    },
  ): Promise<string>;
}
