// What the code that a tool runs may do, as rules say it: `Repl(fs.write:src/**)`, `Repl(net:host)`,
// `Repl(tools:Edit)`. The one place where such contents are taken apart.
import { SdkError } from '../../core/errors.ts';
import type { PathOperation } from '../../core/access/path-access.ts';
import type { PermissionRuleValue } from '../../core/permission.ts';
import { formatRule } from '../../core/rule.ts';

/** A rule's content. */
export type Capability =
  /** Files, whichever the call's input names; judged by its view, and at commit. */
  | { readonly type: 'fs'; readonly operation: PathOperation; readonly glob: string }
  /** Files that it may remove or empty, though they stood there before the session; judged at commit. */
  | { readonly type: 'remove'; readonly glob: string }
  /** A host, as `HostAccess` in core has it. */
  | { readonly type: 'net'; readonly host: string }
  /** Another tool that the code calls. May have wildcards, as names of tools in rules do. */
  | { readonly type: 'tools'; readonly name: string };

const form = /^(?<kind>fs\.read|fs\.write|fs\.remove|net|tools):(?<rest>.*)$/su;

/** Undefined for a content of another kind. */
export function readCapability(content: string | undefined): Capability | undefined {
  // Most rules are on paths; this is asked of each of them at every call.
  if (!content?.includes(':')) return undefined;
  const { kind, rest } = form.exec(content)?.groups ?? {};
  if (rest === undefined) return undefined;
  if (kind === 'net') return { type: 'net', host: rest };
  if (kind === 'tools') return { type: 'tools', name: rest };
  if (kind === 'fs.remove') return { type: 'remove', glob: rest };
  return { type: 'fs', operation: kind === 'fs.read' ? 'read' : 'write', glob: rest };
}

/** Whether it is a host's, the URL parser says: a wildcard stands for some name. */
const hostForm = /^(?:\*|(?:\*\.)?[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::\d+)?$/iu;

/** @throws SdkError `invalid-input` for a capability that names nothing, and for a rule on cells without one. */
export function checkCapability(rule: PermissionRuleValue): void {
  const capability = readCapability(rule.ruleContent);
  const isHost = (host: string) =>
    hostForm.test(host) && URL.canParse(`https://${host.replace('*', 'x')}`);
  const hasName = (() => {
    if (capability?.type === 'net') return isHost(capability.host);
    if (capability?.type === 'tools') return /^[\w*-]+$/u.test(capability.name);
    if (capability) return capability.glob !== '';
    return rule.toolName !== 'Repl' || rule.ruleContent === undefined;
  })();
  if (hasName) return;
  const text = formatRule(rule);
  throw new SdkError(
    'invalid-input',
    `The rule ${text} can't hold: it names no capability. Write fs.write:src/**, fs.remove:dist/**, net:*.example.com or tools:Edit, say.`,
    { data: { rule: text } },
  );
}
