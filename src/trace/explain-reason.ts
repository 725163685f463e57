// Explains in words why a call was allowed, asked about or denied. explain.ts explains a whole
// decision.
import type { DecisionReason, PermissionRule } from '../core/permissions/permission.ts';
import { formatRule } from '../core/permissions/rule.ts';

/** A clause that completes "allowed because …" or "refused because …". */
export function explainReason(reason: DecisionReason): string {
  switch (reason.type) {
    case 'rule':
      return `the ${reason.rule.behavior} rule ${formatRule(reason.rule)} says so (${sourceName(reason.rule)})`;
    case 'mode':
      return `the permission mode is ${reason.mode}`;
    case 'tool':
      return `the tool itself says so: ${reason.message}`;
    case 'read-only':
      return 'the call changes nothing';
    case 'at-commit':
      return 'what the call changes is judged before it is kept';
    case 'removal':
      return `${reason.path} stood there before this session, and removing or emptying it asks`;
    case 'protected-path':
      return `${reason.path} steers the agent, or what git, a shell or an editor runs, so writing it always asks`;
    case 'instructions':
      return `${reason.path} instructs the agent, and text from outside came into this conversation by ${reason.taintedBy}, so writing it asks`;
    case 'user':
      return `${reason.by === undefined ? 'a person' : `the tool ${reason.by}, in a person's place,`} decided so${reason.changedInput ? ', with another input than was asked about' : ''}`;
    case 'egress':
      return `text from outside came into this conversation by ${reason.taintedBy}, and the host's policy guards what may go out after that`;
    case 'classifier':
      return `auto mode's classifier says so: ${reason.message}`;
    case 'nested-call':
      return 'a tool that the call itself called was allowed to do it';
    case 'hook':
      return `a hook says so: ${reason.message}`;
    case 'no-answer':
      return reason.message;
  }
}

function sourceName(rule: PermissionRule): string {
  switch (rule.source) {
    case 'managedSettings':
      return "the host's policy";
    case 'flagSettings':
      return "the session's settings";
    case 'userSettings':
      return 'your settings';
    case 'projectSettings':
    case 'localSettings':
      return "the workspace's settings";
    case 'cliArg':
      return "the session's options";
    case 'session':
      return 'set during this session';
    case 'turn':
      return 'set by a skill or a command, until the turn ends';
  }
}
