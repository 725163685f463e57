// What a page gives its views for the apps of MCP servers. Without it, a call is shown by its text
// alone.
import { createContext } from 'react';
import type { AskMcpApp } from '../../core/mcp/mcp-app.ts';

/** Give the same object each time, or all apps are drawn again. */
export interface McpApps {
  /** Where `app-frame.html` is served: the host's `appFrame`. */
  readonly frameUrl: string;
  /** The query's `ask`, or the session's. */
  readonly ask: AskMcpApp;
  /**
   * Called when an app proposes a message to the agent: put it into the composer. Left out: apps
   * can't propose messages.
   */
  readonly onMessage?: (text: string) => void;
}

/** Provided around a transcript, it lets the transcript show apps. */
export const McpAppsContext = createContext<McpApps | undefined>(undefined);
