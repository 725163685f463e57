// Parses the rule strings of options and settings. A rule that can't do what its writer meant is
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
 * @throws SdkError `invalid-input` if it isn't a list, and for the first entry that isn't a rule or can't
 * apply here.
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
 * A tool's name that is a word of the rule language, too: its rules say what code may do. Rules are parsed
 * before there is a pool, so the tool can't declare that itself.
 */
const codeWord = 'Repl';

/** The same for rules on hosts. */
const pageWord = 'WebFetch';

/** Shells that rules of the Claude Agent SDK name. The Repl takes their place here. */
const shells: ReadonlySet<string> = new Set(['Bash', 'PowerShell']);

/** The tool's name here: the Repl's for a shell. */
export function replaceShell(toolName: string): string {
  return shells.has(toolName) ? codeWord : toolName;
}

/** Is the rule about a shell's commands, which don't exist here? Denying a whole shell denies the Repl. */
export function isOnCommands({ toolName, ruleContent, behavior }: PermissionRule): boolean {
  return shells.has(toolName) && (behavior !== 'deny' || ruleContent !== undefined);
}

/** Shell programs, and the rule on what a cell has in their place. */
const programs: ReadonlyMap<string, string> = new Map([
  ['curl', 'net:*'],
  ['wget', 'net:*'],
  ['rm', 'fs.remove:**'],
]);

/** Suggests a rule for one on a shell's commands, such as one on the commands of a cell's git. */
export function suggestRule({ ruleContent }: PermissionRuleValue): string {
  if (ruleContent === undefined) return codeWord;
  const [program = '', word = ''] = ruleContent.split(/[ :]+/u, 2);
  const command = word.replace(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());
  const isGit = [...gitCommands.keys()].some((known) => meansGitCommand(command, known));
  if (program === 'git' && isGit) return `${codeWord}(git:${command})`;
  return `${codeWord}(${programs.get(program) ?? 'fs.write:src/**'})`;
}

/**
 * The rule as it applies here: denying a shell denies the Repl. Any other rule on a shell is refused, because
 * a rule that silently never matches is worse than none.
 *
 * @throws SdkError `invalid-input` for such a rule on a shell, and for a capability that names
 * nothing. Also for a rule on cells or pages without a capability. Also for a pattern that is
 * too long, and a wildcard in a tool's name with a content.
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
 * Security: the meaning of a content depends on the tool's name. `R*d(secrets/**)` would keep only the tool
 * Read from a file, while `Read(secrets/**)` also keeps cells and Grep from it.
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

/** Security: judged paths are normalised, so a glob with `..` would match none of them, and forbid nothing. */
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

/** As much of a tool as names need. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** For a server's tool: the server's name in the query, and the tool's. */
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
 * Security: server and tool are compared separately. By the whole name, a rule on the server `github`
 * would also match the tools of a server that calls itself `github__evil`.
 */
function namesRemote(ruleName: string, name: string, info: McpToolName | undefined): boolean {
  const parts = info ?? parseMcpToolName(name);
  if (name === ruleName || !parts) return name === ruleName;
  const server = toApiName(parts.serverName);
  const tool = toApiName(parts.toolName);
  const rest = ruleName.slice(remotePrefix.length);
  if (rest === server) return true;
  if (rest.startsWith(`${server}__`)) return means(rest.slice(server.length + 2), tool);
  // Only a wildcard can mean another server's name, and it reaches to the next `__` at most.
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
  /** Files, whatever path the input names; judged by the call's view, and at commit. */
  | { readonly type: 'fs'; readonly operation: PathOperation; readonly glob: string }
  /** Files older than the session that may be removed or emptied; judged at commit. */
  | { readonly type: 'remove'; readonly glob: string }
  /** A host, as `HostAccess` in core has it: `net:` of what code reaches, `domain:` of what a tool reads. */
  | { readonly type: 'net'; readonly host: string }
  /** A command of git that it calls, or a group of them; may have wildcards. */
  | { readonly type: 'git'; readonly command: string }
  /** Another tool that the code calls. May have wildcards, as names of tools in rules do. */
  | { readonly type: 'tools'; readonly name: string };

const form = /^(?<kind>fs\.read|fs\.write|fs\.remove|net|domain|tools|git):(?<rest>.*)$/su;

/** Parses a rule's content as a capability; undefined for a content of another kind. */
export function readCapability(content: string | undefined): Capability | undefined {
  // Most rules are on paths; this is asked of each of them at every call.
  if (!content?.includes(':')) return undefined;
  const { kind, rest } = form.exec(content)?.groups ?? {};
  if (rest === undefined) return undefined;
  if (kind === 'net' || kind === 'domain') return { type: 'net', host: rest };
  if (kind === 'git') return { type: 'git', command: rest };
  if (kind === 'tools') return { type: 'tools', name: rest };
  if (kind === 'fs.remove') return { type: 'remove', glob: rest };
  return { type: 'fs', operation: kind === 'fs.read' ? 'read' : 'write', glob: rest };
}

/** What a host pattern may look like. The URL parser then checks it with a name in the wildcard's place. */
const hostForm = /^(?:\*|(?:\*\.)?[\p{L}\p{N}._-]+|\[[\da-f:.]+\])(?::\d+)?$/iu;

/** @throws SdkError `invalid-input` for a capability that names nothing, and for a rule on cells or pages without one. */
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

/** Names whose rules are about files: they cover every tool that reads or writes them. */
const fileWords: ReadonlyMap<string, PathOperation> = new Map([
  ['Read', 'read'],
  ['Edit', 'write'],
]);

/** With a path in brackets these mean the same as Edit. Without one they mean only the tool itself. */
const writers: ReadonlySet<string> = new Set(['Write', 'NotebookEdit']);

/** The operation, if the rule is one on reading or writing files by any tool. */
export function getRuleOperation({
  toolName,
  ruleContent,
}: PermissionRuleValue): PathOperation | undefined {
  const isOnWrites = ruleContent !== undefined && writers.has(toolName);
  return fileWords.get(toolName) ?? (isOnWrites ? 'write' : undefined);
}

/** Can the rule be about files, for any call? */
export function isFileRule({ toolName }: PermissionRuleValue): boolean {
  return fileWords.has(toolName) || writers.has(toolName);
}

/** As {@link getRuleOperation}, for this call. */
export function getOperationFor(rule: PermissionRule, call: RuledCall): PathOperation | undefined {
  return getRuleOperation(rule) ?? (holdsBackCode(rule, call) ? 'write' : undefined);
}

/**
 * Security: code can write whatever a tool could, so a denied Write also denies writing by code. Another
 * tool that the model calls, and that names the file it writes, has its own rules.
 */
function holdsBackCode(
  { toolName, behavior }: PermissionRule,
  { tool, caller }: RuledCall,
): boolean {
  if (behavior === 'allow' || !writers.has(toolName)) return false;
  const saysWhatItWrites = tool.getPath !== undefined && tool.authorizesChangesAt !== 'commit';
  return caller !== undefined || !saysWhatItWrites || ruleNamesTool(toolName, tool);
}

/** The rules on reading, as path rules. They hold for every tool that reads. */
export function listReadRules(rules: readonly PermissionRule[]): readonly PathAccessRule[] {
  const onReading = rules.flatMap((rule): PathAccessRule[] => {
    const { behavior: effect, ruleContent: glob = '/**' } = rule;
    if (effect === 'allow' || getRuleOperation(rule) !== 'read') return [];
    return [{ effect, operation: 'read', glob }];
  });
  return withGitStore(onReading);
}

// Security: what code may not read by its fs it may not get by a tool that it calls either.
function holdsBackCaller(rule: PermissionRule, { caller }: Pick<ValidCall, 'caller'>): boolean {
  return rule.behavior !== 'allow' && caller !== undefined && ruleNamesTool(rule.toolName, caller);
}

/** The parts of a call that rules match. */
export interface RuledCall extends Pick<ValidCall, 'caller'> {
  readonly tool: NamedTool &
    Pick<Tool, 'authorizesChangesAt' | 'callsTools' | 'getPath' | 'preparePermissionMatcher'>;
  readonly traits: Pick<ValidCall['traits'], 'isReadOnly'>;
}

/**
 * The rule as a path rule for this call; undefined if it doesn't concern the call. A rule on Read or
 * Edit without content is about every path, and so is one that denies code what Write does.
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
  // `Grep(secrets/**)`: the tool's contents are globs, so they hold in its view as well.
  const hasGlobs = call.tool.getPath !== undefined && !call.tool.preparePermissionMatcher;
  if (!hasGlobs) return undefined;
  return { operation: call.traits.isReadOnly ? 'read' : 'write', glob: ruleContent };
}
