// The vocabulary of permissions, with the Claude Agent SDK's names. agent/permissions/ decides.
import type { FileChange } from '../change-set.ts';
import type { McpServerProvenance } from '../mcp/mcp-server.ts';
import type { MessageParam, Usage } from '../messages/messages.ts';
import type { Principal } from './principal.ts';

/**
 * The default where no rule applies. `auto` lets a classifier judge what would be asked, and
 * `dontAsk` refuses it. `bypassPermissions` allows everything except what a rule, a protected path
 * or the tool objects to.
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

/** Is the value the name of a permission mode? */
export function isPermissionMode(mode: unknown): mode is PermissionMode {
  return (permissionModes as readonly unknown[]).includes(mode);
}

/** The effect of a rule on the calls that it matches. Deny beats ask, ask beats allow. */
export type PermissionBehavior = 'allow' | 'deny' | 'ask';

/**
 * Who set a rule. `managedSettings` is the host's policy, which nothing overrides. `flagSettings` are the query's
 * `settings`. `turn` is a skill or a command that is used: its rules end with the turn.
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

/** Where an update is to be kept. All end with the session here: keeping one is the host's part. */
export type PermissionUpdateDestination = Exclude<
  PermissionRuleSource,
  'managedSettings' | 'flagSettings' | 'turn'
>;

/** `Tool` or `Tool(content)`, taken apart. Parsed in core/permissions/rule.ts. */
export interface PermissionRuleValue {
  readonly toolName: string;
  readonly ruleContent?: string;
  /**
   * Ours, of a rule that allows a server's tool: it holds as long as the server says this of the tool, by its
   * SHA-256. Set where a person answers; left out: it holds for the name.
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
      /** Taken from the working directory where they aren't absolute. */
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: PermissionUpdateDestination;
    };

/** What the host's {@link CanUseTool} answers. */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      /** Replaces the input. It is parsed again, and deny and ask rules are evaluated again. */
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
      /**
       * Not read, as the question names its call. `decisionClassification` isn't read either: it is
       * for the vendor's statistics.
       */
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    }
  | {
      readonly behavior: 'deny';
      /** Goes to the model. */
      readonly message: string;
      /** True also stops the turn. */
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      readonly decisionClassification?: PermissionDecisionClassification;
    };

/** What kind of answer a person gave, as the Claude Agent SDK counts them. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/** A tool's own opinion, before modes and allow rules. `deny` and `ask` bind; `passthrough` has no effect. */
export type ToolPermissionResult =
  | {
      readonly behavior: 'allow';
      /** In the place of the input: it is parsed and judged again, and asked about where a rule asks. */
      readonly updatedInput?: Record<string, unknown>;
    }
  | { readonly behavior: 'deny'; readonly message: string }
  | {
      readonly behavior: 'ask';
      readonly message: string;
      /**
       * The updates that a person is offered in addition to a yes. Left out: none, as the tool asks
       * each time.
       */
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
  /** Rules that would spare the next question of this kind. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** The protected path or the file of instructions that it is about, where it is asked for that. */
  readonly blockedPath?: string;
  /** The server of the tool, where it is a server's. */
  readonly mcpServer?: McpServerProvenance;
  /** The call can't be undone: a dialog should propose no. */
  readonly defaultToNo?: true;
  /** Nothing that would spare the next question may be offered. */
  readonly suppressAlwaysAllowRule?: true;
  /** The sub-agent whose call it is. Left out: the session's own agent's. */
  readonly agentID?: string;
  /** Ours: who asks, where it isn't the model itself. */
  readonly principal?: Principal;
  /** One sentence: why it is asked. */
  readonly decisionReason?: string;
  /** The tool's name for people. */
  readonly displayName?: string;
  /** What a person reads first: "Edit src/app.ts"; with `changes` "Keep what Repl changed?". */
  readonly title?: string;
  /** What the tool says that it would do; with `changes` the files that were changed. */
  readonly description?: string;
  /** The rule that asks, where one does. */
  readonly matchedAskRule?: PermissionRuleValue & { readonly source: PermissionRuleSource };
  /**
   * Ours: given when the call has run and it is asked whether what it changed may be kept. The
   * input can't be changed any more; a refusal drops all of the changes.
   */
  readonly changes?: readonly FileChange[];
  /**
   * Ours: what the call would change, as its trial on a draft found just before the question. A new
   * file has no hunks, as the input has its text. Left out: the call wasn't tried.
   */
  readonly proposedChanges?: readonly FileChange[];
}

/**
 * The question to the person. `null` means answered elsewhere: the call stays blocked.
 * An abort of `signal` withdraws the question; its answer is then ignored.
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult | null>;

/** A call that nothing but a person or a classifier can let through, as a classifier sees it. */
export interface ClassifierRequest {
  readonly toolName: string;
  /** What the tool shows of its input: see `toAutoClassifierInput`. Untrusted: a model wrote it. */
  readonly input: unknown;
  /** The call can't be undone, as far as the tool knows. */
  readonly isDestructive?: true;
  /** Given when the call has run and it is about keeping what it changed: absolute paths. */
  readonly changedPaths?: readonly string[];
  /** What the user has asked for so far, oldest first: their own words alone. */
  readonly prompts: readonly string[];
  /** What the host's hooks say about calls that have run (`classifierContext`), oldest first. The host vouches for it. */
  readonly hostNotes?: readonly HostNote[];
  /**
   * The conversation so far. Whatever isn't among `prompts` is untrusted: also text of the user's role,
   * which may tell of a tool's result. Not to be changed.
   */
  readonly messages: readonly MessageParam[];
}

/** What the host says about a call that has run. */
export interface HostNote {
  readonly toolName: string;
  readonly text: string;
}

/** `ask` leaves it to a person. */
export interface ClassifierVerdict {
  readonly behavior: PermissionBehavior;
  /** One sentence; goes to the model where it denies. */
  readonly message: string;
}

/** A request to a model that a classifier has made. */
export interface ClassifierUsage {
  /** The message's id. */
  readonly requestId: string;
  /** The model that answered. */
  readonly model: string;
  readonly usage: Usage;
}

/**
 * Judges calls in mode `auto`, in a person's place. One that rejects, or takes longer than half a
 * minute, leaves the call to the person. `reportUsage` is called once for each request that it makes to
 * a model, so that the query's usage and budget have it.
 */
export interface AutoClassifier {
  (
    request: ClassifierRequest,
    signal: AbortSignal,
    reportUsage: (usage: ClassifierUsage) => void,
  ): Promise<ClassifierVerdict>;
  /** The model that it asks: with `maxBudgetUsd` its price must be known. */
  readonly modelName?: string;
}

/** Why a call was allowed or refused; explain.ts says it as a sentence. */
export type DecisionReason =
  | { readonly type: 'rule'; readonly rule: PermissionRule }
  | { readonly type: 'mode'; readonly mode: PermissionMode }
  | { readonly type: 'tool'; readonly message: string }
  | { readonly type: 'read-only' }
  /** The call's changes are judged from its true change set, before they are kept. */
  | { readonly type: 'at-commit' }
  /** The call removes or empties what was there before the session: see `Repl(fs.remove:…)`. */
  | { readonly type: 'removal'; readonly path: string }
  /** Settings of the workspace and of git: writing them always asks. */
  | { readonly type: 'protected-path'; readonly path: string }
  /** The session is tainted, and the path is one of the agent's instructions. */
  | { readonly type: 'instructions'; readonly path: string; readonly taintedBy: string }
  /**
   * `changedInput`: the answer's input isn't the one that was asked about. `by`: the tool that answered in the person's
   * place.
   */
  | { readonly type: 'user'; readonly changedInput?: true; readonly by?: string }
  /** The session is tainted, and its policy doesn't let it reach out. */
  | { readonly type: 'egress'; readonly taintedBy: string }
  /** In mode `auto`. */
  | { readonly type: 'classifier'; readonly message: string }
  /** A tool that the call's own code called was allowed to make the change. */
  | { readonly type: 'nested-call' }
  /** A hook refused it, answered the question, or allowed what nothing else spoke of. */
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
  /** Where what the call changed was judged by itself: whether that was kept, and why. */
  readonly changes?: { readonly behavior: 'allow' | 'deny'; readonly reason: DecisionReason };
}

/** Rules and mode at one moment. Immutable: an update makes a new one. */
export interface ToolPermissionContext {
  readonly mode: PermissionMode;
  /**
   * While the mode is `plan`: the one that an accepted plan gives back. It stays where an answer to a question
   * chooses another mode, until the mode is next set.
   */
  readonly modeBeforePlan?: PermissionMode;
  readonly rules: readonly PermissionRule[];
  /** Directories beside the working directory that calls may reach, and who named them. */
  readonly additionalWorkingDirectories: ReadonlyMap<string, PermissionRuleSource>;
  /** The policy for calls that reach out once the session is tainted. Left out: none. */
  readonly egress?: EgressPolicy;
  /** The tool by which text from outside first came into the conversation. */
  readonly taintedBy?: string;
  /** Where this agent keeps notes for later sessions: it may reach them. Left out: nowhere. */
  readonly notes?: NotesPlace;
  /**
   * Files are changed on a branch, and what was changed is judged as a whole before that is merged.
   * So an edit that nothing objects to needs no question.
   */
  readonly isDraft?: true;
}

export interface NotesPlace {
  /** Absolute. */
  readonly directory: string;
  /**
   * True: mode and rules decide about an edit of the notes. False: an edit by Write or Edit needs
   * no question.
   */
  readonly asks: boolean;
}

/**
 * Text from outside may make the agent send out what it has read. Under this policy each later call
 * that reaches out is asked about, or refused, in every mode and whatever a rule allows.
 */
export type EgressPolicy = 'ask' | 'deny';
