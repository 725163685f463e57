// Parses the rule strings of options and settings. A rule that can't have the intended effect is
// refused when it is set.
import { withGitStore } from '../../core/access/path-access.ts';
import type { PathAccessRule, PathOperation } from '../../core/access/path-access.ts';
import { SdkError } from '../../core/errors.ts';
import { gitCommands, meansGitCommand } from '../../core/git/git-commands.ts';
import { explainBadGlob } from '../../core/glob/parse-path-glob.ts';
import { matchesWildcard } from '../../core/permissions/match-wildcard.ts';
import { parseMcpToolName, toApiName } from '../../core/mcp/mcp-tool-name.ts';
import type { McpToolName } from '../../core/mcp/mcp-tool-name.ts';
import type {
  PermissionBehavior,
  PermissionRule,
  PermissionRuleSource,
  PermissionRuleValue,
} from '../../core/permissions/permission.ts';
import { formatRule, parseRule } from '../../core/permissions/rule.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ValidCall } from '../calls/validate.ts';

/**
 * Parses the rules of one list.
 *
 * @throws SdkError `invalid-input` if it isn't a list, or for the first entry that isn't a valid
 * rule here
 */
export function parseRules(
  rules: readonly string[],
  behavior: PermissionBehavior,
  source: PermissionRuleSource,
): PermissionRule[] {
  if (!Array.isArray(rules)) {
    throw new SdkError(
      'invalid-input',
      `The rules that should ${behavior} are no list. Write ['Edit(src/**)'].`,
      { data: { behavior, source } },
    );
  }
  return rules.map((rule) => checkRule({ ...parseRule(rule), behavior, source }));
}

/**
 * The name of the tool that runs code. Rules on it say what code may do. Rules are parsed before
 * the tools are known, so the tool can't declare this itself.
 */
const codeWord = 'Repl';

/** The name of the tool that reads pages. Rules on it name hosts. */
const pageWord = 'WebFetch';

/** The shells in rules of the Claude Agent SDK. The Repl replaces them here. */
const shells: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);

/** The tool's name here. A shell becomes the Repl. */
export function replaceShell(toolName: string): string {
  return shells.has(toolName) ? codeWord : toolName;
}

/**
 * True if the rule is about a shell's commands, which don't exist here. A rule that denies a whole
 * shell denies the Repl instead.
 */
export function isOnCommands({ toolName, ruleContent, behavior }: PermissionRule): boolean {
  return shells.has(toolName) && (behavior !== 'deny' || ruleContent !== undefined);
}

/** Shell programs, and for each the rule on the same operation of a cell. */
const programs: ReadonlyMap<string, string> = new Map([
  ['curl', 'net:*'],
  ['wget', 'net:*'],
  ['rm', 'fs.remove:**'],
]);

/**
 * Suggests a replacement for a rule on a shell's commands, such as a rule on a cell's git commands.
 */
export function suggestRule({ ruleContent }: PermissionRuleValue): string {
  if (ruleContent === undefined) return codeWord;
  const [program = '', word = ''] = ruleContent.split(/[ :]+/u, 2);
  const command = word.replace(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());
  const isGit = [...gitCommands.keys()].some((known) => meansGitCommand(command, known));
  if (program === 'git' && isGit) return `${codeWord}(git:${command})`;
  return `${codeWord}(${programs.get(program) ?? 'fs.write:src/**'})`;
}

/**
 * The rule as it applies here: denying a shell denies the Repl. Any other rule on a shell is
 * refused, because a rule that silently never matches is worse than none.
 *
 * @throws SdkError `invalid-input` for such a rule on a shell, and for an unknown capability. Also
 * for a rule on cells or pages without a capability. Also for a pattern that is too long, and for a
 * content after a tool name with a wildcard.
 */
function checkRule(rule: PermissionRule): PermissionRule {
  checkGlobs(rule);
  checkWildcard(rule);
  if (isOnCommands(rule)) {
    throw new SdkError(
      'invalid-input',
      `The rule ${formatRule(rule)} can't hold: there is no shell here. Write one on Repl, such as ${suggestRule(rule)}.`,
      { data: { rule: formatRule(rule) } },
    );
  }
  checkCapability(rule);
  return { ...rule, toolName: replaceShell(rule.toolName) };
}

/**
 * Security: the meaning of a content depends on the tool's name. `R*d(secrets/**)` would deny a
 * file only to the tool Read, while `Read(secrets/**)` also denies it to cells and Grep.
 */
function checkWildcard(rule: PermissionRule): void {
  if (rule.ruleContent === undefined || !rule.toolName.includes('*')) return;
  throw new SdkError(
    'invalid-input',
    `The rule ${formatRule(rule)} can't hold: what stands in brackets belongs to one tool. Write a rule for each tool, by its whole name.`,
    { data: { rule: formatRule(rule) } },
  );
}

function explainBadGlobs({ toolName, ruleContent = '' }: PermissionRule): string | undefined {
  const climb = shells.has(toolName) ? undefined : explainClimb(ruleContent);
  return explainBadGlob(toolName) ?? explainBadGlob(ruleContent) ?? climb;
}

/** Security: paths are normalised before they are judged, so a glob with `..` would never match. */
function explainClimb(content: string): string | undefined {
  const [climb] = /^(?:fs\.\w+:)?(?:\.\.?(?:\/+|$))*/u.exec(content) ?? [''];
  const isLater = /(?:^|[/{,])\.\.(?:[/},]|$)/u.test(content.slice(climb.length));
  return isLater
    ? 'a ".." that isn\'t at its beginning matches nothing: write the path without it'
    : undefined;
}

function checkGlobs(rule: PermissionRule): void {
  const why = explainBadGlobs(rule);
  if (why === undefined) return;
  const text = formatRule(rule);
  const beginning = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  throw new SdkError('invalid-input', `The rule ${beginning} can't hold: ${why}.`, {
    data: { rule: beginning },
  });
}

/** The fields of a tool that its names come from. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** For a server's tool: the server's name in the query, and the tool's name. */
  readonly mcpInfo?: McpToolName;
}

/** `mcp__server` means every tool of that server, as `mcp__server__*` does. */
export function ruleNamesTool(ruleName: string, { name, aliases, mcpInfo }: NamedTool): boolean {
  const isRemoteRule = ruleName.startsWith(remotePrefix);
  const isNamed = isRemoteRule ? namesRemote(ruleName, name, mcpInfo) : means(ruleName, name);
  return isNamed || aliases?.some((alias) => means(ruleName, alias)) === true;
}

const remotePrefix = 'mcp__';

/**
 * Security: server and tool are compared separately. With the whole name, a rule on the server
 * `github` would also match the tools of a server with the name `github__evil`.
 */
function namesRemote(ruleName: string, name: string, info: McpToolName | undefined): boolean {
  const parts = info ?? parseMcpToolName(name);
  if (name === ruleName || !parts) return name === ruleName;
  const server = toApiName(parts.serverName);
  const tool = toApiName(parts.toolName);
  const rest = ruleName.slice(remotePrefix.length);
  if (rest === server) return true;
  if (rest.startsWith(`${server}__`)) return means(rest.slice(server.length + 2), tool);
  // Only a wildcard can match another server's name, and only up to the next `__`.
  const end = rest.indexOf('__');
  const serverPattern = end < 0 ? rest : rest.slice(0, end);
  if (!serverPattern.includes('*') || !matchesWildcard(serverPattern, server)) return false;
  return end < 0 || means(rest.slice(end + 2), tool);
}

function means(pattern: string, name: string): boolean {
  return matchesWildcard(pattern, name);
}

/** A rule's content. */
export type Capability =
  /** Files, whatever path the input names. Judged by the call's view, and at commit. */
  | { readonly type: 'fs'; readonly operation: PathOperation; readonly glob: string }
  /** Files from before the session that may be removed or emptied. Judged at commit. */
  | { readonly type: 'remove'; readonly glob: string }
  /**
   * A host, in the form of `HostAccess` in core. `net:` is a host that code reaches, `domain:` one
   * that a tool reads.
   */
  | { readonly type: 'net'; readonly host: string }
  /** A git command that the code calls, or a group of commands. May have wildcards. */
  | { readonly type: 'git'; readonly command: string }
  /** Another tool that the code calls. May have wildcards, like the tool names of rules. */
  | { readonly type: 'tools'; readonly name: string };

const form = /^(?<kind>fs\.read|fs\.write|fs\.remove|net|domain|tools|git):(?<rest>.*)$/su;

/** Parses a rule's content as a capability; undefined if it is of another kind. */
export function readCapability(content: string | undefined): Capability | undefined {
  // A fast way out: most rules are path rules, and each call checks all rules.
  if (!content?.includes(':')) return undefined;
  const { kind, rest } = form.exec(content)?.groups ?? {};
  if (rest === undefined) return undefined;
  if (kind === 'net' || kind === 'domain') return { type: 'net', host: rest };
  if (kind === 'git') return { type: 'git', command: rest };
  if (kind === 'tools') return { type: 'tools', name: rest };
  if (kind === 'fs.remove') return { type: 'remove', glob: rest };
  return { type: 'fs', operation: kind === 'fs.read' ? 'read' : 'write', glob: rest };
}

/**
 * The form of a host pattern. The URL parser then checks it, with a name in place of the wildcard.
 */
const hostForm = /^(?:\*|(?:\*\.)?[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::\d+)?$/iu;

/**
 * @throws SdkError `invalid-input` for an unknown capability, and for a rule on cells or pages
 * without one
 */
function checkCapability(rule: PermissionRuleValue): void {
  const capability = readCapability(rule.ruleContent);
  const isOnPages = rule.toolName === pageWord && rule.ruleContent !== undefined;
  const isHost = (host: string) =>
    hostForm.test(host) && URL.canParse(`https://${host.replace('*', 'x')}`);
  const hasName = (() => {
    if (isOnPages && capability?.type !== 'net') return false;
    if (capability?.type === 'net') return isHost(capability.host);
    if (capability?.type === 'git') return /^[\w*.]+$/u.test(capability.command);
    if (capability?.type === 'tools') return /^[\w*-]+$/u.test(capability.name);
    if (capability) return capability.glob !== '';
    return rule.toolName !== codeWord || rule.ruleContent === undefined;
  })();
  if (hasName) return;
  const text = formatRule(rule);
  if (isOnPages) {
    throw new SdkError(
      'invalid-input',
      `The rule ${text} can't hold: it names no host. Write domain:example.com, domain:*.example.com or domain:localhost:8080, say.`,
      { data: { rule: text } },
    );
  }
  throw new SdkError(
    'invalid-input',
    `The rule ${text} can't hold: it names no capability. Write fs.write:src/**, fs.remove:dist/**, net:*.example.com, tools:Edit or git:commit, say.`,
    { data: { rule: text } },
  );
}

/** A rule on files. Its glob is relative to the session's directory. */
export interface PathRule {
  readonly operation: PathOperation;
  readonly glob: string;
}

/** Tool names whose rules apply to every tool that reads or writes files. */
const fileWords: ReadonlyMap<string, PathOperation> = new Map([
  ['Read', 'read'],
  ['Edit', 'write'],
]);

/**
 * With a path in brackets these names mean the same as Edit. Without one they mean only the tool
 * itself.
 */
const writers: ReadonlySet<string> = new Set(['Write', 'NotebookEdit']);

/** The operation, if the rule is about reading or writing files by any tool. */
export function getRuleOperation({
  toolName,
  ruleContent,
}: PermissionRuleValue): PathOperation | undefined {
  const isOnWrites = ruleContent !== undefined && writers.has(toolName);
  return fileWords.get(toolName) ?? (isOnWrites ? 'write' : undefined);
}

/** True if the rule can be about files, for any call. */
export function isFileRule({ toolName }: PermissionRuleValue): boolean {
  return fileWords.has(toolName) || writers.has(toolName);
}

/** Works like {@link getRuleOperation}, for this call. */
export function getOperationFor(rule: PermissionRule, call: RuledCall): PathOperation | undefined {
  return getRuleOperation(rule) ?? (holdsBackCode(rule, call) ? 'write' : undefined);
}

/**
 * Security: code can write the same files as a tool, so a rule that denies Write also denies
 * writing by code. Another tool that the model calls with a path has its own rules.
 */
function holdsBackCode(
  { toolName, behavior }: PermissionRule,
  { tool, caller }: RuledCall,
): boolean {
  if (behavior === 'allow' || !writers.has(toolName)) return false;
  const saysWhatItWrites = tool.getPath !== undefined && tool.authorizesChangesAt !== 'commit';
  return caller !== undefined || !saysWhatItWrites || ruleNamesTool(toolName, tool);
}

/** The rules on reading as path rules. They apply to every tool that reads. */
export function listReadRules(rules: readonly PermissionRule[]): readonly PathAccessRule[] {
  const onReading = rules.flatMap((rule): PathAccessRule[] => {
    const { behavior: effect, ruleContent: glob = '/**' } = rule;
    if (effect === 'allow' || getRuleOperation(rule) !== 'read') return [];
    return [{ effect, operation: 'read', glob }];
  });
  return withGitStore(onReading);
}

// Security: code must not read through a tool what it may not read itself.
function holdsBackCaller(rule: PermissionRule, { caller }: Pick<ValidCall, 'caller'>): boolean {
  return rule.behavior !== 'allow' && caller !== undefined && ruleNamesTool(rule.toolName, caller);
}

/** The parts of a call that rules are compared with. */
export interface RuledCall extends Pick<ValidCall, 'caller'> {
  readonly tool: NamedTool &
    Pick<Tool, 'authorizesChangesAt' | 'callsTools' | 'getPath' | 'preparePermissionMatcher'>;
  readonly traits: Pick<ValidCall['traits'], 'isReadOnly'>;
}

/**
 * The rule as a path rule for this call; undefined if it doesn't apply to the call. Without
 * content, a rule on Read or Edit is about every path. So is a rule that denies Write, for code.
 */
export function toPathRule(rule: PermissionRule, call: RuledCall): PathRule | undefined {
  const { ruleContent } = rule;
  const operation = getOperationFor(rule, call);
  if (operation) return { operation, glob: ruleContent ?? '/**' };
  if (ruleContent === undefined) return undefined;
  const isNamed = ruleNamesTool(rule.toolName, call.tool);
  const capability = readCapability(ruleContent);
  if (capability?.type === 'fs' && (isNamed || holdsBackCaller(rule, call))) return capability;
  if (!isNamed) return undefined;
  if (capability && call.tool.callsTools) return undefined;
  // For example `Grep(secrets/**)`. The contents of the tool's rules are globs, so they apply in
  // its view too.
  const hasGlobs = call.tool.getPath !== undefined && !call.tool.preparePermissionMatcher;
  if (!hasGlobs) return undefined;
  return { operation: call.traits.isReadOnly ? 'read' : 'write', glob: ruleContent };
}
