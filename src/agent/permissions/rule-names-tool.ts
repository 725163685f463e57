// Does a rule's name mean this tool? By its name, an older name of it, its MCP server, or a wildcard.

/** As much of a tool as names need. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** `mcp__server` means every tool of that server, as `mcp__server__*` does. */
export function ruleNamesTool(ruleName: string, { name, aliases }: NamedTool): boolean {
  return means(ruleName, name) || aliases?.some((alias) => means(ruleName, alias)) === true;
}

function means(ruleName: string, name: string): boolean {
  return (
    name === ruleName ||
    (ruleName.startsWith('mcp__') &&
      name.startsWith(ruleName) &&
      name.startsWith('__', ruleName.length)) ||
    (ruleName.includes('*') && matchesWildcard(ruleName, name))
  );
}

// By hand rather than by RegExp: `a*a*a*…` against a long name must not take exponential time.
function matchesWildcard(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
