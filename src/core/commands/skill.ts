// The types of skills: instructions for one kind of work. The model is told their names and purposes, and gets a text
// when it asks. agent/skills/ finds them; the tool Skill and slash commands use them.

/** One skill, as it was found. Its text is read when it is used: see {@link SkillCatalog}. */
export interface Skill {
  /** Letters, digits, `-`, `_`, `.` and `:`; at most 64 characters. No other skill of the session has it. */
  readonly name: string;
  /** What it is for. One line. */
  readonly description: string;
  /** When to use it, where that isn't said by its description. One line. */
  readonly whenToUse?: string;
  /** What a person may write behind its name, such as `[issue number]`. */
  readonly argumentHint?: string;
  /** The skill's source: `user`, `workspace`, or the name of the host's source. */
  readonly source: string;
  /** Its SKILL.md, absolute. Left out of a host's. */
  readonly path?: string;
  /** The folder with its other files, absolute. Left out where it has none. */
  readonly directory?: string;
  /** May it loosen anything? A host's always; the workspace's where a person has trusted this very text. */
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
  /** Without its front matter. `$ARGUMENTS` stands in it as it was written. */
  readonly body: string;
  /** Rules that hold until the turn ends. Empty where it isn't trusted. */
  readonly allow: readonly string[];
}

/** A file or a source that gives no skill, and why. */
export interface SkillProblem {
  /** The path of the file, or the name of the host's source. */
  readonly at: string;
  /** A sentence for a person: what is wrong, and what to do. */
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
  /** Looks again. Never rejects: what can't be read is among the problems. */
  list(): Promise<FoundSkills>;
  /**
   * Reads a skill as it is now.
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
  /** Where the host has put its other files: an absolute path of the workspace. */
  readonly directory?: string;
}

/** Where the host has skills: its own code, a server. Named in what people are told of them. */
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
   * Runs the skill's text in an agent of its own, and resolves to its report. `allow`: rules that hold for that
   * agent. Rejects where the agent fails or is stopped.
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
