// The vocabulary of permissions, with the Claude Agent SDK's names. agent/permissions/ decides.
import type { FileChange } from '../change-set.ts';
import type { McpServerProvenance } from '../mcp/mcp-server.ts';
import type { MessageParam, Usage } from '../messages/messages.ts';
import type { Principal } from './principal.ts';

/**
 * What happens to a call that no rule decides. In `auto` a classifier decides instead of a person, and in `dontAsk`
 * the call is refused instead of asked about. `bypassPermissions` allows everything that no rule, protected path or
 * tool objects to.
 */
export type PermissionMode = (typeof permissionModes)[number];

/** Every {@link PermissionMode}. */
export const permissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
] as const;

/** True if the value is the name of a permission mode. */
export function isPermissionMode(mode: unknown): mode is PermissionMode {
  return (permissionModes as readonly unknown[]).includes(mode);
}

/** The effect of a rule on the calls that it matches. Deny beats ask, ask beats allow. */
export type PermissionBehavior = 'allow' | 'deny' | 'ask';

/**
 * Who set a rule. `managedSettings` is the host's policy, which nothing overrides. `flagSettings` are the query's
 * `settings`. `turn` is a skill or a command in use: its rules end with the turn.
 */
export type PermissionRuleSource =
  | 'managedSettings'
  | 'flagSettings'
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'cliArg'
  | 'session'
  | 'turn';

/**
 * Where an update should be kept. In Rockpool all updates end with the session; a host that wants to keep one stores
 * it.
 */
export type PermissionUpdateDestination = Exclude<
  PermissionRuleSource,
  'managedSettings' | 'flagSettings' | 'turn'
>;

/** The parts of a rule `Tool` or `Tool(content)`. core/permissions/rule.ts parses it. */
export interface PermissionRuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
  /**
   * Ours, for a rule that allows a server's tool: the SHA-256 of the tool's definition. The rule holds only while the
   * definition is the same. Set when a person answers a question. Left out: the rule holds for any definition.
   */
  readonly definition?: string;
}

/** A rule with its effect and its origin. */
export interface PermissionRule extends PermissionRuleValue {
  readonly behavior: PermissionBehavior;
  readonly source: PermissionRuleSource;
}

/** A change to rules or mode, as an answer to a question may carry it. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly PermissionRuleValue[];
      readonly behavior: PermissionBehavior;
      readonly destination: PermissionUpdateDestination;
    }
  | {
      readonly type: 'setMode';
      readonly mode: PermissionMode;
      readonly destination: PermissionUpdateDestination;
    }
  | {
      /** Relative paths are resolved against the working directory. */
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: PermissionUpdateDestination;
    };

/** The answer of the host's {@link CanUseTool}. */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      /** Replaces the input. It is parsed again, and deny and ask rules are evaluated again. */
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
      /**
       * Has no effect, because the question names its call. `decisionClassification` has no effect either: it is for
       * the vendor's statistics.
       */
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    }
  | {
      readonly behavior: 'deny';
      /** A message for the model. */
      readonly message: string;
      /** True also stops the turn. */
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    };

/** The kind of a person's answer, with the Claude Agent SDK's names. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/**
 * A tool's decision, which comes before modes and allow rules. `deny` and `ask` are binding; `passthrough` has no
 * effect.
 */
export type ToolPermissionResult =
  | {
      readonly behavior: 'allow';
      /** Replaces the input. The new input is parsed and judged again, and a rule may ask about it. */
      readonly updatedInput?: Record<string, unknown>;
    }
  | { readonly behavior: 'deny'; readonly message: string }
  | {
      readonly behavior: 'ask';
      readonly message: string;
      /** Rule updates that a person may choose in addition to a yes. Left out: none, so the tool asks each time. */
      readonly suggestions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: 'passthrough' };

/** What a person needs to judge a call. */
export interface CanUseToolOptions {
  /** Aborted when the question is withdrawn. */
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  /** The id of this question: one call may be asked about more than once. */
  readonly requestId: string;
  /** Rules that would avoid the next question of this kind. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** The protected path, or the file of instructions, because of which a person is asked. */
  readonly blockedPath?: string;
  /** The tool's MCP server. Left out if the tool isn't a server's. */
  readonly mcpServer?: McpServerProvenance;
  /** The call can't be undone: a dialog should propose no. */
  readonly defaultToNo?: true;
  /** The dialog may not offer anything that would avoid the next question. */
  readonly suppressAlwaysAllowRule?: true;
  /**
   * Ours: whoever is asked may only say yes or no, and make the choices that the question offers (`answers`,
   * `annotations`). An answer with rules, or with another input, is refused.
   */
  readonly asAsked?: true;
  /** The sub-agent that makes the call. Left out: the session's main agent. */
  readonly agentID?: string;
  /** Ours: the caller of the call. Left out: the model. */
  readonly principal?: Principal;
  /** One sentence: why a person is asked. */
  readonly decisionReason?: string;
  /** The tool's name for people. */
  readonly displayName?: string;
  /** What a person reads first: "Edit src/app.ts"; with `changes` "Keep what Repl changed?". */
  readonly title?: string;
  /** The tool's description of what the call would do; with `changes` the files that were changed. */
  readonly description?: string;
  /** The rule that asks. Left out if the question has another reason. */
  readonly matchedAskRule?: PermissionRuleValue & { readonly source: PermissionRuleSource };
  /**
   * Ours: present if the call has run, and the question is whether its changes may be kept. The input can't be
   * changed any more. A refusal drops all changes.
   */
  readonly changes?: readonly FileChange[];
  /**
   * Ours: what the call would change. It was run on a draft just before the question. A new file has no hunks,
   * because the input has its text. Left out: there was no trial run.
   */
  readonly proposedChanges?: readonly FileChange[];
}

/**
 * Asks the person about a call. `null` means that the question is answered elsewhere; until then the call waits. An
 * abort of `signal` withdraws the question; a later answer is ignored.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult | null>;

/** A call that needs a decision by a person or a classifier, as the classifier sees it. */
export interface ClassifierRequest {
  readonly toolName: string;
  /** The part of the input that the tool shows: see `toAutoClassifierInput`. Untrusted, because a model wrote it. */
  readonly input: unknown;
  /** The call can't be undone, as far as the tool knows. */
  readonly isDestructive?: true;
  /** Present if the call has run, and the question is whether its changes may be kept: absolute paths. */
  readonly changedPaths?: readonly string[];
  /** The user's prompts so far, oldest first: only words that the user has written. */
  readonly prompts: readonly string[];
  /**
   * What the host's hooks say about calls that have run (`classifierContext`), oldest first. This is the host's word,
   * and is trusted.
   */
  readonly hostNotes?: readonly HostNote[];
  /**
   * The conversation so far. Everything that isn't in `prompts` is untrusted. That includes text with the user's
   * role, which may hold a tool's result. Don't change the messages.
   */
  readonly messages: readonly MessageParam[];
}

/** A note of the host about a call that has run. */
export interface HostNote {
  readonly toolName: string;
  readonly text: string;
}

/** A classifier's decision. `ask`: a person decides. */
export interface ClassifierVerdict {
  readonly behavior: PermissionBehavior;
  /** One sentence. The model gets it if the call is denied. */
  readonly message: string;
}

/** The usage of a classifier's request to a model. */
export interface ClassifierUsage {
  /** The message's id. */
  readonly requestId: string;
  /** The model that answered. */
  readonly model: string;
  readonly usage: Usage;
}

/**
 * Decides about calls in mode `auto`, instead of a person. If it rejects, or takes longer than half a minute, the
 * person decides. It calls `reportUsage` once for each request to a model, so that the request counts in the query's
 * usage and budget.
 */
export interface AutoClassifier {
  (
    request: ClassifierRequest,
    signal: AbortSignal,
    reportUsage: (usage: ClassifierUsage) => void,
  ): Promise<ClassifierVerdict>;
  /** The model that the classifier uses. With `maxBudgetUsd` the model's price must be known. */
  readonly modelName?: string;
}

/** Why a call was allowed or refused. explain.ts makes a sentence of it. */
export type DecisionReason =
  | { readonly type: 'rule'; readonly rule: PermissionRule }
  | { readonly type: 'mode'; readonly mode: PermissionMode }
  | { readonly type: 'tool'; readonly message: string }
  | { readonly type: 'read-only' }
  /** The call's actual change set is judged before it is kept. */
  | { readonly type: 'at-commit' }
  /** The call removes or empties a file that existed before the session: see `Repl(fs.remove:…)`. */
  | { readonly type: 'removal'; readonly path: string }
  /** The path is a settings file of the workspace or of git: a person is asked about every write. */
  | { readonly type: 'protected-path'; readonly path: string }
  /** The session is tainted, and the path is one of the agent's instructions. */
  | { readonly type: 'instructions'; readonly path: string; readonly taintedBy: string }
  /** `changedInput`: the answer has changed the input. `by`: the tool that answered instead of a person. */
  | { readonly type: 'user'; readonly changedInput?: true; readonly by?: string }
  /** The session is tainted, and its egress policy asks about or refuses calls that reach out. */
  | { readonly type: 'egress'; readonly taintedBy: string }
  /** In mode `auto`. */
  | { readonly type: 'classifier'; readonly message: string }
  /** A nested call was allowed to make the change. */
  | { readonly type: 'nested-call' }
  /** A hook refused the call, answered the question, or allowed a call that nothing else decided. */
  | { readonly type: 'hook'; readonly message: string }
  | { readonly type: 'no-answer'; readonly message: string };

/**
 * The decision whether a call may run, and why. `explain` says it in a sentence. Plain data, so it
 * can be stored and sent.
 */
export interface CallDecision {
  readonly toolName: string;
  readonly behavior: 'allow' | 'deny';
  readonly reason: DecisionReason;
  readonly principal: Principal;
  /** Present if the call's changes were judged separately: whether they were kept, and why. */
  readonly changes?: { readonly behavior: 'allow' | 'deny'; readonly reason: DecisionReason };
}

/** The rules and the mode at one moment. Immutable: an update creates a new context. */
export interface ToolPermissionContext {
  readonly mode: PermissionMode;
  /**
   * While the mode is `plan`: the mode that an accepted plan restores. If an answer to a question chooses another
   * mode, this stays until the mode is set again.
   */
  readonly modeBeforePlan?: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** Directories that calls may reach in addition to the working directory, and the source of each. */
  readonly additionalWorkingDirectories: ReadonlyMap<string, PermissionRuleSource>;
  /** The policy for calls that reach out once the session is tainted. Left out: none. */
  readonly egress?: EgressPolicy;
  /** The tool that first brought text from outside into the conversation. */
  readonly taintedBy?: string;
  /** The directory of this agent's notes for later sessions, which it may reach. Left out: it keeps no notes. */
  readonly notes?: NotesPlace;
  /**
   * Files are changed on a branch, whose changes are judged as a whole before the merge. So an edit that nothing
   * objects to needs no question.
   */
  readonly isDraft?: true;
}

export interface NotesPlace {
  /** Absolute. */
  readonly directory: string;
  /**
   * True: the mode and the rules decide about an edit of the notes. False: an edit by Write or Edit needs no
   * question.
   */
  readonly asks: boolean;
}

/**
 * What happens to a call that reaches out once the session is tainted. The call is asked about or refused in every
 * mode, whatever a rule allows. The reason: text from outside may make the agent send out what it has read.
 */
export type EgressPolicy = 'ask' | 'deny';
