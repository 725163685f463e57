// A command as lists show it, with the Claude Agent SDK's names.

/** What a person may call by `/name` at the beginning of a prompt. */
export interface SlashCommand {
  /** Without the slash. One of a subfolder has its folders before it: `frontend:component`. */
  readonly name: string;
  /** For a person, in a sentence. May be empty. */
  readonly description: string;
  /** What may stand behind the name, such as `[file]`. May be empty. */
  readonly argumentHint: string;
}
