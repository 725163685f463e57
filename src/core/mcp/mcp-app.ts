// An MCP App: the page by which a server shows a call of its tool (extension `io.modelcontextprotocol/ui`,
// 2026-01-26), as plain data. The tool keeps the page with the session. Views draw it in a frame, and make requests
// on behalf of it.
import type { McpMeta } from '../tool/tool.ts';

/** The name of the extension. */
export const appExtension = 'io.modelcontextprotocol/ui';
export const appMimeType = 'text/html;profile=mcp-app';

/** A call result's reference to its app: the server, and where the session keeps the page. */
export interface McpAppReference {
  readonly serverName: string;
  /** The server's own name of the tool. */
  readonly toolName: string;
  /** SHA-256 of the page. */
  readonly digest: string;
  /** Whether the server wants the host to draw a border. Left out: it has no preference. */
  readonly prefersBorder?: boolean;
}

/** The page as its server sent it, which is untrusted code, and the origins that it requests, unchecked. */
export interface McpAppPage {
  readonly html: string;
  /** The origins of scripts, styles, pictures and fonts. */
  readonly resourceDomains: readonly string[];
  /** The origins to which the page connects. */
  readonly connectDomains: readonly string[];
}

/** The key of the session's state that holds a page. */
export const toAppKey = (digest: string): string => `mcp-app/${digest}`;

/** The key of the session's state with the texts that apps have given to the model. */
export const toldKey = 'mcp-app-told';

/** One text that an app has given to the model. */
export interface McpAppTold {
  readonly toolUseId: string;
  readonly serverName: string;
  readonly text: string;
}

/** The requests of an app to the session. */
export type McpAppRequest =
  | { readonly type: 'open' }
  | {
      readonly type: 'call-tool';
      /** The server's own name of the tool. */
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** A text that the model gets with the next request, in place of the app's text before. Empty: no text. */
  | { readonly type: 'tell-model'; readonly text: string };

/** The answer to each kind of request. */
export interface McpAppAnswers {
  readonly open: McpAppPage;
  /** The protocol's result, unchanged. */
  readonly 'call-tool': McpAppResult;
  readonly 'tell-model': null;
}

/** A result of a tool call, with the protocol's names. */
export interface McpAppResult extends Omit<McpMeta, 'app'> {
  readonly content: readonly unknown[];
  readonly isError?: boolean;
}

/** The answer to a request of this type. */
export type McpAppAnswer<R extends McpAppRequest> = McpAppAnswers[R['type']];

/**
 * Makes a request on behalf of a call's app. Rejects with `bad-usage` for a call without an app, `invalid-input`,
 * `permission-denied`, `limit-exceeded`, `mcp-failed` or `aborted`.
 */
export type AskMcpApp = <const R extends McpAppRequest>(
  toolUseId: string,
  request: R,
) => Promise<McpAppAnswer<R>>;

// 10 kB: some two pages of text. Each later request of the session contains them.
export const maxToldBytes = 10_000;
