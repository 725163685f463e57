// Converts the results of TypeScript's language service to the protocol's types. Used by
// typescript-service.ts. The input has paths and offsets; texts are needed to compute lines.
import type ts from 'typescript';
import { createAbortError } from '../core/async/abort.ts';
import type {
  LspCallHierarchyItem,
  LspDiagnostic,
  LspDocumentSymbol,
  LspHover,
  LspIncomingCall,
  LspLocation,
  LspOutgoingCall,
  LspPosition,
  LspRange,
  LspSymbolInformation,
} from './language-server.ts';
import { symbolKinds } from './symbol-kinds.ts';
import type { TypeScript } from './typescript-project.ts';

/** The protocol's number for each of TypeScript's kinds. */
const kindNames: ReadonlyMap<string, string> = new Map([
  ['script', 'file'],
  ['module', 'module'],
  ['external module name', 'module'],
  ['class', 'class'],
  ['local class', 'class'],
  ['interface', 'interface'],
  ['type', 'interface'],
  ['enum', 'enum'],
  ['enum member', 'enum-member'],
  ['var', 'variable'],
  ['local var', 'variable'],
  ['let', 'variable'],
  ['using', 'variable'],
  ['await using', 'variable'],
  ['parameter', 'variable'],
  ['alias', 'variable'],
  ['const', 'constant'],
  ['function', 'function'],
  ['local function', 'function'],
  ['method', 'method'],
  ['constructor', 'constructor'],
  ['construct', 'constructor'],
  ['property', 'property'],
  ['getter', 'property'],
  ['setter', 'property'],
  ['accessor', 'property'],
  ['JSX attribute', 'property'],
  ['index', 'property'],
  ['call', 'method'],
  ['type parameter', 'type-parameter'],
  ['string', 'string'],
]);

const toKind = (kind: string): number => symbolKinds.indexOf(kindNames.get(kind) ?? 'variable');

/** The line maps and URIs of a program's files. */
export interface Places {
  toUri(path: string): string;
  /** Undefined if the program has no such file. */
  sourceOf(path: string): ts.SourceFileLike | undefined;
}

/** The protocol's range of a span. A missing file gives its first position. */
export function toRange({ sourceOf }: Places, path: string, span: ts.TextSpan): LspRange {
  const source = sourceOf(path);
  const place = (offset: number): LspPosition =>
    source?.getLineAndCharacterOfPosition(Math.min(offset, source.text.length)) ?? {
      line: 0,
      character: 0,
    };
  return { start: place(span.start), end: place(span.start + span.length) };
}

/** A definition, a reference or an implementation. */
export function toLocation(places: Places, span: ts.DocumentSpan): LspLocation {
  return { uri: places.toUri(span.fileName), range: toRange(places, span.fileName, span.textSpan) };
}

const severities = { 0: 2, 1: 1, 2: 4, 3: 3 } as const;

/** `path`: the requested file. */
export function toDiagnostic(
  typescript: TypeScript,
  places: Places,
  path: string,
  diagnostic: ts.Diagnostic,
): LspDiagnostic {
  const { start = 0, length = 0, category, code, messageText } = diagnostic;
  return {
    range: toRange(places, diagnostic.file?.fileName ?? path, { start, length }),
    severity: severities[category],
    code,
    source: 'ts',
    message: typescript.flattenDiagnosticMessageText(messageText, '\n'),
  };
}

/** The signature as code, then its documentation. */
export function toHover(
  typescript: TypeScript,
  range: LspRange,
  { displayParts, documentation, tags }: ts.QuickInfo,
): LspHover {
  const signature = typescript.displayPartsToString(displayParts);
  const said = tags?.map(({ name, text }) =>
    `@${name} ${typescript.displayPartsToString(text)}`.trim(),
  );
  const words = [typescript.displayPartsToString(documentation), ...(said ?? [])];
  const comment = words.filter((word) => word !== '').join('\n');
  return {
    contents: [{ language: 'typescript', value: signature }, ...(comment === '' ? [] : [comment])],
    range,
  };
}

/** The symbols in a file, without the file's own one. */
export function toDocumentSymbols(
  places: Places,
  path: string,
  tree: ts.NavigationTree,
): LspDocumentSymbol[] {
  // TypeScript sorts them by name.
  const items = (tree.childItems ?? []).toSorted(
    (a, b) => (a.spans[0]?.start ?? 0) - (b.spans[0]?.start ?? 0),
  );
  return items.flatMap((item) => {
    const [span] = item.spans;
    // An anonymous item, such as a callback, is replaced by its children.
    const children = toDocumentSymbols(places, path, item);
    if (!span || item.text.startsWith('<') || item.kind === 'alias') return children;
    const range = toRange(places, path, span);
    return [
      {
        name: item.text,
        kind: toKind(item.kind),
        range,
        selectionRange: item.nameSpan ? toRange(places, path, item.nameSpan) : range,
        ...(children.length > 0 && { children }),
      },
    ];
  });
}

export function toSymbol(places: Places, item: ts.NavigateToItem): LspSymbolInformation {
  return {
    name: item.name,
    kind: toKind(item.kind),
    location: toLocation(places, item),
    ...(item.containerName !== '' && { containerName: item.containerName }),
  };
}

export function toHierarchyItem(places: Places, item: ts.CallHierarchyItem): LspCallHierarchyItem {
  return {
    name: item.name,
    kind: toKind(item.kind),
    uri: places.toUri(item.file),
    range: toRange(places, item.file, item.span),
    selectionRange: toRange(places, item.file, item.selectionSpan),
  };
}

export function toIncomingCall(
  places: Places,
  { from, fromSpans }: ts.CallHierarchyIncomingCall,
): LspIncomingCall {
  return {
    from: toHierarchyItem(places, from),
    fromRanges: fromSpans.map((span) => toRange(places, from.file, span)),
  };
}

/** `path`: the calling file. */
export function toOutgoingCall(
  places: Places,
  path: string,
  { to, fromSpans }: ts.CallHierarchyOutgoingCall,
): LspOutgoingCall {
  return {
    to: toHierarchyItem(places, to),
    fromRanges: fromSpans.map((span) => toRange(places, path, span)),
  };
}

/** Yields, so that the thread can process an abort. Rejects if it was aborted. */
export async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, 0));
  if (signal.aborted) throw createAbortError(signal.reason);
}
