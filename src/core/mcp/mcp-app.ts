// An MCP App: the page by which a server shows a call of its tool (extension `io.modelcontextprotocol/ui`, 2026-01-26),
// as plain data. The tool keeps it with the session; views draw it in a frame, and ask in its name.
import type { McpMeta } from '../tool/tool.ts';

/** The extension, and the kind of page that is shown. */
export const appExtension = 'io.modelcontextprotocol/ui';
export const appMimeType = 'text/html;profile=mcp-app';

/** What a call's result says of its app: which server's it is, and where the session keeps the page. */
export interface McpAppReference {
  readonly serverName: string;
  /** The server's own name of the tool. */
  readonly toolName: string;
  /** SHA-256 of the page. */
  readonly digest: string;
  /** The server's wish for a border of the host's. Left out: it has none. */
  readonly prefersBorder?: boolean;
}

/** The page as its server gave it, other people's code; and the origins that it says it needs, unchecked. */
export interface McpAppPage {
  readonly html: string;
  /** Where scripts, styles, pictures and fonts are from. */
  readonly resourceDomains: readonly string[];
  /** What it speaks with. */
  readonly connectDomains: readonly string[];
}

/** The session's state under which a page is kept. */
export const toAppKey = (digest: string): string => `mcp-app/${digest}`;

/** The session's state with what apps have told the model. */
export const toldKey = 'mcp-app-told';

/** One entry of the list. */
export interface McpAppTold {
  readonly toolUseId: string;
  readonly serverName: string;
  readonly text: string;
}

/** What an app may want of the session. */
export type McpAppRequest =
  | { readonly type: 'open' }
  | {
      readonly type: 'call-tool';
      /** The server's own name of the tool. */
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** What the model is told with the next request, in the place of what it was told before. Empty: nothing more. */
  | { readonly type: 'tell-model'; readonly text: string };

/** What comes of each. */
export interface McpAppAnswers {
  readonly open: McpAppPage;
  /** The protocol's result, as the server gave it. */
  readonly 'call-tool': McpAppResult;
  readonly 'tell-model': null;
}

/** A result of a tool call, in the protocol's words. */
export interface McpAppResult extends Omit<McpMeta, 'app'> {
  readonly content: readonly unknown[];
  readonly isError?: boolean;
}

/** What comes of that request. */
export type McpAppAnswer<R extends McpAppRequest> = McpAppAnswers[R['type']];

/**
 * Asks in the name of the app of a call. Rejects with `bad-usage` for a call that has none, `invalid-input`,
 * `permission-denied`, `limit-exceeded`, `mcp-failed` or `aborted`.
 */
export type AskMcpApp = <const R extends McpAppRequest>(
  toolUseId: string,
  request: R,
) => Promise<McpAppAnswer<R>>;

// 10 kB: some two pages of text, which each request from then on pays for.
export const maxToldBytes = 10_000;
