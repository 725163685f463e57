// Parses the globs of rules, imports and capabilities: `*` within a name, `**` across directories, `?` one character,
// `{a,b}` alternatives. Every other character means itself, so every text is a valid glob.
import { SdkError } from '../errors.ts';
import { slashCodePoint } from './glob-node.ts';
import type { GlobNode, GlobNodes } from './glob-node.ts';

// Much longer than any glob that a person writes. For each character of a path a match takes up to this number of
// steps.
const maxLength = 500;

/** Why the glob can't be used, as the end of a sentence. Undefined: it can. */
export function explainBadGlob(glob: string): string | undefined {
  if (glob.length <= maxLength) return undefined;
  return `its pattern has ${glob.length} characters, and at most ${maxLength} are taken: write several shorter ones`;
}

/** @throws SdkError `invalid-input` for a glob that is too long */
export function checkGlob(glob: string): void {
  const why = explainBadGlob(glob);
  if (why === undefined) return;
  const beginning = `${glob.slice(0, 40)}…`;
  throw new SdkError('invalid-input', `The glob ${beginning} can't be used: ${why}.`, {
    data: { glob: beginning, length: glob.length },
  });
}

/** The content of a brace group, or the whole glob: a list of alternatives, of which the last is still being read. */
interface Frame {
  readonly branches: GlobNode[][];
  nodes: GlobNode[];
}

/** Parses a glob that begins with a slash or is empty. A brace that is never closed ends at the glob's end. */
export function parsePathGlob(glob: string): GlobNodes {
  const outer: Frame[] = [];
  let frame: Frame = { branches: [], nodes: [] };
  const lastBrace = glob.lastIndexOf('}');
  const close = () => {
    const { branches, nodes } = frame;
    frame = outer.pop() ?? { branches: [], nodes: [] };
    frame.nodes.push({ kind: 'alternatives', branches: [...branches, nodes] });
  };
  for (let at = 0; at < glob.length;) {
    const codePoint = glob.codePointAt(at) ?? 0;
    const char = String.fromCodePoint(codePoint);
    let length = char.length;
    if (glob.startsWith('/**/', at)) {
      length = 4;
      // `**/**/` means the same as `**/`.
      while (glob.startsWith('**/', at + length)) length += 3;
      frame.nodes.push(slash, { kind: 'directories' });
    } else if (glob.startsWith('**', at)) {
      length = 2;
      frame.nodes.push({ kind: 'path' });
    } else if (char === '*') frame.nodes.push({ kind: 'name' });
    else if (char === '?') frame.nodes.push({ kind: 'one' });
    else if (char === '{' && lastBrace > at) {
      outer.push(frame);
      frame = { branches: [], nodes: [] };
    } else if (char === '}' && outer.length > 0) close();
    else if (char === ',' && outer.length > 0) {
      frame.branches.push(frame.nodes);
      frame.nodes = [];
    } else if (char === '.' && glob.startsWith('/./', at - 1)) length = 2;
    else frame.nodes.push({ kind: 'character', codePoint });
    at += length;
  }
  while (outer.length > 0) close();
  return frame.nodes;
}

const slash: GlobNode = { kind: 'character', codePoint: slashCodePoint };
