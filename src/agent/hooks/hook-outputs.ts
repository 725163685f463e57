// What a hook may answer: the Claude Agent SDK's outputs under their own names. Types only; what a
// hook really gave is checked by read-answer.ts.
import type { PermissionUpdate } from '../../core/permission.ts';
import type { HookEvent } from './hook-events.ts';

/** A hook's opinion on a call. Of several: deny beats defer beats ask beats allow. */
export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

interface Context {
  /** Told to the model, after what it is about. */
  readonly additionalContext?: string;
}

interface WatchPaths {
  /** Not read yet: FileChanged isn't fired. */
  readonly watchPaths?: readonly string[];
}

interface ElicitationAnswer {
  readonly action?: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/** What an event's hooks may say beyond what all hooks may. Events that aren't here: nothing. */
export interface SpecificFields {
  readonly CwdChanged: WatchPaths;
  readonly Elicitation: ElicitationAnswer;
  readonly ElicitationResult: ElicitationAnswer;
  readonly FileChanged: WatchPaths;
  readonly MessageDisplay: { readonly displayContent?: string };
  /** Not read: a person is being asked meanwhile. */
  readonly Notification: Context;
  readonly PermissionDenied: {
    /** The model is told that it may try again. */
    readonly retry?: boolean;
  };
  readonly PermissionRequest: {
    /** Answers the question, as a person would. Left out: the person is asked. */
    readonly decision?:
      | {
          readonly behavior: 'allow';
          readonly updatedInput?: Record<string, unknown>;
          readonly updatedPermissions?: readonly PermissionUpdate[];
        }
      | {
          readonly behavior: 'deny';
          readonly message?: string;
          readonly interrupt?: boolean;
        };
  };
  readonly PostModelSwitch: Context;
  readonly PostToolBatch: Context;
  readonly PostToolUseFailure: Context;
  readonly PostToolUse: Context & {
    /** Not read: the classifier is shown the user's words and the call alone. */
    readonly classifierContext?: string;
    /** Takes the output's place, for the model and for views. Must have the shape of the tool's output. */
    readonly updatedToolOutput?: unknown;
    /** The older name of the same, for tools of MCP servers alone. */
    readonly updatedMCPToolOutput?: unknown;
  };
  readonly PreModelSwitch: {
    readonly permissionDecision?: 'allow' | 'deny' | 'ask';
    readonly permissionDecisionReason?: string;
  };
  readonly PreToolUse: Context & {
    readonly permissionDecision?: HookPermissionDecision;
    /** For a refusal the model's text, for a question the person's. */
    readonly permissionDecisionReason?: string;
    /** Takes the input's place: parsed like the model's, and rules are judged by it. */
    readonly updatedInput?: Record<string, unknown>;
  };
  readonly SessionStart: Context &
    WatchPaths & {
      /** These three are not read: there is a prompt always, and no titles and skills yet. */
      readonly initialUserMessage?: string;
      readonly sessionTitle?: string;
      readonly reloadSkills?: boolean;
    };
  readonly Setup: Context;
  readonly Stop: Context;
  readonly SubagentStart: Context;
  readonly SubagentStop: Context;
  readonly UserPromptExpansion: Context & { readonly suppressOriginalPrompt?: boolean };
  readonly UserPromptSubmit: Context & {
    /** Not read: a session has no title yet, and a blocked prompt is never repeated. */
    readonly sessionTitle?: string;
    readonly suppressOriginalPrompt?: boolean;
  };
  readonly WorktreeCreate: { readonly worktreePath: string };
}

/** Names the event that it is for, so that a hook for several can't be misread. */
export type HookSpecificOutput = {
  [E in keyof SpecificFields]: SpecificFields[E] & { readonly hookEventName: E };
}[keyof SpecificFields & HookEvent];

/** A hook's answer at once. All may be left out: then it has no opinion. */
export interface SyncHookJSONOutput {
  /** False stops the turn. Doesn't count where no turn is running. */
  readonly continue?: boolean;
  /** With `continue: false`: for the person. */
  readonly stopReason?: string;
  /** `hook_response` then tells nothing of this output. */
  readonly suppressOutput?: boolean;
  /**
   * `block`: a call is refused (`approve`: allowed), a prompt not taken, a result commented, the model
   * sent back to work, depending on the event. For calls `permissionDecision` is the newer way.
   */
  readonly decision?: 'approve' | 'block';
  /** Belongs to `decision`. */
  readonly reason?: string;
  /** Shown to the person. */
  readonly systemMessage?: string;
  /** Not read: there is no terminal. */
  readonly terminalSequence?: string;
  readonly hookSpecificOutput?: HookSpecificOutput;
}

/** The hook goes on in the background: nobody waits for it, and nothing that it finds counts. */
export interface AsyncHookJSONOutput {
  readonly async: true;
  /** Milliseconds until its signal is aborted. Left out: with the end of the session. */
  readonly asyncTimeout?: number;
}

/** What a hook's promise gives. */
export type HookJSONOutput = SyncHookJSONOutput | AsyncHookJSONOutput;
